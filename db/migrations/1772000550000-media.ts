import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

/** Files that people have uploaded and not sent yet. */
export class Media1772000550000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE media_uploads (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
         account_id BIGINT UNSIGNED NOT NULL, user_id BIGINT UNSIGNED NOT NULL,
         filename VARCHAR(255) NULL, mime VARCHAR(128) ${ascii} NOT NULL,
         size BIGINT UNSIGNED NOT NULL, sha256 BINARY(32) NOT NULL,
         storage_key VARCHAR(191) ${ascii} NULL,
         created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         PRIMARY KEY (id), KEY media_uploads_age (created_at, id))
       ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE media_uploads");
  }
}
