import type { MigrationInterface, QueryRunner } from "typeorm";
import { makeInstallationId } from "../installation-id.ts";

/**
 * Gives the installation an id, which names of runs and task queues in Temporal begin with. One that
 * is there already has runs that may last for months, so it goes on with names without the id.
 */
export class InstallationId1771000710000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE installation
         ADD COLUMN installation_id VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' AFTER id,
         ADD COLUMN plain_names TINYINT(1) NOT NULL DEFAULT 0 AFTER installation_id`,
    );
    await runner.query("UPDATE installation SET installation_id = ?, plain_names = 1", [
      makeInstallationId(),
    ]);
    await runner.query("ALTER TABLE installation ALTER COLUMN installation_id DROP DEFAULT");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE installation DROP COLUMN plain_names, DROP COLUMN installation_id",
    );
  }
}
