import type { MigrationInterface, QueryRunner } from "typeorm";

/** A subscription may have a smaller limit than its host for attempts at once. */
export class SubscriptionConcurrency1772000771000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE subscriptions ADD COLUMN max_concurrency INT UNSIGNED NULL AFTER auto_disable",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE subscriptions DROP COLUMN max_concurrency");
  }
}
