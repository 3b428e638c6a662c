import type { MigrationInterface, QueryRunner } from "typeorm";

const macros = `CREATE TABLE macros (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  account_id BIGINT UNSIGNED NOT NULL,
  owner_user_id BIGINT UNSIGNED NOT NULL DEFAULT 0,
  name VARCHAR(200) NOT NULL,
  steps JSON NOT NULL,
  created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  version INT UNSIGNED NOT NULL DEFAULT 1,
  PRIMARY KEY (id),
  KEY macros_owner (account_id, owner_user_id, name, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`;

/** Macros of accounts and of people. */
export class Macros1771000761000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(macros);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE macros");
  }
}
