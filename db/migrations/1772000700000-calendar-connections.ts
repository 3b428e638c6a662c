import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const moment = "DATETIME(3)";
const now = `${moment} NOT NULL DEFAULT CURRENT_TIMESTAMP(3)`;

const connections = `CREATE TABLE calendar_connections (
  id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL, provider VARCHAR(16) ${ascii} NOT NULL,
  external_id VARCHAR(255) ${ascii} NOT NULL, email VARCHAR(320) NOT NULL,
  name VARCHAR(200) NOT NULL DEFAULT '', sealed VARCHAR(4096) ${ascii} NULL,
  key_id VARCHAR(32) ${ascii} NULL, bound_resource_id ${id} NULL,
  scopes VARCHAR(1024) ${ascii} NOT NULL DEFAULT '',
  state VARCHAR(16) ${ascii} NOT NULL DEFAULT 'connected',
  mode VARCHAR(8) ${ascii} NOT NULL DEFAULT 'polling', mode_reason VARCHAR(64) ${ascii} NULL,
  slug VARCHAR(26) ${ascii} NULL, last_synced_at ${moment} NULL,
  error_code VARCHAR(64) ${ascii} NULL, error_at ${moment} NULL, granted_at ${now},
  created_by_user_id ${id} NULL, created_at ${now}, updated_at ${now},
  version INT UNSIGNED NOT NULL DEFAULT '1',
  PRIMARY KEY (id), UNIQUE KEY calendar_connections_external (account_id, provider, external_id),
  UNIQUE KEY calendar_connections_slug (slug)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`;

/**
 * Credentials belong to a connection, and calendars refer to it. Each known calendar gets a
 * connection of its own, because nobody knows which of them share an account. It is written to as
 * before, and not read until an admin chooses so.
 */
export class CalendarConnections1772000700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(connections);
    await runner.query(
      `INSERT INTO calendar_connections (account_id, provider, external_id, email, sealed, key_id,
              bound_resource_id, state, granted_at, created_at, updated_at)
       SELECT account_id, provider, CONCAT('link-', id), calendar_id, sealed, key_id,
              resource_id, state, created_at, created_at, updated_at FROM calendar_links`,
    );
    await runner.query(
      `ALTER TABLE calendar_links ADD COLUMN connection_id ${id} NULL AFTER account_id,
         ADD COLUMN name VARCHAR(255) NOT NULL DEFAULT '' AFTER calendar_id,
         ADD COLUMN direction VARCHAR(16) ${ascii} NOT NULL DEFAULT 'two_way' AFTER name,
         ADD COLUMN other_events VARCHAR(8) ${ascii} NOT NULL DEFAULT 'busy' AFTER direction`,
    );
    await runner.query(
      `UPDATE calendar_links l JOIN calendar_connections c
           ON c.account_id = l.account_id AND c.external_id = CONCAT('link-', l.id)
          SET l.connection_id = c.id, l.direction = 'write_only'`,
    );
    await runner.query(
      `ALTER TABLE calendar_links MODIFY connection_id ${id} NOT NULL,
         DROP COLUMN sealed, DROP COLUMN key_id,
         ADD UNIQUE KEY calendar_links_calendar (connection_id, calendar_id)`,
    );
  }

  /** Credentials that are bound to a connection open for no link. An admin connects them again. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE calendar_links DROP INDEX calendar_links_calendar,
         ADD COLUMN sealed VARCHAR(2048) ${ascii} NOT NULL DEFAULT '' AFTER state,
         ADD COLUMN key_id VARCHAR(32) ${ascii} NOT NULL DEFAULT '' AFTER sealed`,
    );
    await runner.query(
      `DELETE l FROM calendar_links l JOIN calendar_connections c ON c.id = l.connection_id
        WHERE c.bound_resource_id IS NULL OR c.sealed IS NULL`,
    );
    await runner.query(
      `UPDATE calendar_links l JOIN calendar_connections c ON c.id = l.connection_id
          SET l.sealed = c.sealed, l.key_id = c.key_id`,
    );
    await runner.query(
      `ALTER TABLE calendar_links ALTER COLUMN sealed DROP DEFAULT, ALTER COLUMN key_id DROP DEFAULT,
         DROP COLUMN connection_id, DROP COLUMN name, DROP COLUMN direction,
         DROP COLUMN other_events`,
    );
    await runner.query("DROP TABLE calendar_connections");
  }
}
