import type { MigrationInterface, QueryRunner } from "typeorm";

const userLinks = `CREATE TABLE user_links (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  account_id BIGINT UNSIGNED NOT NULL,
  kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  token_hash BINARY(32) NOT NULL,
  email VARCHAR(254) COLLATE utf8mb4_0900_as_ci NULL,
  user_id BIGINT UNSIGNED NULL,
  role VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL,
  name VARCHAR(200) NULL,
  expires_at DATETIME(3) NOT NULL,
  used_at DATETIME(3) NULL,
  revoked_at DATETIME(3) NULL,
  created_by_user_id BIGINT UNSIGNED NOT NULL,
  created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (id),
  UNIQUE KEY user_links_token (token_hash),
  KEY user_links_account (account_id, kind, id),
  KEY user_links_user (user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`;

/** One-time links, memberships that can be disabled, and a number for each login. */
export class UserLinks1770000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(userLinks);
    await runner.query("ALTER TABLE memberships ADD COLUMN disabled_at DATETIME(3) NULL");
    await runner.query(
      `ALTER TABLE sessions
         DROP PRIMARY KEY,
         ADD COLUMN id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT FIRST,
         ADD PRIMARY KEY (id),
         ADD UNIQUE KEY sessions_token (token_hash)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE sessions
         DROP PRIMARY KEY,
         DROP COLUMN id,
         DROP KEY sessions_token,
         ADD PRIMARY KEY (token_hash)`,
    );
    await runner.query("ALTER TABLE memberships DROP COLUMN disabled_at");
    await runner.query("DROP TABLE user_links");
  }
}
