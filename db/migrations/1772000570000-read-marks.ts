import type { MigrationInterface, QueryRunner } from "typeorm";

/** Messages of customers that are marked as read at their network. */
export class ReadMarks1772000570000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE channel_accounts ADD COLUMN marks_read TINYINT(1) NOT NULL DEFAULT 1",
    );
    await runner.query(
      `ALTER TABLE conversations
         ADD COLUMN seen_message_id BIGINT UNSIGNED NULL, ADD COLUMN seen_due_at DATETIME(3) NULL,
         ADD INDEX conversations_seen_due (seen_due_at, id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE conversations
         DROP INDEX conversations_seen_due, DROP COLUMN seen_message_id, DROP COLUMN seen_due_at`,
    );
    await runner.query("ALTER TABLE channel_accounts DROP COLUMN marks_read");
  }
}
