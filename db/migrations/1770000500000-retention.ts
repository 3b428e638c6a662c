import type { MigrationInterface, QueryRunner } from "typeorm";

const indexes: [table: string, index: string, columns: string][] = [
  ["deliveries", "deliveries_finished", "finished_at, id"],
  ["delivery_attempts", "delivery_attempts_started", "started_at, id"],
  ["notifications", "notifications_created", "created_at, id"],
  ["notification_reads", "notification_reads_notification", "notification_id"],
  ["user_links", "user_links_expires", "expires_at, id"],
  ["worker_heartbeats", "worker_heartbeats_seen", "seen_at"],
];

/** Lets a purge read what it deletes and nothing else. */
export class Retention1770000500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, index, columns] of indexes) {
      await runner.query(`ALTER TABLE ${table} ADD KEY ${index} (${columns})`);
    }
    // Deliveries that were over from the start had no end written down.
    await runner.query(
      `UPDATE deliveries SET finished_at = updated_at
        WHERE state IN ('skipped', 'cancelled') AND finished_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, index] of indexes.toReversed()) {
      await runner.query(`ALTER TABLE ${table} DROP KEY ${index}`);
    }
  }
}
