import type { MigrationInterface, QueryRunner } from "typeorm";

/** Finds files that their messages took back, and whose bytes are still stored. */
export class StoredFiles1772000779000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE message_media ADD INDEX message_media_stored (state, storage_key)",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE message_media DROP INDEX message_media_stored");
  }
}
