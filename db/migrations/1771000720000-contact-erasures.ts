import type { MigrationInterface, QueryRunner } from "typeorm";

/** Keeps each erasure of a contact that is under way: its workflow's input, and the texts to search for. */
export class ContactErasures1771000720000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE contact_erasures (
         contact_id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
         account_id BIGINT UNSIGNED NOT NULL,
         input JSON NOT NULL,
         emails JSON NOT NULL,
         phone_endings JSON NOT NULL,
         created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)
       ) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE contact_erasures");
  }
}
