import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const moment = "DATETIME(3)";
const now = `${moment} NOT NULL DEFAULT CURRENT_TIMESTAMP(3)`;

/** Files of messages, pieces as they arrived, referrals of conversations, and more ids. */
export class MessageContents1772000510000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE message_media (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
         message_id ${id} NOT NULL, conversation_id ${id} NOT NULL, contact_id ${id} NOT NULL,
         channel_account_id ${id} NOT NULL, position INT UNSIGNED NOT NULL,
         kind VARCHAR(16) ${ascii} NOT NULL, state VARCHAR(8) ${ascii} NOT NULL,
         reason VARCHAR(32) ${ascii} NULL, voice TINYINT NOT NULL DEFAULT 0,
         filename VARCHAR(255) NULL, declared_mime VARCHAR(128) ${ascii} NULL,
         declared_sha256 VARCHAR(128) ${ascii} NULL, mime VARCHAR(128) ${ascii} NULL,
         size ${id} NULL, sha256 BINARY(32) NULL, provider_media_id VARCHAR(191) ${ascii} NULL,
         source_url TEXT NULL, storage_key VARCHAR(191) ${ascii} NULL,
         thumbnail_key VARCHAR(191) ${ascii} NULL, tries INT UNSIGNED NOT NULL DEFAULT 0,
         expires_at ${moment} NULL, created_at ${now}, updated_at ${now},
         PRIMARY KEY (id), UNIQUE KEY message_media_message (message_id, position),
         KEY message_media_conversation (conversation_id, id),
         KEY message_media_contact (contact_id, id), KEY message_media_state (state, id),
         KEY message_media_age (created_at, id)) ${defaults}`,
    );
    await runner.query(
      `ALTER TABLE messages ADD COLUMN raw JSON NULL,
         ADD COLUMN attachment_count INT UNSIGNED NOT NULL DEFAULT 0`,
    );
    await runner.query(
      `ALTER TABLE conversations ADD COLUMN referral JSON NULL,
         ADD COLUMN referral_at ${moment} NULL`,
    );
    await runner.query(
      `ALTER TABLE contact_identities ADD COLUMN username VARCHAR(128) NULL,
         ADD COLUMN same_as_contact_id ${id} NULL,
         ADD KEY contact_identities_same (account_id, same_as_contact_id)`,
    );
    await runner.query(
      `ALTER TABLE channel_accounts ADD COLUMN portfolio_id VARCHAR(64) ${ascii} NULL`,
    );
    await runner.query(
      `ALTER TABLE message_reactions MODIFY COLUMN emoji VARCHAR(64) NULL,
         ADD COLUMN acted_at ${now}`,
    );
    await runner.query("UPDATE message_reactions SET acted_at = created_at");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DELETE FROM message_reactions WHERE emoji IS NULL");
    await runner.query(
      `ALTER TABLE message_reactions DROP COLUMN acted_at,
         MODIFY COLUMN emoji VARCHAR(64) NOT NULL`,
    );
    await runner.query("ALTER TABLE channel_accounts DROP COLUMN portfolio_id");
    await runner.query(
      `ALTER TABLE contact_identities DROP KEY contact_identities_same,
         DROP COLUMN username, DROP COLUMN same_as_contact_id`,
    );
    await runner.query("ALTER TABLE conversations DROP COLUMN referral, DROP COLUMN referral_at");
    await runner.query("ALTER TABLE messages DROP COLUMN raw, DROP COLUMN attachment_count");
    await runner.query("DROP TABLE message_media");
  }
}
