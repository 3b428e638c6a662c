import type { MigrationInterface, QueryRunner } from "typeorm";

/** What tells which runs should have acted by now: moments, and indexes to find unfinished work by. */
export class LostRuns1771000711000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE messages ADD INDEX messages_unfinished (status, id)");
    await runner.query(
      `ALTER TABLE conversations ADD COLUMN handoff_due_at DATETIME(3) NULL AFTER handoff_at,
         ADD INDEX conversations_handoff_due (handoff_due_at, id)`,
    );
    // Those that somebody has answered have little left to do.
    await runner.query(
      `UPDATE conversations SET handoff_due_at = handoff_at
        WHERE status = 'handed_off' AND last_human_reply_at IS NULL`,
    );
    await runner.query(
      "ALTER TABLE appointment_reschedules ADD INDEX appointment_reschedules_state (state, id)",
    );
    await runner.query(
      "ALTER TABLE appointment_reminders ADD INDEX appointment_reminders_due (state, due_at)",
    );
    await runner.query("ALTER TABLE replays ADD INDEX replays_state (state, id)");
    await runner.query(
      `CREATE TABLE calendar_syncs (
         appointment_id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
         account_id BIGINT UNSIGNED NOT NULL,
         version INT UNSIGNED NOT NULL,
         requested_at DATETIME(3) NOT NULL
       ) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE calendar_syncs");
    await runner.query("ALTER TABLE replays DROP INDEX replays_state");
    await runner.query("ALTER TABLE appointment_reminders DROP INDEX appointment_reminders_due");
    await runner.query(
      "ALTER TABLE appointment_reschedules DROP INDEX appointment_reschedules_state",
    );
    await runner.query(
      "ALTER TABLE conversations DROP INDEX conversations_handoff_due, DROP COLUMN handoff_due_at",
    );
    await runner.query("ALTER TABLE messages DROP INDEX messages_unfinished");
  }
}
