import type { MigrationInterface, QueryRunner } from "typeorm";

/** The loser of a merge keeps its name, email and phone for its erasure alone. */
export class RetiredIdentifiers1772000776000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE contacts ADD COLUMN retired_identifiers JSON NULL AFTER merged_into_id",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE contacts DROP COLUMN retired_identifiers");
  }
}
