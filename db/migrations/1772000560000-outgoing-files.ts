import type { MigrationInterface, QueryRunner } from "typeorm";

/** Files that we send, and messages that go as a file and then its caption. */
export class OutgoingFiles1772000560000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE messages ADD COLUMN part INT UNSIGNED NULL");
    await runner.query(
      "ALTER TABLE message_media ADD COLUMN outgoing TINYINT(1) NOT NULL DEFAULT 0",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE message_media DROP COLUMN outgoing");
    await runner.query("ALTER TABLE messages DROP COLUMN part");
  }
}
