import type { MigrationInterface, QueryRunner } from "typeorm";

/** Says of whom a stored answer tells, so that an erasure finds it. */
export class Erasure1770000300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE idempotency_keys
         ADD COLUMN contact_id BIGINT UNSIGNED NULL,
         ADD KEY idempotency_keys_contact (account_id, contact_id)`,
    );
    // Only contacts could be written through the API until now.
    await runner.query(
      `UPDATE idempotency_keys
          SET contact_id = JSON_VALUE(CONVERT(answer USING utf8mb4), '$.data.id' RETURNING UNSIGNED)
        WHERE path = '/api/v1/contacts' AND status IN (200, 201) AND answer IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE idempotency_keys DROP KEY idempotency_keys_contact, DROP COLUMN contact_id",
    );
  }
}
