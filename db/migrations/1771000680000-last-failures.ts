import type { MigrationInterface, QueryRunner } from "typeorm";

/** When a receiver last failed: what it did before it was asked nothing for long does not count. */
export class LastFailures1771000680000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE subscription_health
         ADD COLUMN last_failed_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) AFTER failing_since`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE subscription_health DROP COLUMN last_failed_at");
  }
}
