import type { MigrationInterface, QueryRunner } from "typeorm";

/** Lets live views know of deliveries too. */
export class DeliveryChanges1771000500100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE changes ADD COLUMN delivery_id BIGINT UNSIGNED NULL AFTER message_id,
         ADD COLUMN subscription_id BIGINT UNSIGNED NULL AFTER delivery_id`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE changes DROP COLUMN delivery_id, DROP COLUMN subscription_id");
  }
}
