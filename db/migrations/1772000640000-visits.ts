import type { MigrationInterface, QueryRunner } from "typeorm";

/** Visits of a visitor of web chat, in the session, so that they go with it. */
export class Visits1772000640000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE widget_sessions ADD COLUMN visits JSON NULL AFTER page");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE widget_sessions DROP COLUMN visits");
  }
}
