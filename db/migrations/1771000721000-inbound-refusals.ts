import type { MigrationInterface, QueryRunner } from "typeorm";

/** Lets one row of an endpoint's log stand for all calls that the rate limit refused within a minute. */
export class InboundRefusals1771000721000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE inbound_requests ADD calls INT UNSIGNED NOT NULL DEFAULT 1");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE inbound_requests DROP COLUMN calls");
  }
}
