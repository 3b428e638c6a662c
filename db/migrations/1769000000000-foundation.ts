import type { MigrationInterface, QueryRunner } from "typeorm";

// Words for programs are ASCII and compared byte by byte; all else follows the table's default.
const defaults = "DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci";

const tables = [
  `CREATE TABLE accounts (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    name VARCHAR(200) NOT NULL,
    time_zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'UTC',
    locale VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'en',
    settings JSON NOT NULL,
    disabled_at DATETIME(3) NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id)
  )`,
  `CREATE TABLE api_keys (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    name VARCHAR(200) NOT NULL,
    scopes JSON NOT NULL,
    key_hash BINARY(32) NOT NULL,
    prefix VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    last_four VARCHAR(4) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    expires_at DATETIME(3) NULL,
    revoked_at DATETIME(3) NULL,
    last_used_at DATETIME(3) NULL,
    replaces_id BIGINT UNSIGNED NULL,
    created_by_user_id BIGINT UNSIGNED NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY api_keys_hash (key_hash),
    KEY api_keys_account (account_id, id)
  )`,
  `CREATE TABLE audit_log (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    actor_type VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    actor_id BIGINT UNSIGNED NULL,
    action VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    target_type VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    target_id BIGINT UNSIGNED NULL,
    details JSON NULL,
    ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
    request_id VARCHAR(128) NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY audit_log_account (account_id, id)
  )`,
  `CREATE TABLE channel_accounts (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    channel VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    external_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name VARCHAR(200) NOT NULL,
    bot_default TINYINT NOT NULL DEFAULT 1,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    UNIQUE KEY channel_accounts_external (account_id, channel, external_id)
  )`,
  `CREATE TABLE contacts (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    name VARCHAR(200) NULL,
    phone VARCHAR(15) CHARACTER SET ascii COLLATE ascii_bin NULL,
    phone_key VARCHAR(15) CHARACTER SET ascii COLLATE ascii_bin NULL,
    email VARCHAR(254) COLLATE utf8mb4_0900_as_ci NULL,
    merged_into_id BIGINT UNSIGNED NULL,
    source VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_by_user_id BIGINT UNSIGNED NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    UNIQUE KEY contacts_email (account_id, email),
    UNIQUE KEY contacts_phone (account_id, phone_key),
    KEY contacts_newest (account_id, created_at, id)
  )`,
  `CREATE TABLE contact_identities (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    contact_id BIGINT UNSIGNED NOT NULL,
    channel_account_id BIGINT UNSIGNED NOT NULL,
    channel VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    external_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY contact_identities_external (account_id, channel_account_id, external_id),
    KEY contact_identities_contact (contact_id, id)
  )`,
  `CREATE TABLE contact_tags (
    contact_id BIGINT UNSIGNED NOT NULL,
    tag VARCHAR(50) COLLATE utf8mb4_0900_as_ci NOT NULL,
    account_id BIGINT UNSIGNED NOT NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (contact_id, tag),
    KEY contact_tags_account (account_id, tag)
  )`,
  `CREATE TABLE deliveries (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    event_id BINARY(16) NOT NULL,
    subscription_id BIGINT UNSIGNED NOT NULL,
    event_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    run INT UNSIGNED NOT NULL DEFAULT '1',
    state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    reason VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
    via VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'workflow',
    workflow_id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NULL,
    attempts_made INT UNSIGNED NOT NULL DEFAULT '0',
    next_attempt_at DATETIME(3) NULL,
    discard_at DATETIME(3) NULL,
    last_status_code INT UNSIGNED NULL,
    last_error_class VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
    actor JSON NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    finished_at DATETIME(3) NULL,
    PRIMARY KEY (id),
    UNIQUE KEY deliveries_event_subscription (event_id, subscription_id),
    KEY deliveries_account (account_id, id),
    KEY deliveries_state (account_id, state, id),
    KEY deliveries_subscription (account_id, subscription_id, id)
  )`,
  `CREATE TABLE delivery_attempts (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    delivery_id BIGINT UNSIGNED NOT NULL,
    run INT UNSIGNED NOT NULL,
    seq INT UNSIGNED NOT NULL,
    \`number\` INT UNSIGNED NOT NULL,
    manual TINYINT NOT NULL DEFAULT 0,
    posts INT UNSIGNED NOT NULL DEFAULT '1',
    started_at DATETIME(3) NOT NULL,
    duration_ms INT UNSIGNED NULL,
    status_code INT UNSIGNED NULL,
    error_class VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
    request_url VARCHAR(2048) NOT NULL,
    request_headers JSON NULL,
    response_headers JSON NULL,
    response_excerpt VARCHAR(2048) NULL,
    ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
    PRIMARY KEY (id),
    UNIQUE KEY delivery_attempts_seq (delivery_id, run, seq)
  )`,
  `CREATE TABLE events (
    id BINARY(16) NOT NULL,
    account_id BIGINT UNSIGNED NOT NULL,
    type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    contact_id BIGINT UNSIGNED NULL,
    conversation_id BIGINT UNSIGNED NULL,
    appointment_id BIGINT UNSIGNED NULL,
    body MEDIUMBLOB NULL,
    erased_at DATETIME(3) NULL,
    occurred_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    KEY events_account (account_id, id),
    KEY events_contact (contact_id)
  )`,
  `CREATE TABLE idempotency_keys (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    api_key_id BIGINT UNSIGNED NOT NULL,
    method VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    path VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    \`value\` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    body_hash BINARY(32) NOT NULL,
    status INT UNSIGNED NULL,
    answer MEDIUMBLOB NULL,
    lease_until DATETIME(3) NOT NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY idempotency_keys_call (account_id, api_key_id, method, path, value),
    KEY idempotency_keys_created (created_at)
  )`,
  `CREATE TABLE installation (
    id TINYINT UNSIGNED NOT NULL,
    secret_check VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id)
  )`,
  `CREATE TABLE notifications (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    kind VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    params JSON NOT NULL,
    dedupe_key VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    group_key VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    delivery_id BIGINT UNSIGNED NULL,
    subscription_id BIGINT UNSIGNED NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY notifications_dedupe (account_id, dedupe_key),
    KEY notifications_account (account_id, id)
  )`,
  `CREATE TABLE notification_reads (
    user_id BIGINT UNSIGNED NOT NULL,
    notification_id BIGINT UNSIGNED NOT NULL,
    read_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (user_id, notification_id)
  )`,
  `CREATE TABLE outbox (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    delivery_id BIGINT UNSIGNED NULL,
    command JSON NULL,
    lane VARCHAR(300) COLLATE utf8mb4_bin NOT NULL,
    available_at DATETIME(3) NOT NULL,
    lease_until DATETIME(3) NULL,
    attempts INT UNSIGNED NOT NULL DEFAULT '0',
    last_error VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
    parked_at DATETIME(3) NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY outbox_due (available_at, id)
  )`,
  `CREATE TABLE subscriptions (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    name VARCHAR(200) NOT NULL,
    url VARCHAR(2048) NOT NULL,
    events JSON NOT NULL,
    channels JSON NULL,
    state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    disabled_reason VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
    created_by_user_id BIGINT UNSIGNED NULL,
    deleted_at DATETIME(3) NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    KEY subscriptions_account (account_id, state)
  )`,
  `CREATE TABLE subscription_secrets (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    subscription_id BIGINT UNSIGNED NOT NULL,
    sealed VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    key_id VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    valid_until DATETIME(3) NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY subscription_secrets_subscription (subscription_id, id)
  )`,
  `CREATE TABLE users (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    email VARCHAR(254) COLLATE utf8mb4_0900_as_ci NOT NULL,
    name VARCHAR(200) NOT NULL,
    password_hash VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    locale VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NULL,
    disabled_at DATETIME(3) NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    UNIQUE KEY users_email (email)
  )`,
  `CREATE TABLE memberships (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    role VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY memberships_account_user (account_id, user_id),
    KEY memberships_user (user_id, id)
  )`,
  `CREATE TABLE sessions (
    token_hash BINARY(32) NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    account_id BIGINT UNSIGNED NOT NULL,
    user_agent VARCHAR(200) NULL,
    ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    last_seen_at DATETIME(3) NOT NULL,
    expires_at DATETIME(3) NOT NULL,
    PRIMARY KEY (token_hash),
    KEY sessions_expires (expires_at),
    KEY sessions_user (user_id)
  )`,
  `CREATE TABLE worker_heartbeats (
    id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    version VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    temporal_reachable TINYINT NOT NULL,
    started_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    seen_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id)
  )`,
];

const names = tables.map((table) => table.split(" ")[2]);

/** Accounts and people, contacts, subscriptions, events and their deliveries, the outbox. */
export class Foundation1769000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`${table} ENGINE=InnoDB ${defaults}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of names.toReversed()) await runner.query(`DROP TABLE ${name}`);
  }
}
