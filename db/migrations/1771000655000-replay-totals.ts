import type { MigrationInterface, QueryRunner } from "typeorm";

/** Marks the total of a replay whose deliveries were too many to count all of them. */
export class ReplayTotals1771000655000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE replays ADD COLUMN total_at_least TINYINT NOT NULL DEFAULT 0 AFTER total",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE replays DROP COLUMN total_at_least");
  }
}
