import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const now = "DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)";

/** Ratings of the agent's messages by people. */
export class AgentRatings1772000310000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE agent_ratings (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
         conversation_id ${id} NOT NULL, message_id ${id} NOT NULL, turn_id ${id} NULL,
         user_id ${id} NOT NULL, value VARCHAR(4) ${ascii} NOT NULL,
         reason VARCHAR(24) ${ascii} NULL, comment VARCHAR(500) NULL,
         created_at ${now}, updated_at ${now},
         PRIMARY KEY (id), UNIQUE KEY agent_ratings_person (message_id, user_id),
         KEY agent_ratings_conversation (conversation_id, id),
         KEY agent_ratings_account (account_id, created_at, value, turn_id),
         KEY agent_ratings_created (created_at, id)) ${defaults}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE agent_ratings");
  }
}
