import type { MigrationInterface, QueryRunner } from "typeorm";

/** An export reads the appointments of an account by their ids, which never change. */
export class AppointmentsById1772000777000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE appointments ADD INDEX appointments_id (account_id, id)");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE appointments DROP INDEX appointments_id");
  }
}
