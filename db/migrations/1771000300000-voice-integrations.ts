import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

/** Endpoints of several kinds, which can be disabled, and the appointment that a call was about. */
export class VoiceIntegrations1771000300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE inbound_endpoints ADD kind VARCHAR(16) ${ascii} NOT NULL DEFAULT 'inbound' AFTER account_id,
         ADD enabled TINYINT NOT NULL DEFAULT 1 AFTER strict,
         DROP KEY inbound_endpoints_account, ADD KEY inbound_endpoints_account (account_id, kind, id)`,
    );
    for (const table of ["inbound_events", "inbound_requests"]) {
      await runner.query(
        `ALTER TABLE ${table} ADD appointment_id BIGINT UNSIGNED NULL AFTER contact_id`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ["inbound_events", "inbound_requests"]) {
      await runner.query(`ALTER TABLE ${table} DROP COLUMN appointment_id`);
    }
    // Whoever goes back knows one kind alone: the others' URLs must not become inbound webhooks.
    await runner.query(
      "UPDATE inbound_endpoints SET deleted_at = COALESCE(deleted_at, UTC_TIMESTAMP(3)) WHERE kind <> 'inbound' OR NOT enabled",
    );
    await runner.query(
      `ALTER TABLE inbound_endpoints DROP KEY inbound_endpoints_account,
         ADD KEY inbound_endpoints_account (account_id, id), DROP COLUMN kind, DROP COLUMN enabled`,
    );
  }
}
