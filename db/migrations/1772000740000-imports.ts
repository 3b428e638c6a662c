import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const moment = "DATETIME(3)";
const now = `${moment} NOT NULL DEFAULT CURRENT_TIMESTAMP(3)`;
const engine = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";

const tables = [
  `CREATE TABLE imports (
     id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL, kind VARCHAR(16) ${ascii} NOT NULL,
     state VARCHAR(16) ${ascii} NOT NULL, name VARCHAR(255) NULL, size ${id} NOT NULL,
     sha256 BINARY(32) NOT NULL, storage_key VARCHAR(191) ${ascii} NULL, detected JSON NULL,
     mapping JSON NULL, header_hash BINARY(32) NULL, is_mapped TINYINT NOT NULL DEFAULT 0,
     phone_key VARCHAR(15) ${ascii} NULL, counts JSON NOT NULL, reasons JSON NOT NULL,
     differing INT UNSIGNED NOT NULL DEFAULT 0, cursor_row ${id} NOT NULL DEFAULT 0,
     error_code VARCHAR(32) ${ascii} NULL, error_line INT UNSIGNED NULL,
     is_begun TINYINT NOT NULL DEFAULT 0, created_by_user_id ${id} NULL,
     created_at ${now}, updated_at ${now}, planned_at ${moment} NULL, started_at ${moment} NULL,
     finished_at ${moment} NULL, undo_until ${moment} NULL, file_until ${moment} NULL,
     rows_until ${moment} NULL,
     PRIMARY KEY (id), KEY imports_account (account_id, id),
     KEY imports_headers (account_id, header_hash, id), KEY imports_state (state, id),
     KEY imports_file (file_until, id), KEY imports_rows (rows_until, id),
     KEY imports_created (created_at, id)) ${engine}`,
  `CREATE TABLE import_rows (
     import_id ${id} NOT NULL, number INT UNSIGNED NOT NULL, account_id ${id} NOT NULL,
     raw JSON NULL, plan VARCHAR(16) ${ascii} NOT NULL, reason VARCHAR(32) ${ascii} NULL,
     fields JSON NULL, state VARCHAR(16) ${ascii} NOT NULL DEFAULT 'pending',
     differs TINYINT NOT NULL DEFAULT 0, phone_key VARCHAR(15) ${ascii} NULL,
     email VARCHAR(254) COLLATE utf8mb4_0900_as_ci NULL, contact_id ${id} NULL,
     first_row INT UNSIGNED NULL, message_id ${id} NULL, before_values JSON NULL, after_version INT UNSIGNED NULL,
     PRIMARY KEY (import_id, number), KEY import_rows_plan (import_id, plan, number),
     KEY import_rows_differs (import_id, differs, number),
     KEY import_rows_contact (account_id, contact_id, import_id),
     KEY import_rows_phone (account_id, phone_key, import_id),
     KEY import_rows_email (account_id, email, import_id)) ${engine}`,
  `CREATE TABLE import_turns (
     account_id ${id} NOT NULL, import_id ${id} NOT NULL, taken_at ${now},
     PRIMARY KEY (account_id), KEY import_turns_import (import_id)) ${engine}`,
  `CREATE TABLE busy_processes (
     process_id VARCHAR(36) ${ascii} NOT NULL, busy_until ${moment} NOT NULL,
     PRIMARY KEY (process_id), KEY busy_processes_until (busy_until)) ${engine}`,
];

/** Imports with their rows and turns, and the processes of the API that are busy. */
export class Imports1772000740000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    const names = ["busy_processes", "import_turns", "import_rows", "imports"];
    for (const name of names) await runner.query(`DROP TABLE ${name}`);
  }
}
