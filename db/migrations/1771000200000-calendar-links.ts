import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

const tables = [
  `CREATE TABLE calendar_links (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    resource_id BIGINT UNSIGNED NOT NULL,
    provider VARCHAR(16) ${ascii} NOT NULL,
    calendar_id VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
    state VARCHAR(16) ${ascii} NOT NULL DEFAULT 'connected',
    sealed VARCHAR(2048) ${ascii} NOT NULL,
    key_id VARCHAR(32) ${ascii} NOT NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    UNIQUE KEY calendar_links_resource (resource_id),
    KEY calendar_links_account (account_id, id)
  )`,
  `CREATE TABLE calendar_events (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    appointment_id BIGINT UNSIGNED NOT NULL,
    link_id BIGINT UNSIGNED NOT NULL,
    event_id VARCHAR(64) ${ascii} NOT NULL,
    etag VARCHAR(255) ${ascii} NULL,
    written BINARY(32) NULL,
    writes INT UNSIGNED NOT NULL DEFAULT '0',
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY calendar_events_appointment (appointment_id, link_id),
    UNIQUE KEY calendar_events_event (link_id, event_id)
  )`,
];

const names = tables.map((table) => table.split(" ")[2]);

/** Which agendas are kept on which external calendars, and the events that appointments have there. */
export class CalendarLinks1771000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`${table} ENGINE=InnoDB ${defaults}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of names.toReversed()) await runner.query(`DROP TABLE ${name}`);
  }
}
