import type { MigrationInterface, QueryRunner } from "typeorm";

const preferences = `CREATE TABLE notification_preferences (
  user_id BIGINT UNSIGNED NOT NULL,
  kind VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  app TINYINT(1) NOT NULL,
  desktop TINYINT(1) NOT NULL,
  email TINYINT(1) NOT NULL,
  updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (user_id, kind)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`;

/**
 * Choices of people for each kind of notification. The one choice so far, a mail when a
 * conversation needs a person, becomes a row. Notifications and mails may be about an appointment.
 */
export class NotificationPreferences1771000762000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(preferences);
    await runner.query(
      `INSERT INTO notification_preferences (user_id, kind, app, desktop, email)
       SELECT id, 'conversation_handed_off', 1, 0, 1 FROM users WHERE mail_needs_person = 1`,
    );
    await runner.query("ALTER TABLE users DROP COLUMN mail_needs_person");
    await runner.query(
      "ALTER TABLE notifications ADD COLUMN appointment_id BIGINT UNSIGNED NULL AFTER conversation_id",
    );
    await runner.query(
      "ALTER TABLE mails ADD COLUMN appointment_id BIGINT UNSIGNED NULL AFTER conversation_id",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE mails DROP COLUMN appointment_id");
    await runner.query("ALTER TABLE notifications DROP COLUMN appointment_id");
    await runner.query(
      "ALTER TABLE users ADD COLUMN mail_needs_person TINYINT(1) NOT NULL DEFAULT 0 AFTER locale",
    );
    await runner.query(
      `UPDATE users u JOIN notification_preferences p ON p.user_id = u.id
          SET u.mail_needs_person = p.email WHERE p.kind = 'conversation_handed_off'`,
    );
    await runner.query("DROP TABLE notification_preferences");
  }
}
