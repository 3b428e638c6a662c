import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

const tables: [name: string, columns: string][] = [
  [
    "booking_links",
    `id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    slug VARCHAR(26) ${ascii} NOT NULL,
    title VARCHAR(200) NOT NULL,
    resource_id BIGINT UNSIGNED NULL,
    service_id BIGINT UNSIGNED NULL,
    enabled TINYINT NOT NULL DEFAULT 1,
    created_by_user_id BIGINT UNSIGNED NULL,
    deleted_at DATETIME(3) NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    UNIQUE KEY booking_links_slug (slug),
    KEY booking_links_account (account_id, id)`,
  ],
  [
    "bookings",
    `id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    link_id BIGINT UNSIGNED NOT NULL,
    appointment_id BIGINT UNSIGNED NOT NULL,
    token_hash BINARY(32) NOT NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY bookings_token (link_id, token_hash),
    KEY bookings_appointment (appointment_id)`,
  ],
];

/** Public pages on which anybody books, and what was booked through them. */
export class BookingLinks1771000250000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of tables) {
      await runner.query(`CREATE TABLE ${name} (${columns}) ${defaults}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name] of tables.toReversed()) await runner.query(`DROP TABLE ${name}`);
  }
}
