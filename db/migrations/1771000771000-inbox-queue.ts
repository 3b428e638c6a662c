import type { MigrationInterface, QueryRunner } from "typeorm";

/** Conversations whose wait one statement reads, so that none holds locks for long. */
const batch = 1_000;

/** The inbox as a queue: since when each customer waits, and until when a conversation is snoozed. */
export class InboxQueue1771000771000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE conversations
         ADD COLUMN customer_waits_since DATETIME(3) NULL AFTER unread_count,
         ADD COLUMN snoozed_until DATETIME(3) NULL AFTER customer_waits_since,
         ADD COLUMN snoozed_by_user_id BIGINT UNSIGNED NULL AFTER snoozed_until,
         ADD COLUMN snooze_run INT UNSIGNED NOT NULL DEFAULT 0 AFTER snoozed_by_user_id`,
    );
    await fillWaits(runner);
    await runner.query(
      `ALTER TABLE conversations
         ADD KEY conversations_queue (account_id, status, snoozed_until, customer_waits_since,
           sort_at, id, channel, assigned_to_user_id, contact_id),
         ADD KEY conversations_assignee_queue (account_id, assigned_to_user_id, status,
           snoozed_until, customer_waits_since, sort_at, id, channel, contact_id),
         ADD KEY conversations_snoozed (account_id, snoozed_until, id),
         ADD KEY conversations_snooze_due (snoozed_until, id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE conversations
         DROP KEY conversations_queue, DROP KEY conversations_assignee_queue,
         DROP KEY conversations_snoozed, DROP KEY conversations_snooze_due,
         DROP COLUMN customer_waits_since, DROP COLUMN snoozed_until,
         DROP COLUMN snoozed_by_user_id, DROP COLUMN snooze_run`,
    );
  }
}

/** Reads the newest 200 messages of each conversation at most. A longer wait begins with them. */
async function fillWaits(runner: QueryRunner): Promise<void> {
  const sql = "SELECT MAX(id) AS last FROM conversations";
  const [row] = (await runner.query(sql)) as { last: unknown }[];
  const last = Number(row?.last ?? 0);
  for (let from = 0; from < last; from += batch) {
    await runner.query(
      `UPDATE conversations c SET c.customer_waits_since = (
         SELECT MIN(m.created_at) FROM (
           SELECT n.created_at, n.direction,
                  SUM(n.direction = 'outbound' AND n.sender_type <> 'system'
                      AND n.status NOT IN ('failed', 'cancelled')) OVER (ORDER BY n.id DESC) AS answers
             FROM (SELECT id, created_at, direction, sender_type, status FROM messages
                    WHERE conversation_id = c.id ORDER BY id DESC LIMIT 200) n) m
          WHERE m.direction = 'inbound' AND m.answers = 0)
        WHERE c.id > ? AND c.id <= ? AND c.last_customer_message_at IS NOT NULL`,
      [from, from + batch],
    );
  }
}
