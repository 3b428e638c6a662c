import type { MigrationInterface, QueryRunner } from "typeorm";

/** An index by age, by which a purge finds old gaps. */
export class GapAge1772000030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE knowledge_gaps ADD KEY knowledge_gaps_created (created_at, id)",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE knowledge_gaps DROP INDEX knowledge_gaps_created");
  }
}
