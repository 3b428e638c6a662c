import type { MigrationInterface, QueryRunner } from "typeorm";

const id = "BIGINT UNSIGNED";

/** Imported stages and notes that wait for a contact's first conversation. */
export class ContactPlacements1772000760000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE contact_placements (
         id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL, contact_id ${id} NOT NULL,
         pipeline_id ${id} NULL, stage_id ${id} NULL, note VARCHAR(4096) NULL, user_id ${id} NULL,
         import_id ${id} NOT NULL, import_row INT UNSIGNED NOT NULL,
         created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
         PRIMARY KEY (id), KEY contact_placements_contact (contact_id, id)
       ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE contact_placements");
  }
}
