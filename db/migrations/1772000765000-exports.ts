import type { MigrationInterface, QueryRunner } from "typeorm";

const id = "BIGINT UNSIGNED";
const moment = "DATETIME(3)";
const token = (length: number) => `VARCHAR(${length}) CHARACTER SET ascii COLLATE ascii_bin`;

/** Files that people have asked for. */
export class Exports1772000765000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE exports (
         id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL, kind ${token(16)} NOT NULL,
         state ${token(16)} NOT NULL, filters JSON NULL, contact_id ${id} NULL,
         \`rows\` INT UNSIGNED NOT NULL DEFAULT '0', storage_key ${token(191)} NULL, size ${id} NULL,
         error_code ${token(32)} NULL, created_by_user_id ${id} NOT NULL,
         created_at ${moment} NOT NULL DEFAULT CURRENT_TIMESTAMP(3), finished_at ${moment} NULL,
         expires_at ${moment} NULL,
         PRIMARY KEY (id), KEY exports_open (account_id, state, id), KEY exports_state (state, id),
         KEY exports_expires (expires_at, id), KEY exports_created (created_at, id)
       ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE exports");
  }
}
