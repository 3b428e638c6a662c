import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * When a receiver last failed: what it did before it was asked nothing for long does not count. And which
 * version of a subscription its state came with, by which the run that follows it is named.
 */
export class SubscriptionHistory1771000680000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE subscription_health
         ADD COLUMN last_failed_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) AFTER failing_since`,
    );
    await runner.query("UPDATE subscription_health SET last_failed_at = failing_since");
    await runner.query(
      "ALTER TABLE subscriptions ADD COLUMN state_version INT UNSIGNED NOT NULL DEFAULT 1 AFTER state",
    );
    await runner.query("UPDATE subscriptions SET state_version = version");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE subscriptions DROP COLUMN state_version");
    await runner.query("ALTER TABLE subscription_health DROP COLUMN last_failed_at");
  }
}
