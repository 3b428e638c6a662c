import type { MigrationInterface, QueryRunner } from "typeorm";

/** Reminders of appointments. */
export class Reminders1771000310000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE appointment_reminders (
         appointment_id BIGINT UNSIGNED NOT NULL,
         account_id BIGINT UNSIGNED NOT NULL,
         run INT UNSIGNED NOT NULL,
         state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
         start_time DATETIME(3) NOT NULL,
         due_at DATETIME(3) NOT NULL,
         reminded_start_time DATETIME(3) NULL,
         message_id BIGINT UNSIGNED NULL,
         created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         PRIMARY KEY (appointment_id)
       ) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE appointment_reminders");
  }
}
