import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

const tables = [
  `CREATE TABLE inbound_endpoints (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    name VARCHAR(200) NOT NULL,
    slug VARCHAR(26) ${ascii} NOT NULL,
    strict TINYINT NOT NULL DEFAULT 0,
    created_by_user_id BIGINT UNSIGNED NULL,
    deleted_at DATETIME(3) NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    UNIQUE KEY inbound_endpoints_slug (slug),
    KEY inbound_endpoints_account (account_id, id)
  )`,
  `CREATE TABLE inbound_endpoint_secrets (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    endpoint_id BIGINT UNSIGNED NOT NULL,
    sealed VARCHAR(255) ${ascii} NOT NULL,
    key_id VARCHAR(32) ${ascii} NOT NULL,
    valid_until DATETIME(3) NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY inbound_endpoint_secrets_endpoint (endpoint_id, id)
  )`,
  `CREATE TABLE inbound_events (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    endpoint_id BIGINT UNSIGNED NOT NULL,
    event_id VARCHAR(255) ${ascii} NOT NULL,
    body_hash BINARY(32) NOT NULL,
    result VARCHAR(16) ${ascii} NULL,
    contact_id BIGINT UNSIGNED NULL,
    lease_until DATETIME(3) NOT NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY inbound_events_id (endpoint_id, event_id),
    KEY inbound_events_contact (account_id, contact_id),
    KEY inbound_events_created (created_at)
  )`,
  `CREATE TABLE inbound_requests (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    endpoint_id BIGINT UNSIGNED NOT NULL,
    received_at DATETIME(3) NOT NULL,
    event VARCHAR(64) ${ascii} NULL,
    event_id VARCHAR(255) ${ascii} NULL,
    status_code INT UNSIGNED NOT NULL,
    error_code VARCHAR(64) ${ascii} NULL,
    result VARCHAR(16) ${ascii} NULL,
    replayed TINYINT NOT NULL DEFAULT 0,
    contact_id BIGINT UNSIGNED NULL,
    ip VARCHAR(45) ${ascii} NULL,
    duration_ms INT UNSIGNED NOT NULL,
    body_bytes INT UNSIGNED NULL,
    body MEDIUMBLOB NULL,
    PRIMARY KEY (id),
    KEY inbound_requests_contact (account_id, contact_id),
    KEY inbound_requests_endpoint (account_id, endpoint_id, id),
    KEY inbound_requests_received (received_at)
  )`,
];

const names = tables.map((table) => table.split(" ")[2]);

/** Inbound endpoints with their secrets, the event ids they have seen, and the log of their calls. */
export class InboundEndpoints1770000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`${table} ENGINE=InnoDB ${defaults}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of names.toReversed()) await runner.query(`DROP TABLE ${name}`);
  }
}
