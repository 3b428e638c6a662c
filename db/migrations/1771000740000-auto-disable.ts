import type { MigrationInterface, QueryRunner } from "typeorm";

/** A subscription is disabled for its receiver's failures only where it asks for that. */
export class AutoDisable1771000740000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE subscriptions ADD COLUMN auto_disable TINYINT(1) NOT NULL DEFAULT 0 AFTER channels",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE subscriptions DROP COLUMN auto_disable");
  }
}
