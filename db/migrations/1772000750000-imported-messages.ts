import type { MigrationInterface, QueryRunner } from "typeorm";

/** Messages of imported chats, whose ids are late and whose times are early. */
export class ImportedMessages1772000750000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE messages
         ADD COLUMN imported TINYINT(1) NOT NULL DEFAULT 0,
         ADD INDEX messages_thread (conversation_id, created_at, id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE messages DROP INDEX messages_thread, DROP COLUMN imported");
  }
}
