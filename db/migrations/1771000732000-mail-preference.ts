import type { MigrationInterface, QueryRunner } from "typeorm";

/** A person's choice to get a mail when a conversation needs them. */
export class MailPreference1771000732000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE users ADD COLUMN mail_needs_person TINYINT(1) NOT NULL DEFAULT 0 AFTER locale",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE users DROP COLUMN mail_needs_person");
  }
}
