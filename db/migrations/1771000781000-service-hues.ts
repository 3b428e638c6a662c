import type { MigrationInterface, QueryRunner } from "typeorm";

/** The colour of a service, by which the calendar tells its appointments apart. */
export class ServiceHues1771000781000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE services
         ADD COLUMN hue VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'slate'
           AFTER step_minutes`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE services DROP COLUMN hue");
  }
}
