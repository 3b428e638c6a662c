import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const now = "DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)";

const tables = [
  `CREATE TABLE widgets (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     channel_account_id ${id} NOT NULL, public_key VARCHAR(26) ${ascii} NOT NULL,
     allowed_origins JSON NOT NULL, settings JSON NOT NULL,
     identity_mode VARCHAR(16) ${ascii} NOT NULL DEFAULT 'off',
     identity_public_key VARCHAR(2000) NULL, seen_at DATETIME(3) NULL, seen_on VARCHAR(255) NULL,
     deleted_at DATETIME(3) NULL, created_at ${now}, updated_at ${now},
     version INT UNSIGNED NOT NULL DEFAULT 1,
     PRIMARY KEY (id), UNIQUE KEY widgets_key (public_key),
     UNIQUE KEY widgets_channel (channel_account_id), KEY widgets_account (account_id, id))`,
  `CREATE TABLE widget_secrets (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     widget_id ${id} NOT NULL, sealed VARCHAR(512) ${ascii} NOT NULL,
     key_id VARCHAR(32) ${ascii} NOT NULL, valid_until DATETIME(3) NULL, created_at ${now},
     PRIMARY KEY (id), KEY widget_secrets_widget (widget_id, id),
     KEY widget_secrets_valid (valid_until, id))`,
  `CREATE TABLE widget_sessions (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     widget_id ${id} NOT NULL, channel_account_id ${id} NOT NULL,
     visitor_id VARCHAR(128) ${ascii} NOT NULL, contact_id ${id} NULL, conversation_id ${id} NULL,
     token_hash BINARY(32) NOT NULL, expires_at DATETIME(3) NOT NULL,
     resume_hash BINARY(32) NULL, previous_resume_hash BINARY(32) NULL,
     previous_until DATETIME(3) NULL, resume_expires_at DATETIME(3) NULL,
     verified_sub VARCHAR(120) ${ascii} NULL, made_contact TINYINT(1) NOT NULL DEFAULT 0,
     locale VARCHAR(8) ${ascii} NOT NULL, page JSON NULL, said JSON NULL,
     read_message_id ${id} NULL, last_seen_at DATETIME(3) NOT NULL, ended_at DATETIME(3) NULL,
     created_at ${now},
     PRIMARY KEY (id), UNIQUE KEY widget_sessions_token (token_hash),
     KEY widget_sessions_resume (resume_hash),
     KEY widget_sessions_previous (previous_resume_hash),
     KEY widget_sessions_conversation (conversation_id, id),
     KEY widget_sessions_contact (contact_id, id),
     KEY widget_sessions_visitor (widget_id, visitor_id, id),
     KEY widget_sessions_seen (last_seen_at, id))`,
  `CREATE TABLE widget_uploads (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     session_id ${id} NOT NULL, filename VARCHAR(255) NULL, mime VARCHAR(128) ${ascii} NOT NULL,
     size ${id} NOT NULL, sha256 BINARY(32) NOT NULL, storage_key VARCHAR(191) ${ascii} NULL,
     created_at ${now},
     PRIMARY KEY (id), KEY widget_uploads_age (created_at, id),
     KEY widget_uploads_session (session_id, id))`,
];

const names = ["widgets", "widget_secrets", "widget_sessions", "widget_uploads"];

/** Web chat: widgets, the secrets of their identities, sessions of visitors and their files. */
export class Widgets1772000610000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`${table} ${defaults}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of names.toReversed()) await runner.query(`DROP TABLE ${name}`);
  }
}
