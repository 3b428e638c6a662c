import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const moment = "DATETIME(3)";
const now = `${moment} NOT NULL DEFAULT CURRENT_TIMESTAMP(3)`;
const defaults = "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci";

const tables = [
  `CREATE TABLE busy_blocks (
    id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL, resource_id ${id} NOT NULL,
    connection_id ${id} NOT NULL, link_id ${id} NULL, event_id VARCHAR(255) ${ascii} NOT NULL,
    start_time ${moment} NOT NULL, end_time ${moment} NOT NULL,
    generation INT UNSIGNED NOT NULL DEFAULT '0', created_at ${now}, updated_at ${now},
    PRIMARY KEY (id),
    UNIQUE KEY busy_blocks_event (resource_id, connection_id, event_id),
    KEY busy_blocks_time (account_id, resource_id, end_time, start_time),
    KEY busy_blocks_link (link_id, end_time),
    KEY busy_blocks_ended (end_time)
  )`,
  `CREATE TABLE calendar_channels (
    id VARCHAR(64) ${ascii} NOT NULL, account_id ${id} NOT NULL, connection_id ${id} NOT NULL,
    link_id ${id} NOT NULL, token_hash BINARY(32) NOT NULL, resource_id VARCHAR(255) ${ascii} NULL,
    expires_at ${moment} NULL, created_at ${now},
    PRIMARY KEY (id), KEY calendar_channels_link (link_id, created_at)
  )`,
  `CREATE TABLE calendar_changes (
    id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL, link_id ${id} NOT NULL,
    event_id VARCHAR(255) ${ascii} NOT NULL, series_id VARCHAR(255) ${ascii} NOT NULL,
    kind VARCHAR(8) ${ascii} NOT NULL, body JSON NULL, created_at ${now},
    PRIMARY KEY (id), UNIQUE KEY calendar_changes_event (link_id, event_id),
    KEY calendar_changes_series (link_id, series_id),
    KEY calendar_changes_created (created_at)
  )`,
];

const linkColumns = [
  `phase VARCHAR(8) ${ascii} NOT NULL DEFAULT 'full' AFTER state`,
  `sync_token VARCHAR(1024) ${ascii} NULL AFTER phase`,
  `page_token VARCHAR(1024) ${ascii} NULL AFTER sync_token`,
  "generation INT UNSIGNED NOT NULL DEFAULT '0' AFTER page_token",
  "read_step INT UNSIGNED NOT NULL DEFAULT '0' AFTER generation",
  `horizon ${moment} NULL AFTER read_step`,
  `next_horizon ${moment} NULL AFTER horizon`,
  "dirty TINYINT NOT NULL DEFAULT '0' AFTER next_horizon",
  `read_due_at ${moment} NULL AFTER dirty`,
  `last_synced_at ${moment} NULL AFTER read_due_at`,
  `last_push_at ${moment} NULL AFTER last_synced_at`,
  `channel_expires_at ${moment} NULL AFTER last_push_at`,
  `poll_reason VARCHAR(64) ${ascii} NULL AFTER channel_expires_at`,
];

const eventColumns = [
  `origin VARCHAR(8) ${ascii} NOT NULL DEFAULT 'parley' AFTER link_id`,
  `ical_uid VARCHAR(255) NULL AFTER event_id`,
  `series_id VARCHAR(255) ${ascii} NULL AFTER ical_uid`,
  `seen_start ${moment} NULL AFTER writes`,
  `seen_end ${moment} NULL AFTER seen_start`,
  `sent_start ${moment} NULL AFTER seen_end`,
  `sent_end ${moment} NULL AFTER sent_start`,
  `wrote_at ${moment} NULL AFTER sent_end`,
  "has_guests TINYINT NOT NULL DEFAULT '0' AFTER wrote_at",
  `gone_at ${moment} NULL AFTER has_guests`,
  "generation INT UNSIGNED NOT NULL DEFAULT '0' AFTER gone_at",
];

const nameOf = (column: string): string => column.split(" ")[0] ?? "";
const add = (columns: string[]): string => columns.map((one) => `ADD COLUMN ${one}`).join(", ");
const drop = (columns: string[]): string =>
  columns.map((one) => `DROP COLUMN ${nameOf(one)}`).join(", ");

/** Google's calendars are read: places of the readings, busy times, and what each event looked like. */
export class CalendarReads1772000710000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`${table} ${defaults}`);
    await runner.query(
      `ALTER TABLE calendar_links ${add(linkColumns)}, ADD KEY calendar_links_read (read_due_at, id)`,
    );
    await runner.query(
      `ALTER TABLE calendar_events MODIFY event_id VARCHAR(255) ${ascii} NOT NULL,
         ${add(eventColumns)}, ADD KEY calendar_events_generation (link_id, generation, id),
         ADD KEY calendar_events_id (event_id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    // Code of before takes every row for an event of its own.
    await runner.query(
      "DELETE FROM calendar_events WHERE origin = 'google' OR LENGTH(event_id) > 64",
    );
    await runner.query(
      `ALTER TABLE calendar_events DROP KEY calendar_events_generation,
         DROP KEY calendar_events_id, ${drop(eventColumns)},
         MODIFY event_id VARCHAR(64) ${ascii} NOT NULL`,
    );
    await runner.query(
      `ALTER TABLE calendar_links DROP KEY calendar_links_read, ${drop(linkColumns)}`,
    );
    for (const name of ["calendar_changes", "calendar_channels", "busy_blocks"]) {
      await runner.query(`DROP TABLE ${name}`);
    }
  }
}
