import type { MigrationInterface, QueryRunner } from "typeorm";

/** Pending items by lane, so that a claim goes from customer to customer past a long lane. */
export class ItemLanes1772000590000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE channel_items DROP KEY channel_items_lane,
         ADD KEY channel_items_lane (state, channel_account_id, customer, id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE channel_items DROP KEY channel_items_lane,
         ADD KEY channel_items_lane (channel_account_id, customer, state, id)`,
    );
  }
}
