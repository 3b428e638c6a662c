import type { MigrationInterface, QueryRunner } from "typeorm";

/** The sum of the versions of an account's subscriptions is read from an index alone. */
export class SubscriptionVersions1772000774000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceIndex(runner, "account_id, state, version");
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceIndex(runner, "account_id, state");
  }
}

async function replaceIndex(runner: QueryRunner, columns: string): Promise<void> {
  await runner.query(
    `ALTER TABLE subscriptions DROP KEY subscriptions_account, ADD KEY subscriptions_account (${columns})`,
  );
}
