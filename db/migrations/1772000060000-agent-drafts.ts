import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const now = "DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)";

/** Drafts of the AI agent, and the person who asked for a turn. */
export class AgentDrafts1772000060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE agent_drafts (
         id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
         conversation_id ${id} NOT NULL, contact_id ${id} NOT NULL, turn_id ${id} NOT NULL,
         open_conversation_id ${id} NULL, source VARCHAR(12) ${ascii} NOT NULL,
         text TEXT NOT NULL, proposals JSON NOT NULL, state VARCHAR(12) ${ascii} NOT NULL,
         edit_distance INT UNSIGNED NULL, message_id ${id} NULL, decided_by_id ${id} NULL,
         decided_at DATETIME(3) NULL, created_at ${now},
         PRIMARY KEY (id), UNIQUE KEY agent_drafts_open (open_conversation_id),
         UNIQUE KEY agent_drafts_turn (turn_id),
         KEY agent_drafts_account (account_id, created_at),
         KEY agent_drafts_contact (contact_id, id), KEY agent_drafts_created (created_at, id)
       ) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci`,
    );
    await runner.query(`ALTER TABLE agent_turns ADD COLUMN requested_by_id ${id} NULL AFTER mode`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE agent_turns DROP COLUMN requested_by_id");
    await runner.query("DROP TABLE agent_drafts");
  }
}
