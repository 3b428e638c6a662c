import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { DataSource } from "typeorm";
import { createDataSource } from "../../db/data-source.ts";
import { migrate, undoMigration } from "../../db/migrate.ts";
import { createDatabase } from "../../dev/servers/mysql.ts";

let dataSource: DataSource;
const name = `t_${process.pid}_${randomBytes(4).toString("hex")}`;

beforeAll(async () => {
  const url = await createDatabase(inject("mysqlUrl"), name);
  dataSource = await createDataSource({ url, poolSize: 2 }).initialize();
  await migrate(dataSource);
});
afterAll(async () => {
  await dataSource.query(`DROP DATABASE IF EXISTS ${name}`);
  await dataSource.destroy();
});

test("contacts of before get the time of their last message, or of their creation", async () => {
  while ((await undoMigration(dataSource)) !== "ContactActivity1771000783000");
  await dataSource.query(
    `INSERT INTO contacts (id, account_id, source, created_at) VALUES
       (1, 1, 'api', '2026-01-01 10:00:00'), (2, 1, 'api', '2026-01-01 10:00:00'),
       (3, 1, 'api', '2026-01-01 10:00:00')`,
  );
  const insert = `INSERT INTO conversations SET account_id = 1, channel_account_id = 1, channel = 'web',
    status = 'active', bot_enabled = 1, sort_at = NOW(3)`;
  await dataSource.query(`${insert}, contact_id = 2`);
  for (const at of ["2026-02-01", "2026-03-01", "2025-01-01"]) {
    await dataSource.query(`${insert}, contact_id = 3, last_customer_message_at = ?`, [at]);
  }
  await migrate(dataSource);
  const rows = await dataSource.query<{ at: string }[]>(
    "SELECT DATE_FORMAT(last_activity_at, '%m-%d') AS at FROM contacts ORDER BY id",
  );
  expect(rows.map(({ at }) => at)).toEqual(["01-01", "01-01", "03-01"]);
});
