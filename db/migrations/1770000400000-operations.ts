import type { MigrationInterface, QueryRunner } from "typeorm";

/** What operators need: runs that go on where the one before them was held, replays, receivers' health. */
export class Operations1770000400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE deliveries ADD COLUMN first_number INT UNSIGNED NOT NULL DEFAULT '1' AFTER run",
    );
    await runner.query(
      `CREATE TABLE replays (
         id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
         account_id BIGINT UNSIGNED NOT NULL,
         subscription_id BIGINT UNSIGNED NOT NULL,
         state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
         states JSON NOT NULL,
         since DATETIME(3) NULL,
         newest_id BIGINT UNSIGNED NOT NULL,
         cursor_id BIGINT UNSIGNED NOT NULL DEFAULT '0',
         total INT UNSIGNED NOT NULL,
         queued INT UNSIGNED NOT NULL DEFAULT '0',
         passed_over INT UNSIGNED NOT NULL DEFAULT '0',
         run INT UNSIGNED NOT NULL DEFAULT '0',
         created_by_user_id BIGINT UNSIGNED NULL,
         created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         finished_at DATETIME(3) NULL,
         PRIMARY KEY (id),
         KEY replays_subscription (account_id, subscription_id, id)
       ) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci`,
    );
    await runner.query(
      `CREATE TABLE subscription_health (
         subscription_id BIGINT UNSIGNED NOT NULL,
         account_id BIGINT UNSIGNED NOT NULL,
         failing_since DATETIME(3) NOT NULL,
         gone_event_id BINARY(16) NULL,
         PRIMARY KEY (subscription_id)
       ) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE subscription_health");
    await runner.query("DROP TABLE replays");
    await runner.query("ALTER TABLE deliveries DROP COLUMN first_number");
  }
}
