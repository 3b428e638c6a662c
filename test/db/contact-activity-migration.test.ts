import { expect, test } from "vitest";
import { migrate } from "../../db/migrate.ts";
import { useFixture } from "../support/use-fixture.ts";
import { startBefore } from "./own-database.ts";

const fixture = useFixture(async () => await startBefore("ContactActivity1771000783000"));

test("contacts of before get the time of their last message, or of their creation", async () => {
  await fixture.dataSource.query(
    `INSERT INTO contacts (id, account_id, source, created_at) VALUES
       (1, 1, 'api', '2026-01-01 10:00:00'), (2, 1, 'api', '2026-01-01 10:00:00'),
       (3, 1, 'api', '2026-01-01 10:00:00')`,
  );
  const insert = `INSERT INTO conversations SET account_id = 1, channel_account_id = 1, channel = 'web',
    status = 'active', bot_enabled = 1, sort_at = NOW(3)`;
  await fixture.dataSource.query(`${insert}, contact_id = 2`);
  for (const at of ["2026-02-01", "2026-03-01", "2025-01-01"]) {
    await fixture.dataSource.query(`${insert}, contact_id = 3, last_customer_message_at = ?`, [at]);
  }
  await migrate(fixture.dataSource);
  const rows = await fixture.dataSource.query<{ at: string }[]>(
    "SELECT DATE_FORMAT(last_activity_at, '%m-%d') AS at FROM contacts ORDER BY id",
  );
  expect(rows.map(({ at }) => at)).toEqual(["01-01", "01-01", "03-01"]);
});
