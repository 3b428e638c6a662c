import type { MigrationInterface, QueryRunner } from "typeorm";

/** The person who has answered in a handoff. The inbox lists handoffs without one apart. */
export class AnsweredBy1771000741000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE conversations
         ADD COLUMN answered_by_user_id BIGINT UNSIGNED NULL AFTER last_human_reply_at,
         DROP KEY conversations_status,
         ADD KEY conversations_status (account_id, status, sort_at, id, channel, answered_by_user_id)`,
    );
    await runner.query(
      `UPDATE conversations c SET c.answered_by_user_id = (
         SELECT m.sender_user_id FROM messages m
          WHERE m.conversation_id = c.id AND m.sender_type = 'user' ORDER BY m.id DESC LIMIT 1)
        WHERE c.status = 'handed_off' AND c.last_human_reply_at IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE conversations
         DROP KEY conversations_status, DROP COLUMN answered_by_user_id,
         ADD KEY conversations_status (account_id, status, sort_at, id, channel)`,
    );
  }
}
