import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

/** Views of the inbox that members save. */
export class InboxViews1771000772000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE inbox_views (
         id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
         account_id BIGINT UNSIGNED NOT NULL,
         user_id BIGINT UNSIGNED NOT NULL,
         name VARCHAR(60) NOT NULL,
         view VARCHAR(16) ${ascii} NOT NULL,
         filter JSON NOT NULL,
         list_order VARCHAR(8) ${ascii} NOT NULL,
         shared TINYINT NOT NULL DEFAULT 0,
         created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         version INT UNSIGNED NOT NULL DEFAULT '1',
         PRIMARY KEY (id),
         KEY inbox_views_account (account_id, user_id, id)
       ) ${defaults}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE inbox_views");
  }
}
