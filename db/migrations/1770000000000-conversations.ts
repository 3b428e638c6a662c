import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

const tables = [
  `CREATE TABLE conversations (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    contact_id BIGINT UNSIGNED NOT NULL,
    channel_account_id BIGINT UNSIGNED NOT NULL,
    channel VARCHAR(16) ${ascii} NOT NULL,
    customer_external_id VARCHAR(128) ${ascii} NOT NULL DEFAULT '',
    status VARCHAR(16) ${ascii} NOT NULL,
    bot_enabled TINYINT NOT NULL,
    bot_epoch INT UNSIGNED NOT NULL DEFAULT '0',
    assigned_to_user_id BIGINT UNSIGNED NULL,
    handoff_reason VARCHAR(500) NULL,
    handoff_source VARCHAR(16) ${ascii} NULL,
    handoff_actor_user_id BIGINT UNSIGNED NULL,
    handoff_at DATETIME(3) NULL,
    last_human_reply_at DATETIME(3) NULL,
    last_customer_message_at DATETIME(3) NULL,
    last_message_at DATETIME(3) NULL,
    last_message_id BIGINT UNSIGNED NULL,
    sort_at DATETIME(3) NOT NULL,
    unread_count INT UNSIGNED NOT NULL DEFAULT '0',
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    KEY conversations_contact (contact_id, id),
    KEY conversations_assignee (account_id, assigned_to_user_id, sort_at, id),
    KEY conversations_channel (account_id, channel, sort_at, id),
    KEY conversations_status (account_id, status, sort_at, id, channel),
    KEY conversations_newest (account_id, sort_at, id)
  )`,
  `CREATE TABLE conversation_notes (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    conversation_id BIGINT UNSIGNED NOT NULL,
    kind VARCHAR(32) ${ascii} NOT NULL,
    text VARCHAR(4096) NULL,
    params JSON NULL,
    user_id BIGINT UNSIGNED NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY conversation_notes_conversation (conversation_id, id)
  )`,
  `CREATE TABLE messages (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    conversation_id BIGINT UNSIGNED NOT NULL,
    contact_id BIGINT UNSIGNED NOT NULL,
    channel_account_id BIGINT UNSIGNED NOT NULL,
    channel VARCHAR(16) ${ascii} NOT NULL,
    direction VARCHAR(8) ${ascii} NOT NULL,
    type VARCHAR(16) ${ascii} NOT NULL,
    content TEXT NULL,
    media JSON NULL,
    template JSON NULL,
    reply_to_message_id BIGINT UNSIGNED NULL,
    sender_type VARCHAR(16) ${ascii} NOT NULL,
    sender_user_id BIGINT UNSIGNED NULL,
    api_key_id BIGINT UNSIGNED NULL,
    bot_epoch INT UNSIGNED NULL,
    status VARCHAR(16) ${ascii} NOT NULL,
    error JSON NULL,
    external_id VARCHAR(128) ${ascii} NULL,
    provider_id VARCHAR(191) ${ascii} NULL,
    in_flight_since DATETIME(3) NULL,
    tries INT UNSIGNED NOT NULL DEFAULT '0',
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    sent_at DATETIME(3) NULL,
    delivered_at DATETIME(3) NULL,
    read_at DATETIME(3) NULL,
    PRIMARY KEY (id),
    UNIQUE KEY messages_external (conversation_id, external_id),
    UNIQUE KEY messages_provider (channel_account_id, provider_id),
    KEY messages_contact (contact_id, id),
    KEY messages_conversation (conversation_id, id)
  )`,
  `CREATE TABLE changes (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    seq BIGINT UNSIGNED NULL,
    kind VARCHAR(32) ${ascii} NOT NULL,
    conversation_id BIGINT UNSIGNED NULL,
    contact_id BIGINT UNSIGNED NULL,
    message_id BIGINT UNSIGNED NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY changes_account (account_id, seq),
    KEY changes_seq (seq, id)
  )`,
  `CREATE TABLE change_sequence (
    id TINYINT UNSIGNED NOT NULL,
    last_seq BIGINT UNSIGNED NOT NULL,
    purged_seq BIGINT UNSIGNED NOT NULL DEFAULT '0',
    PRIMARY KEY (id)
  )`,
];

const names = tables.map((table) => table.split(" ")[2]);

/** Conversations with their messages and notes, what live views follow, and the sandbox channels. */
export class Conversations1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`${table} ENGINE=InnoDB ${defaults}`);
    await runner.query("INSERT INTO change_sequence (id, last_seq) VALUES (1, 0)");
    await runner.query(
      `ALTER TABLE channel_accounts ADD driver VARCHAR(16) ${ascii} NOT NULL DEFAULT 'sandbox'`,
    );
    for (const channel of ["whatsapp", "instagram", "facebook", "web"]) {
      await runner.query(
        `INSERT INTO channel_accounts (account_id, channel, external_id, name)
         SELECT a.id, '${channel}', 'sandbox', 'Sandbox' FROM accounts a
          WHERE NOT EXISTS (SELECT 1 FROM (SELECT * FROM channel_accounts) c
                             WHERE c.account_id = a.id AND c.channel = '${channel}')`,
      );
    }
    await runner.query(
      `ALTER TABLE notifications ADD conversation_id BIGINT UNSIGNED NULL,
         ADD user_id BIGINT UNSIGNED NULL, ADD admins_only TINYINT NOT NULL DEFAULT 0`,
    );
    await runner.query("ALTER TABLE memberships ADD last_assigned_at DATETIME(3) NULL");
    // A relay takes rows lane by lane: what people wait for first, then a share of each receiver's.
    await runner.query(
      "ALTER TABLE outbox DROP KEY outbox_due, ADD KEY outbox_lane (lane, available_at, id)",
    );
    // Lists count and search by reading an index alone. Both grow at their end, which is cheap.
    await runner.query(
      `ALTER TABLE contacts DROP KEY contacts_newest,
         ADD KEY contacts_newest (account_id, merged_into_id, created_at, id),
         ADD KEY contacts_search (account_id, created_at, id, name, email, phone, merged_into_id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE outbox DROP KEY outbox_lane, ADD KEY outbox_due (available_at, id)",
    );
    await runner.query(
      `ALTER TABLE contacts DROP KEY contacts_newest, DROP KEY contacts_search,
         ADD KEY contacts_newest (account_id, created_at, id)`,
    );
    await runner.query(
      "ALTER TABLE notifications DROP COLUMN conversation_id, DROP COLUMN user_id, DROP COLUMN admins_only",
    );
    await runner.query("ALTER TABLE memberships DROP COLUMN last_assigned_at");
    await runner.query("ALTER TABLE channel_accounts DROP COLUMN driver");
    for (const name of names.toReversed()) await runner.query(`DROP TABLE ${name}`);
  }
}
