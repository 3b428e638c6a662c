import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * An email belongs to the person who proved it. A person who did not belongs to one account, so
 * several accounts may each have such a person with the same email. All people of today count as
 * confirmed.
 */
export class ConfirmedEmails1771000730000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE users
         ADD COLUMN unconfirmed_account_id BIGINT UNSIGNED NOT NULL DEFAULT 0 AFTER email,
         DROP KEY users_email,
         ADD UNIQUE KEY users_email (email, unconfirmed_account_id)`,
    );
    await runner.query(
      "ALTER TABLE user_links ADD COLUMN proves_email TINYINT(1) NOT NULL DEFAULT 0 AFTER user_id",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE user_links DROP COLUMN proves_email");
    // Older versions know one person per email: the others log in as `<id>.<email>` from then on.
    await runner.query(
      `UPDATE users u JOIN users o ON o.email = u.email
          AND (o.unconfirmed_account_id < u.unconfirmed_account_id)
          SET u.email = LEFT(CONCAT(u.id, '.', u.email), 254)`,
    );
    await runner.query(
      `ALTER TABLE users
         DROP KEY users_email,
         DROP COLUMN unconfirmed_account_id,
         ADD UNIQUE KEY users_email (email)`,
    );
  }
}
