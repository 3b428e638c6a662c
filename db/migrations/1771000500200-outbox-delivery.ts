import type { MigrationInterface, QueryRunner } from "typeorm";

/** Lets a look for lost runs find what Temporal has yet to be told of without reading the whole outbox. */
export class OutboxDelivery1771000500200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE outbox ADD KEY outbox_delivery (delivery_id)");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE outbox DROP KEY outbox_delivery");
  }
}
