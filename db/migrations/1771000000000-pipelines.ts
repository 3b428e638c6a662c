import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci";

const tables = [
  `CREATE TABLE pipelines (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    name VARCHAR(200) NOT NULL,
    is_default TINYINT NOT NULL DEFAULT 0,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    UNIQUE KEY pipelines_name (account_id, name)
  )`,
  `CREATE TABLE pipeline_stages (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    pipeline_id BIGINT UNSIGNED NOT NULL,
    name VARCHAR(200) NOT NULL,
    position INT UNSIGNED NOT NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    UNIQUE KEY pipeline_stages_name (pipeline_id, name)
  )`,
  `CREATE TABLE contact_stages (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    contact_id BIGINT UNSIGNED NOT NULL,
    pipeline_id BIGINT UNSIGNED NOT NULL,
    stage_id BIGINT UNSIGNED NOT NULL,
    conversation_id BIGINT UNSIGNED NOT NULL,
    place BIGINT NOT NULL,
    moved_at DATETIME(3) NOT NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY contact_stages_contact (contact_id, pipeline_id),
    KEY contact_stages_board (stage_id, place, id)
  )`,
];

const names = tables.map((table) => table.split(" ")[2]);

/** Pipelines with their stages, and where each contact stands in them. */
export class Pipelines1771000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`${table} ENGINE=InnoDB ${defaults}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of names.toReversed()) await runner.query(`DROP TABLE ${name}`);
  }
}
