import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Lets a receiver's health be read a few attempts of each hour at a time. Attempts from before it
 * belong to no hour: a receiver's health begins with this, and is whole a day later.
 */
export class AttemptHours1771000630000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE delivery_attempts
         ADD COLUMN subscription_id BIGINT UNSIGNED NULL AFTER delivery_id,
         ADD COLUMN started_hour INT UNSIGNED NULL AFTER started_at`,
    );
    await runner.query(
      "ALTER TABLE delivery_attempts ADD KEY delivery_attempts_hour (subscription_id, started_hour, id)",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE delivery_attempts DROP KEY delivery_attempts_hour, DROP COLUMN started_hour,
         DROP COLUMN subscription_id`,
    );
  }
}
