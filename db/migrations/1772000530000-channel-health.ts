import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";

/** Checks of channels: health, scopes and end of tokens, fields that have arrived, bad signatures. */
export class ChannelHealth1772000530000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE channel_accounts ADD COLUMN state_at DATETIME(3) NULL, ADD COLUMN health JSON NULL,
         ADD COLUMN checked_at DATETIME(3) NULL, ADD COLUMN check_at DATETIME(3) NULL,
         ADD COLUMN doubted_at DATETIME(3) NULL, ADD KEY channel_accounts_check (check_at, id)`,
    );
    await runner.query(
      `ALTER TABLE channel_account_tokens ADD COLUMN scopes JSON NULL,
         ADD COLUMN expires_at DATETIME(3) NULL`,
    );
    await runner.query(
      `ALTER TABLE channel_apps ADD COLUMN bad_signatures INT UNSIGNED NOT NULL DEFAULT 0,
         ADD COLUMN bad_signature_at DATETIME(3) NULL`,
    );
    await runner.query(
      `CREATE TABLE channel_app_fields (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
         channel_app_id ${id} NOT NULL, external_id VARCHAR(128) ${ascii} NOT NULL,
         field VARCHAR(64) ${ascii} NOT NULL, seen_at DATETIME(3) NOT NULL, PRIMARY KEY (id),
         UNIQUE KEY channel_app_fields_field (channel_app_id, external_id, field))
       ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci`,
    );
    // Channels of earlier versions were connected without a check.
    await runner.query(
      "UPDATE channel_accounts SET check_at = UTC_TIMESTAMP(3) WHERE channel_app_id IS NOT NULL",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE channel_app_fields");
    await runner.query(
      "ALTER TABLE channel_apps DROP COLUMN bad_signatures, DROP COLUMN bad_signature_at",
    );
    await runner.query(
      "ALTER TABLE channel_account_tokens DROP COLUMN scopes, DROP COLUMN expires_at",
    );
    await runner.query(
      `ALTER TABLE channel_accounts DROP KEY channel_accounts_check, DROP COLUMN state_at, DROP COLUMN health,
         DROP COLUMN checked_at, DROP COLUMN check_at, DROP COLUMN doubted_at`,
    );
  }
}
