import type { MigrationInterface, QueryRunner } from "typeorm";

/** What operators need: a run that goes on where the one before it was held. */
export class Operations1770000400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE deliveries ADD COLUMN first_number INT UNSIGNED NOT NULL DEFAULT '1' AFTER run",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE deliveries DROP COLUMN first_number");
  }
}
