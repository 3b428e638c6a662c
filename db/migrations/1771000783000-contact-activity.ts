import type { MigrationInterface, QueryRunner } from "typeorm";

/** Contacts whose activity one statement fills in, so that none holds locks for long. */
const batch = 10_000;

/** The time of each contact's last activity, by which the list of contacts is sorted. */
export class ContactActivity1771000783000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE contacts
         ADD COLUMN last_activity_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)
           AFTER created_by_user_id`,
    );
    await fillActivity(runner);
    await runner.query(
      `ALTER TABLE contacts
         ADD KEY contacts_activity (account_id, merged_into_id, last_activity_at, id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE contacts DROP KEY contacts_activity, DROP COLUMN last_activity_at",
    );
  }
}

async function fillActivity(runner: QueryRunner): Promise<void> {
  const [row] = (await runner.query("SELECT MAX(id) AS last FROM contacts")) as { last: unknown }[];
  const last = Number(row?.last ?? 0);
  for (let from = 0; from < last; from += batch) {
    await runner.query(
      `UPDATE contacts c SET c.last_activity_at = GREATEST(c.created_at, COALESCE(
         (SELECT MAX(v.last_customer_message_at) FROM conversations v WHERE v.contact_id = c.id),
         c.created_at))
        WHERE c.id > ? AND c.id <= ?`,
      [from, from + batch],
    );
  }
}
