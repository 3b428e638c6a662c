import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * An export reads the appointments of an account by their ids, which never change. The index has what
 * it filters by, so appointments that do not match are not read.
 */
export class AppointmentsById1772000777000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE appointments
         ADD INDEX appointments_id (account_id, id, start_time, end_time, status, resource_id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE appointments DROP INDEX appointments_id");
  }
}
