import type { MigrationInterface, QueryRunner } from "typeorm";

/** Sending over Meta's channels: waits of messages, held messages, and a channel's right to tag. */
export class Sending1772000520000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE messages ADD COLUMN next_try_at DATETIME(3) NULL,
         ADD COLUMN limited_since DATETIME(3) NULL, ADD COLUMN held_at DATETIME(3) NULL,
         ADD KEY messages_held (channel_account_id, held_at, id)`,
    );
    await runner.query(
      `ALTER TABLE channel_accounts ADD COLUMN held_since DATETIME(3) NULL,
         ADD COLUMN human_agent TINYINT NOT NULL DEFAULT 0,
         ADD KEY channel_accounts_held (held_since, id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE channel_accounts DROP KEY channel_accounts_held, DROP COLUMN human_agent,
         DROP COLUMN held_since`,
    );
    await runner.query(
      `ALTER TABLE messages DROP KEY messages_held, DROP COLUMN held_at,
         DROP COLUMN limited_since, DROP COLUMN next_try_at`,
    );
  }
}
