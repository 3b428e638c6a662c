import type { MigrationInterface, QueryRunner } from "typeorm";

/** A conversation that turns to another phone keeps the window of the phone before. */
export class WindowsOfPhones1772000778000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE contact_identities
         ADD COLUMN last_customer_message_at DATETIME(3) NULL AFTER same_as_contact_id`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE contact_identities DROP COLUMN last_customer_message_at");
  }
}
