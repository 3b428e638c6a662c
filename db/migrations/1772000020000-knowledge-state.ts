import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * An index from which a search sees whether its copy of the items is current: each change of an
 * item raises its version. A time of change may repeat, or go back with the clock of another
 * process.
 */
export class KnowledgeState1772000020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE knowledge_items DROP INDEX knowledge_items_updated,
         ADD KEY knowledge_items_version (account_id, version, id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE knowledge_items DROP INDEX knowledge_items_version,
         ADD KEY knowledge_items_updated (account_id, updated_at)`,
    );
  }
}
