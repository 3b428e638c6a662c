import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

const mails = `CREATE TABLE mails (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  account_id BIGINT UNSIGNED NOT NULL,
  kind VARCHAR(16) ${ascii} NOT NULL,
  state VARCHAR(16) ${ascii} NOT NULL,
  user_link_id BIGINT UNSIGNED NULL,
  user_id BIGINT UNSIGNED NULL,
  conversation_id BIGINT UNSIGNED NULL,
  dedupe_key VARCHAR(100) ${ascii} NULL,
  sealed VARCHAR(255) ${ascii} NULL,
  key_id VARCHAR(32) ${ascii} NULL,
  tries INT UNSIGNED NOT NULL DEFAULT 0,
  error VARCHAR(64) ${ascii} NULL,
  due_at DATETIME(3) NOT NULL,
  created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  finished_at DATETIME(3) NULL,
  PRIMARY KEY (id),
  UNIQUE KEY mails_dedupe (account_id, dedupe_key),
  KEY mails_link (user_link_id, id),
  KEY mails_state (state, id),
  KEY mails_created (created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`;

/** Mails that are to be sent, with the token of their link until they are. */
export class Mails1771000731000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(mails);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE mails");
  }
}
