import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

const cannedAnswers = `CREATE TABLE canned_answers (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  account_id BIGINT UNSIGNED NOT NULL,
  owner_user_id BIGINT UNSIGNED NOT NULL DEFAULT 0,
  shortcut VARCHAR(40) COLLATE utf8mb4_0900_as_ci NOT NULL,
  text TEXT NOT NULL,
  locale VARCHAR(8) ${ascii} NULL,
  created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  version INT UNSIGNED NOT NULL DEFAULT 1,
  PRIMARY KEY (id),
  UNIQUE KEY canned_answers_shortcut (account_id, owner_user_id, shortcut)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`;

/** Canned answers of accounts and of people. */
export class CannedAnswers1771000760000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(cannedAnswers);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE canned_answers");
  }
}
