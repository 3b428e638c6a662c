import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const moment = "DATETIME(3)";
const now = `${moment} NOT NULL DEFAULT CURRENT_TIMESTAMP(3)`;
const engine = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";

const tables = [
  `CREATE TABLE calendly_accounts (
     connection_id ${id} NOT NULL, account_id ${id} NOT NULL,
     user_uri VARCHAR(255) ${ascii} NOT NULL, organization_uri VARCHAR(255) ${ascii} NOT NULL,
     scope VARCHAR(16) ${ascii} NOT NULL, subscription_id VARCHAR(64) ${ascii} NULL,
     next_read_at ${moment} NULL,
     PRIMARY KEY (connection_id), KEY calendly_accounts_due (next_read_at, connection_id)) ${engine}`,
  `CREATE TABLE calendly_users (
     id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL, connection_id ${id} NOT NULL,
     external_id VARCHAR(64) ${ascii} NOT NULL, uri VARCHAR(255) ${ascii} NOT NULL,
     name VARCHAR(254) NOT NULL, email VARCHAR(254) NULL, resource_id ${id} NULL,
     PRIMARY KEY (id),
     UNIQUE KEY calendly_users_external (connection_id, external_id)) ${engine}`,
  `CREATE TABLE calendly_event_types (
     id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL, connection_id ${id} NOT NULL,
     external_id VARCHAR(64) ${ascii} NOT NULL, uri VARCHAR(255) ${ascii} NOT NULL,
     name VARCHAR(254) NOT NULL, service_id ${id} NULL,
     PRIMARY KEY (id),
     UNIQUE KEY calendly_event_types_external (connection_id, external_id)) ${engine}`,
  `CREATE TABLE calendly_requests (
     id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL, connection_id ${id} NOT NULL,
     hash BINARY(32) NOT NULL, body MEDIUMBLOB NULL, state VARCHAR(16) ${ascii} NOT NULL,
     received_at ${now},
     PRIMARY KEY (id), UNIQUE KEY calendly_requests_hash (connection_id, hash),
     KEY calendly_requests_state (state, id), KEY calendly_requests_age (received_at, id)) ${engine}`,
  `CREATE TABLE calendly_invitees (
     id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL, connection_id ${id} NOT NULL,
     external_id VARCHAR(64) ${ascii} NOT NULL, event_id VARCHAR(64) ${ascii} NOT NULL,
     state VARCHAR(16) ${ascii} NOT NULL, appointment_id ${id} NULL,
     next_id VARCHAR(64) ${ascii} NULL, next_event_id VARCHAR(64) ${ascii} NULL,
     held_until ${moment} NULL, is_group TINYINT NOT NULL DEFAULT 0,
     no_show_id VARCHAR(64) ${ascii} NULL, cancel_url VARCHAR(500) NULL,
     reschedule_url VARCHAR(500) NULL, booking JSON NULL, start_time ${moment} NOT NULL,
     host_id VARCHAR(64) ${ascii} NULL, changed_at ${moment} NOT NULL, tell_at ${moment} NULL,
     created_at ${now}, updated_at ${now},
     PRIMARY KEY (id), UNIQUE KEY calendly_invitees_external (connection_id, external_id),
     KEY calendly_invitees_event (connection_id, event_id),
     KEY calendly_invitees_appointment (appointment_id, state),
     KEY calendly_invitees_state (state, held_until, id),
     KEY calendly_invitees_told (tell_at, id)) ${engine}`,
];

/** Calendly's accounts, hosts, event types, webhooks and invitees. */
export class Calendly1772000720000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    const names = ["invitees", "requests", "event_types", "users", "accounts"];
    for (const name of names) await runner.query(`DROP TABLE calendly_${name}`);
  }
}
