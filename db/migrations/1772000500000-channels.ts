import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const now = "DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)";

const tables = [
  `CREATE TABLE channel_apps (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     app_id VARCHAR(32) ${ascii} NOT NULL, slug VARCHAR(26) ${ascii} NOT NULL,
     created_at ${now}, updated_at ${now},
     PRIMARY KEY (id), UNIQUE KEY channel_apps_slug (slug),
     UNIQUE KEY channel_apps_app (account_id, app_id))`,
  `CREATE TABLE channel_app_secrets (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     channel_app_id ${id} NOT NULL, kind VARCHAR(16) ${ascii} NOT NULL,
     sealed VARCHAR(512) ${ascii} NOT NULL, key_id VARCHAR(32) ${ascii} NOT NULL,
     valid_until DATETIME(3) NULL, created_at ${now},
     PRIMARY KEY (id), KEY channel_app_secrets_app (channel_app_id, id),
     KEY channel_app_secrets_valid (valid_until, id))`,
  `CREATE TABLE channel_account_tokens (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     channel_account_id ${id} NOT NULL, sealed VARCHAR(2048) ${ascii} NOT NULL,
     key_id VARCHAR(32) ${ascii} NOT NULL, created_at ${now},
     PRIMARY KEY (id), UNIQUE KEY channel_account_tokens_channel (channel_account_id))`,
  `CREATE TABLE channel_webhooks (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     channel_app_id ${id} NOT NULL, body MEDIUMBLOB NULL,
     state VARCHAR(8) ${ascii} NOT NULL DEFAULT 'pending', attempts INT UNSIGNED NOT NULL DEFAULT 0,
     reason VARCHAR(64) ${ascii} NULL, received_at ${now}, purge_at DATETIME(3) NULL,
     PRIMARY KEY (id), KEY channel_webhooks_app (state, channel_app_id, id),
     KEY channel_webhooks_purge (purge_at, id))`,
  `CREATE TABLE channel_items (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     channel_app_id ${id} NOT NULL, webhook_id ${id} NOT NULL, channel_account_id ${id} NULL,
     network VARCHAR(16) ${ascii} NOT NULL, external_id VARCHAR(128) ${ascii} NOT NULL,
     customer VARCHAR(191) ${ascii} NOT NULL DEFAULT '', kind VARCHAR(16) ${ascii} NOT NULL,
     key_hash BINARY(32) NOT NULL, payload JSON NULL,
     state VARCHAR(8) ${ascii} NOT NULL, attempts INT UNSIGNED NOT NULL DEFAULT 0,
     reason VARCHAR(64) ${ascii} NULL, due_at ${now}, contact_id ${id} NULL,
     created_at ${now}, purge_at DATETIME(3) NULL,
     PRIMARY KEY (id),
     UNIQUE KEY channel_items_key (channel_app_id, external_id, kind, key_hash),
     KEY channel_items_due (state, due_at, id),
     KEY channel_items_lane (channel_account_id, customer, state, id),
     KEY channel_items_account (account_id, state, id),
     KEY channel_items_contact (contact_id, id), KEY channel_items_purge (purge_at, id))`,
  `CREATE TABLE message_provider_ids (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     channel_account_id ${id} NOT NULL, provider_id VARCHAR(512) ${ascii} NOT NULL,
     message_id ${id} NOT NULL, conversation_id ${id} NOT NULL, PRIMARY KEY (id),
     UNIQUE KEY message_provider_ids_provider (channel_account_id, provider_id),
     KEY message_provider_ids_message (message_id),
     KEY message_provider_ids_conversation (conversation_id, id))`,
  `CREATE TABLE message_reactions (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     message_id ${id} NOT NULL, conversation_id ${id} NOT NULL, emoji VARCHAR(64) NOT NULL,
     created_at ${now}, PRIMARY KEY (id), UNIQUE KEY message_reactions_message (message_id),
     KEY message_reactions_conversation (conversation_id, id))`,
];

const names = [
  "channel_apps",
  "channel_app_secrets",
  "channel_account_tokens",
  "channel_webhooks",
  "channel_items",
  "message_provider_ids",
  "message_reactions",
];

/** Meta's channels: apps, stored webhooks and their items, and what customers do to messages. */
export class Channels1772000500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`${table} ${defaults}`);
    await runner.query(
      `ALTER TABLE channel_accounts ADD COLUMN channel_app_id ${id} NULL,
         ADD COLUMN parent_id VARCHAR(64) ${ascii} NULL,
         ADD COLUMN state VARCHAR(16) ${ascii} NOT NULL DEFAULT 'connected',
         ADD COLUMN state_reason VARCHAR(64) ${ascii} NULL`,
    );
    await runner.query(
      `ALTER TABLE contact_identities
         ADD COLUMN kind VARCHAR(16) ${ascii} NOT NULL DEFAULT 'page_scoped'`,
    );
    await runner.query(
      "UPDATE contact_identities SET kind = 'phone' WHERE channel = 'whatsapp' AND kind <> 'phone'",
    );
    await runner.query(
      `ALTER TABLE messages ADD COLUMN provider_at DATETIME(3) NULL,
         ADD COLUMN edited_at DATETIME(3) NULL, ADD COLUMN deleted_at DATETIME(3) NULL,
         ADD COLUMN interactive JSON NULL, ADD COLUMN referral JSON NULL`,
    );
    await runner.query(
      "ALTER TABLE conversations ADD COLUMN other_app_answers TINYINT NOT NULL DEFAULT 0",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE conversations DROP COLUMN other_app_answers");
    await runner.query(
      `ALTER TABLE messages DROP COLUMN provider_at, DROP COLUMN edited_at, DROP COLUMN deleted_at,
         DROP COLUMN interactive, DROP COLUMN referral`,
    );
    await runner.query("ALTER TABLE contact_identities DROP COLUMN kind");
    await runner.query(
      `ALTER TABLE channel_accounts DROP COLUMN channel_app_id, DROP COLUMN parent_id,
         DROP COLUMN state, DROP COLUMN state_reason`,
    );
    for (const name of names.toReversed()) await runner.query(`DROP TABLE ${name}`);
  }
}
