import type { MigrationInterface, QueryRunner } from "typeorm";

/** Workers announce where they are told of new outbox rows. */
export class Doorbells1772000773000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE worker_heartbeats
         ADD COLUMN doorbell VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL AFTER temporal_version`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE worker_heartbeats DROP COLUMN doorbell");
  }
}
