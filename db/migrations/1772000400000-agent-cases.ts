import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const now = "DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)";

/** Test cases of the agent, with the result of their last run. */
export class AgentCases1772000400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE agent_cases (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
         contact_id ${id} NULL, channel VARCHAR(16) ${ascii} NOT NULL, customer_lines JSON NOT NULL,
         expected JSON NOT NULL, state VARCHAR(8) ${ascii} NOT NULL DEFAULT 'new',
         result JSON NULL, draft_digest VARCHAR(32) ${ascii} NULL, queued_at DATETIME(3) NULL,
         ran_at DATETIME(3) NULL, created_at ${now}, updated_at ${now},
         version INT UNSIGNED NOT NULL DEFAULT 1,
         PRIMARY KEY (id), KEY agent_cases_account (account_id, id),
         KEY agent_cases_queued (queued_at, id),
         KEY agent_cases_contact (contact_id, id)) ${defaults}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE agent_cases");
  }
}
