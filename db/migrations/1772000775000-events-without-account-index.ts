import type { MigrationInterface, QueryRunner } from "typeorm";

/** Drops the index of events by account. No statement used it, and it cost each event a write. */
export class EventsWithoutAccountIndex1772000775000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE events DROP KEY events_account");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE events ADD KEY events_account (account_id, id)");
  }
}
