import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * A busy time is found by its event, without the resource that it takes time of. An event knows the
 * times of all writes without an answer.
 */
export class CalendarWrites1772000745000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE busy_blocks ADD KEY busy_blocks_connection (connection_id, event_id)",
    );
    await runner.query("ALTER TABLE calendar_events ADD COLUMN unheard JSON NULL AFTER sent_end");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE calendar_events DROP COLUMN unheard");
    await runner.query("ALTER TABLE busy_blocks DROP KEY busy_blocks_connection");
  }
}
