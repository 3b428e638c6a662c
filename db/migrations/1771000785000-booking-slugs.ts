import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

/** Readable slugs of booking links, and room for the recipient in a sealed mail. */
export class BookingSlugs1771000785000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE booking_slugs (
         id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
         account_id BIGINT UNSIGNED NOT NULL,
         link_id BIGINT UNSIGNED NOT NULL,
         slug VARCHAR(40) ${ascii} NOT NULL,
         created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         PRIMARY KEY (id),
         UNIQUE KEY booking_slugs_slug (slug),
         KEY booking_slugs_link (link_id, id)
       ) ${defaults}`,
    );
    await runner.query(
      `ALTER TABLE booking_links ADD COLUMN own_slug VARCHAR(40) ${ascii} NULL AFTER slug`,
    );
    await runner.query(`ALTER TABLE mails MODIFY sealed VARCHAR(1024) ${ascii} NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // A sealed recipient does not fit into the narrow column.
    await runner.query("DELETE FROM mails WHERE kind = 'booking_made'");
    await runner.query(`ALTER TABLE mails MODIFY sealed VARCHAR(255) ${ascii} NULL`);
    await runner.query("ALTER TABLE booking_links DROP COLUMN own_slug");
    await runner.query("DROP TABLE booking_slugs");
  }
}
