import type { MigrationInterface, QueryRunner } from "typeorm";

/** Index for the list of an account's exports, newest first. */
export class ExportList1772000770000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE exports ADD KEY exports_list (account_id, id)");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE exports DROP KEY exports_list");
  }
}
