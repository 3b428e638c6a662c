import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { DataSource } from "typeorm";
import { createDataSource } from "../../db/data-source.ts";
import { migrate, undoMigration } from "../../db/migrate.ts";
import { createDatabase } from "../../dev/servers/mysql.ts";

/** Each newer migration is undone and made again, on a machine with other work. */
const undoMs = 240_000;

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

/** A conversation with these messages, one a minute: its direction, sender and status. */
async function insertConversation(messages: [string, string, string][]): Promise<number> {
  const inserted = await dataSource.query<{ insertId: number }>(
    `INSERT INTO conversations SET account_id = 1, contact_id = 1, channel_account_id = 1,
       channel = 'web', status = 'active', bot_enabled = 1, sort_at = NOW(3),
       last_customer_message_at = NOW(3)`,
  );
  for (const [minute, [direction, senderType, status]] of messages.entries()) {
    await dataSource.query(
      `INSERT INTO messages SET account_id = 1, conversation_id = ?, contact_id = 1,
         channel_account_id = 1, channel = 'web', direction = ?, type = 'text', sender_type = ?,
         status = ?, created_at = TIMESTAMPADD(MINUTE, ?, '2026-01-01')`,
      [inserted.insertId, direction, senderType, status, minute],
    );
  }
  return inserted.insertId;
}

const wrote: [string, string, string] = ["inbound", "contact", "received"];
const replied: [string, string, string] = ["outbound", "user", "read"];

test(
  "conversations of before get their wait from their messages",
  async () => {
    const cases: [messages: [string, string, string][], minute: number | null][] = [
      [[], null],
      [[wrote], 0],
      [[wrote, wrote], 0],
      [[wrote, replied], null],
      [[wrote, replied, wrote, wrote], 2],
      [[wrote, ["outbound", "user", "failed"]], 0],
      [[wrote, ["outbound", "ai", "cancelled"], wrote], 0],
      [[wrote, ["outbound", "system", "sent"]], 0],
      [[wrote, ["outbound", "ai", "queued"]], null],
      [Array.from({ length: 230 }, () => wrote), 30],
    ];
    while ((await undoMigration(dataSource)) !== "InboxQueue1771000771000");
    const ids: number[] = [];
    for (const [messages] of cases) ids.push(await insertConversation(messages));
    await migrate(dataSource);
    const rows = await dataSource.query<{ id: number; minute: number | null }[]>(
      `SELECT id, TIMESTAMPDIFF(MINUTE, '2026-01-01', customer_waits_since) AS minute
       FROM conversations ORDER BY id`,
    );
    expect(rows.map(({ minute }) => minute)).toEqual(cases.map(([, minute]) => minute));
    expect(rows.map(({ id }) => Number(id))).toEqual(ids);
  },
  undoMs,
);
