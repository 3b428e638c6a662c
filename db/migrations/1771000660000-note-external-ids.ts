import type { MigrationInterface, QueryRunner } from "typeorm";

/** A note has its writer's own id, as a message has: one that is sent again is no second one. */
export class NoteExternalIds1771000660000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE conversation_notes
         ADD COLUMN external_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL AFTER user_id,
         ADD UNIQUE KEY conversation_notes_external (conversation_id, external_id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE conversation_notes
         DROP KEY conversation_notes_external, DROP COLUMN external_id`,
    );
  }
}
