import type { MigrationInterface, QueryRunner } from "typeorm";

const indexes: [table: string, index: string, columns: string][] = [
  ["subscription_secrets", "subscription_secrets_valid", "valid_until, id"],
  ["inbound_endpoint_secrets", "inbound_endpoint_secrets_valid", "valid_until, id"],
  ["audit_log", "audit_log_created", "created_at, id"],
];

/** Lets a purge find old secrets and old audit entries by their age. */
export class RetentionOfSecrets1771000500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, index, columns] of indexes) {
      await runner.query(`ALTER TABLE ${table} ADD KEY ${index} (${columns})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, index] of indexes.toReversed()) {
      await runner.query(`ALTER TABLE ${table} DROP KEY ${index}`);
    }
  }
}
