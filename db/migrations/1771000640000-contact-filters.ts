import type { MigrationInterface, QueryRunner } from "typeorm";

/** Filters of the contact list that a person keeps in an account. */
export class ContactFilters1771000640000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE memberships ADD COLUMN contact_filters JSON NULL");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE memberships DROP COLUMN contact_filters");
  }
}
