import type { MigrationInterface, QueryRunner } from "typeorm";

/** Facts that the site tells of a visitor of web chat, in the session, so that they go with it. */
export class SiteContext1772000650000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE widget_sessions ADD COLUMN context JSON NULL AFTER visits");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE widget_sessions DROP COLUMN context");
  }
}
