import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Messages of a channel by time. The columns of the first index never change, so it costs an entry
 * per message and nothing per status. The second one holds a time for failed messages alone.
 */
export class ChannelTraffic1772000600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE messages ADD KEY messages_traffic (channel_account_id, direction, created_at)",
    );
    await runner.query(
      `ALTER TABLE messages ADD KEY messages_failed
         (channel_account_id, (IF(status = _ascii'failed', created_at, NULL)))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE messages DROP KEY messages_failed");
    await runner.query("ALTER TABLE messages DROP KEY messages_traffic");
  }
}
