import { expect, test } from "vitest";
import { readQuality } from "../../core/services/agent/quality.ts";
import { listTurns } from "../../core/services/agent/turn-views.ts";
import { readUsage } from "../../core/services/agent/usage.ts";
import type { Tx } from "../../db/transaction.ts";
import { asSystem } from "../support/accounts.ts";
import { usePlans } from "../support/query-plans.ts";

/** Turns of account 2 in the last 90 days, and as many of another account. */
const turns = 100_000;

const { dataSource, plansOf } = usePlans(async (source) => {
  await source.query("INSERT INTO accounts (id, name, settings) VALUES (2, 'a', '{}')");
  await source.query("SET SESSION cte_max_recursion_depth = 1000000");
  await source.query(
    `INSERT INTO agent_turns (account_id, conversation_id, contact_id, epoch, watermark,
            settings_number, mode, engine, outcome, reason, input_tokens, output_tokens,
            cost_micros, reopened, cut_at, aborted_at, created_at)
     WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?)
     SELECT 2 + i % 2, i % 5000, i % 5000, 0, i, 1, 'live', ELT(1 + i % 3, 'basic', 'openai', 'google'),
            ELT(1 + i % 7 % 4, 'replied', 'replied', 'handed_off', 'paused'), ELT(1 + i % 3, NULL, 'guard', 'keyword'),
            1700, 140, i % 900, i % 97 = 0, NOW(3) - INTERVAL 1 SECOND, NOW(3),
            UTC_TIMESTAMP(3) - INTERVAL (i * 77) % 7600000 SECOND
       FROM numbers`,
    [2 * turns],
  );
  await source.query(
    `INSERT INTO agent_ratings (account_id, conversation_id, message_id, turn_id, user_id, value)
     SELECT account_id, conversation_id, id, id, 1, ELT(1 + id % 2, 'up', 'down')
       FROM agent_turns WHERE id % 20 = 0`,
  );
  await source.query("ANALYZE TABLE agent_turns, agent_ratings");
});

const dayOf = (daysAgo: number): string =>
  new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
const range = { from: dayOf(89), to: dayOf(0) };
const reports = { usage: readUsage, quality: readQuality };

test.each(Object.entries(reports))(
  "the report of %s reads indexes of its range",
  async (_, read) => {
    const steps = await plansOf(async (tx) => await read(tx, range));
    const tables = steps.filter(({ table }) =>
      /^(agent_turns|agent_ratings|agent_drafts|t|r)$/.test(table ?? ""),
    );
    expect(tables.length).toBeGreaterThan(0);
    expect(tables.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
    const keys = new Set(tables.map(({ key }) => key));
    const known = [
      "agent_turns_time",
      "agent_turns_reopened",
      "agent_ratings_account",
      "agent_drafts_account",
      "PRIMARY",
    ];
    expect([...keys].filter((key) => !known.includes(key ?? ""))).toEqual([]);
  },
);

test("90 days with 100,000 turns are answered within 2 s, and so are the turns behind a figure", async () => {
  const timed = async (work: (tx: Tx) => Promise<unknown>) => {
    const startedAt = performance.now();
    await asSystem(dataSource(), 2, work);
    return performance.now() - startedAt;
  };
  const since = new Date(Date.now() - 90 * 86_400_000);
  const page = { limit: 50, since, mode: "live" } as const;
  const times = {
    usage: await timed(async (tx) => {
      expect((await readUsage(tx, range)).total.turns).toBeGreaterThan(0.9 * turns);
    }),
    quality: await timed(async (tx) => {
      expect((await readQuality(tx, range)).turns).toBeGreaterThan(0.9 * turns);
    }),
    reason: await timed((tx) => listTurns(tx, { ...page, outcome: "handed_off", reason: "guard" })),
    rated: await timed((tx) => listTurns(tx, { ...page, rating: "down" })),
    reopened: await timed((tx) => listTurns(tx, { ...page, reopened: true })),
  };
  process.stdout.write(`${JSON.stringify(times)}\n`);
  expect(Object.entries(times).filter(([, ms]) => ms > 2_000)).toEqual([]);
});
