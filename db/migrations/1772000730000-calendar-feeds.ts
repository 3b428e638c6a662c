import type { MigrationInterface, QueryRunner } from "typeorm";

const id = "BIGINT UNSIGNED";
const moment = "DATETIME(3)";

/** Private calendar feeds of resources. */
export class CalendarFeeds1772000730000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE calendar_feeds (
         id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL, resource_id ${id} NOT NULL,
         token_hash BINARY(32) NOT NULL, times_only TINYINT NOT NULL DEFAULT '0',
         revoked_at ${moment} NULL, created_by_user_id ${id} NULL,
         created_at ${moment} NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         PRIMARY KEY (id), UNIQUE KEY calendar_feeds_token (token_hash),
         KEY calendar_feeds_resource (account_id, resource_id, id)
       ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE calendar_feeds");
  }
}
