import type { MigrationInterface, QueryRunner } from "typeorm";

/** Temporal's version as workers know it, and an index to read notifications by their cause. */
export class System1771000610000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE worker_heartbeats ADD COLUMN temporal_version VARCHAR(32)
         CHARACTER SET ascii COLLATE ascii_bin NULL AFTER temporal_reachable`,
    );
    await runner.query(
      "ALTER TABLE notifications ADD KEY notifications_group (account_id, group_key, id)",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE notifications DROP KEY notifications_group");
    await runner.query("ALTER TABLE worker_heartbeats DROP COLUMN temporal_version");
  }
}
