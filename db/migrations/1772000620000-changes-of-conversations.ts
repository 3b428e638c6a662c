import type { MigrationInterface, QueryRunner } from "typeorm";

/** Missed changes of single conversations, for visitors who come back by the thousand. */
export class ChangesOfConversations1772000620000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE changes ADD KEY changes_conversation (conversation_id, seq)");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE changes DROP KEY changes_conversation");
  }
}
