import { expect, test } from "vitest";
import { migrate } from "../../db/migrate.ts";
import { useFixture } from "../support/use-fixture.ts";
import { startBefore } from "./own-database.ts";

/** Each newer migration is made, on a machine with other work. */
const migrateMs = 240_000;

const fixture = useFixture(async () => await startBefore("InboxQueue1771000771000"));

/** A conversation with these messages, one a minute: its direction, sender and status. */
async function insertConversation(messages: [string, string, string][]): Promise<number> {
  const inserted = await fixture.dataSource.query<{ insertId: number }>(
    `INSERT INTO conversations SET account_id = 1, contact_id = 1, channel_account_id = 1,
       channel = 'web', status = 'active', bot_enabled = 1, sort_at = NOW(3),
       last_customer_message_at = NOW(3)`,
  );
  for (const [minute, [direction, senderType, status]] of messages.entries()) {
    await fixture.dataSource.query(
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
    const ids: number[] = [];
    for (const [messages] of cases) ids.push(await insertConversation(messages));
    await migrate(fixture.dataSource);
    const rows = await fixture.dataSource.query<{ id: number; minute: number | null }[]>(
      `SELECT id, TIMESTAMPDIFF(MINUTE, '2026-01-01', customer_waits_since) AS minute
       FROM conversations ORDER BY id`,
    );
    expect(rows.map(({ minute }) => minute)).toEqual(cases.map(([, minute]) => minute));
    expect(rows.map(({ id }) => Number(id))).toEqual(ids);
  },
  migrateMs,
);
