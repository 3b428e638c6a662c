import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const now = "DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)";

const tables = [
  `CREATE TABLE channel_templates (id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL,
     waba_id VARCHAR(64) ${ascii} NOT NULL, name VARCHAR(512) ${ascii} NOT NULL,
     language VARCHAR(20) ${ascii} NOT NULL, provider_id VARCHAR(64) ${ascii} NULL,
     category VARCHAR(32) ${ascii} NOT NULL, status VARCHAR(32) ${ascii} NOT NULL,
     quality VARCHAR(16) ${ascii} NULL, format VARCHAR(16) ${ascii} NOT NULL,
     components JSON NOT NULL, words TEXT NOT NULL, rejected_reason VARCHAR(64) ${ascii} NULL,
     synced_at ${now}, gone_at DATETIME(3) NULL, created_at ${now}, updated_at ${now},
     PRIMARY KEY (id),
     UNIQUE KEY channel_templates_name (account_id, waba_id, name, language),
     KEY channel_templates_gone (gone_at, id))`,
  `CREATE TABLE channel_template_syncs (id ${id} NOT NULL AUTO_INCREMENT,
     account_id ${id} NOT NULL, waba_id VARCHAR(64) ${ascii} NOT NULL,
     run INT UNSIGNED NOT NULL DEFAULT 0, requested_at DATETIME(3) NULL,
     wanted_at DATETIME(3) NULL, asked_at DATETIME(3) NULL, due_at DATETIME(3) NULL,
     synced_at DATETIME(3) NULL, failed_at DATETIME(3) NULL, failure VARCHAR(64) ${ascii} NULL,
     created_at ${now}, PRIMARY KEY (id),
     UNIQUE KEY channel_template_syncs_waba (account_id, waba_id),
     KEY channel_template_syncs_due (due_at, id),
     KEY channel_template_syncs_requested (requested_at, id))`,
];

/** Templates of WhatsApp, and the reads of their lists. Known accounts are read at once. */
export class ChannelTemplates1772000540000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`${table} ${defaults}`);
    await runner.query(
      `INSERT INTO channel_template_syncs (account_id, waba_id, due_at)
       SELECT account_id, parent_id, MAX(created_at) FROM channel_accounts
        WHERE driver = 'whatsapp_cloud' AND parent_id IS NOT NULL GROUP BY account_id, parent_id`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE channel_template_syncs");
    await runner.query("DROP TABLE channel_templates");
  }
}
