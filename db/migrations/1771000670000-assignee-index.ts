import type { MigrationInterface, QueryRunner } from "typeorm";

/** A person's open conversations, on all channels or one, are found and counted in the index alone. */
export class AssigneeIndex1771000670000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE conversations
         DROP KEY conversations_assignee,
         ADD KEY conversations_assignee
           (account_id, assigned_to_user_id, sort_at, id, status, channel)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE conversations
         DROP KEY conversations_assignee,
         ADD KEY conversations_assignee (account_id, assigned_to_user_id, sort_at, id)`,
    );
  }
}
