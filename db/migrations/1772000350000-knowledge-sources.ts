import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

/**
 * Pages and files from which knowledge is suggested. An item knows its source, the question's key
 * and the hash of the text there, so that the same text is suggested once. A suggestion may replace
 * an approved item.
 */
export class KnowledgeSources1772000350000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE knowledge_sources (
         id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, account_id BIGINT UNSIGNED NOT NULL,
         kind VARCHAR(8) ${ascii} NOT NULL, location VARCHAR(2048) NOT NULL,
         location_hash VARCHAR(64) ${ascii} NOT NULL, language VARCHAR(8) ${ascii} NOT NULL,
         failure VARCHAR(32) ${ascii} NULL,
         content_hash VARCHAR(64) ${ascii} NULL, questions INT UNSIGNED NOT NULL DEFAULT 0,
         run INT UNSIGNED NOT NULL DEFAULT 0, requested_at DATETIME(3) NULL,
         fetched_at DATETIME(3) NULL, due_at DATETIME(3) NULL,
         created_by_user_id BIGINT UNSIGNED NULL,
         created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         version INT UNSIGNED NOT NULL DEFAULT 1,
         PRIMARY KEY (id), UNIQUE KEY knowledge_sources_location (account_id, location_hash),
         KEY knowledge_sources_due (due_at, id), KEY knowledge_sources_requested (requested_at, id)
       ) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci`,
    );
    await runner.query(
      `ALTER TABLE knowledge_items
         ADD COLUMN source_id BIGINT UNSIGNED NULL AFTER valid_until,
         ADD COLUMN source_key VARCHAR(64) ${ascii} NULL AFTER source_id,
         ADD COLUMN source_hash VARCHAR(64) ${ascii} NULL AFTER source_key,
         ADD COLUMN replaces_item_id BIGINT UNSIGNED NULL AFTER source_hash,
         ADD KEY knowledge_items_source (source_id, id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE knowledge_items DROP INDEX knowledge_items_source,
         DROP COLUMN replaces_item_id, DROP COLUMN source_hash, DROP COLUMN source_key,
         DROP COLUMN source_id`,
    );
    await runner.query("DROP TABLE knowledge_sources");
  }
}
