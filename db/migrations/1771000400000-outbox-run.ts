import type { MigrationInterface, QueryRunner } from "typeorm";

/** Says which run an outbox row asks for, so that one left over from an older run makes no attempt. */
export class OutboxRun1771000400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE outbox ADD COLUMN run INT UNSIGNED NULL AFTER delivery_id");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE outbox DROP COLUMN run");
  }
}
