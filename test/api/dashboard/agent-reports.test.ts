import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { beginTestTurn } from "../../dashboard/agent-turns.ts";
import { setUpAgent } from "../../worker/agent-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { outcomeOf } from "./people-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
/** Days and times of the tests are in the account's zone, 6 h behind UTC. */
const zone = "America/Mexico_City";
const week = { from: "2026-11-02", to: "2026-11-08" };

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  const sql = "UPDATE accounts SET time_zone = ? WHERE id = ?";
  await fixture.query(sql, [zone, account.accountId]);
});

const call = async (path: string, query: object, { cookie } = account) => {
  const text = new URLSearchParams({ ...query } as Record<string, string>).toString();
  return await fixture.api.call("GET", `/dashboard/api${path}?${text}`, { cookie });
};
const usage = async (range: object = week) => (await call("/agent-usage", range)).json.data;
const quality = async (range: object = week) => (await call("/agent-quality", range)).json.data;

/** A turn with a customer that ended at this time of UTC. @returns its id. */
async function addTurn(at: string, columns: object = {}): Promise<number> {
  const row = {
    account_id: account.accountId,
    conversation_id: 1,
    contact_id: 1,
    epoch: 0,
    watermark: 1,
    settings_number: 1,
    mode: "live",
    engine: "basic",
    outcome: "replied",
    created_at: at,
    ...columns,
  };
  const names = Object.keys(row);
  await fixture.query(
    `INSERT INTO agent_turns (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    Object.values(row),
  );
  const [made] = await fixture.query<{ id: number }>(
    "SELECT MAX(id) AS id FROM agent_turns WHERE account_id = ?",
    [account.accountId],
  );
  return Number(made?.id);
}

const spent = { engine: "openai", cost_micros: 300, input_tokens: 40, output_tokens: 5 };

test("turns count on the day of the account's zone, by provider, with all their cost", async () => {
  await addTurn("2026-11-02 05:59:59.999", spent);
  await addTurn("2026-11-02 06:00:00.000", spent);
  await addTurn("2026-11-05 03:00:00", { ...spent, mode: "draft" });
  await addTurn("2026-11-09 05:59:59.999");
  await addTurn("2026-11-09 06:00:00.000");
  const found = await usage();
  expect(found).toMatchObject({
    ...week,
    total: { turns: 3, input_tokens: 80, output_tokens: 10, cost_micros: 600 },
    engines: [
      { engine: "openai", turns: 2, cost_micros: 600 },
      { engine: "basic", turns: 1, cost_micros: 0 },
    ],
    budgets: [],
  });
  const byDay = found.days.map(({ day, turns }: { day: string; turns: number }) => [day, turns]);
  expect(byDay).toEqual([
    ["2026-11-02", 1],
    ["2026-11-03", 0],
    ["2026-11-04", 1],
    ["2026-11-05", 0],
    ["2026-11-06", 0],
    ["2026-11-07", 0],
    ["2026-11-08", 1],
  ]);
});

test("a day whose clock changed has its 25 hours", async () => {
  await fixture.query("UPDATE accounts SET time_zone = 'Europe/Madrid' WHERE id = ?", [
    account.accountId,
  ]);
  await addTurn("2026-10-24 22:00:00");
  await addTurn("2026-10-25 22:59:59");
  await addTurn("2026-10-25 23:00:00");
  const { days } = await usage({ from: "2026-10-25", to: "2026-10-26" });
  expect(days).toMatchObject([
    { day: "2026-10-25", turns: 2 },
    { day: "2026-10-26", turns: 1 },
  ]);
});

test("budgets stand beside the cost of today and of this month", async () => {
  await setUpAgent(fixture.database, account.accountId, {
    daily_budget_micros: 1_000,
    monthly_budget_micros: null,
  });
  const now = new Date().toISOString().slice(0, 23).replace("T", " ");
  await addTurn(now, spent);
  expect((await usage()).budgets).toEqual([
    { period: "day", limit_micros: 1_000, spent_micros: 300 },
  ]);
});

test("ranges of more than 90 days, in reverse, or that are no days are refused", async () => {
  const codeOf = async (range: object) => {
    const answer = await call("/agent-quality", range);
    return answer.status === 200 ? 200 : answer.json.error.details[0].code;
  };
  expect(await codeOf({ from: "2026-08-01", to: "2026-10-29" })).toBe(200);
  expect(await codeOf({ from: "2026-08-01", to: "2026-10-30" })).toBe("too_many_days");
  expect(await codeOf({ from: "2026-11-02", to: "2026-11-01" })).toBe("invalid_range");
  for (const range of [{ from: "yesterday", to: "2026-11-01" }, { from: "2026-11-01" }]) {
    expect(outcomeOf(await call("/agent-usage", range))).toBe("validation_error");
  }
});

test("each figure of the quality counts the turns that its filter lists", async () => {
  const at = "2026-11-04 12:00:00";
  const good = await addTurn(at);
  const bad = await addTurn(at, { reopened: 1 });
  await addTurn(at, { outcome: "handed_off", reason: "keyword" });
  await addTurn(at, { outcome: "handed_off", reason: "guard" });
  await addTurn(at, { outcome: "handed_off", reason: "guard" });
  const cut = { outcome: "paused", cut_at: "2026-11-04 12:00:01.000" };
  await addTurn(at, { ...cut, aborted_at: "2026-11-04 12:00:01.200" });
  await addTurn(at, { ...cut, aborted_at: "2026-11-04 12:00:01.600" });
  // Turns without a customer, and those of other days, count nowhere.
  await addTurn(at, { mode: "draft" });
  await addTurn("2026-11-20 12:00:00", { outcome: "handed_off", reason: "guard", reopened: 1 });
  const rate = async (turnId: number, userId: number, value: string, reason: string | null) =>
    await fixture.query(
      `INSERT INTO agent_ratings (account_id, conversation_id, message_id, turn_id, user_id, value, reason)
       VALUES (?, 1, ?, ?, ?, ?, ?)`,
      [account.accountId, turnId, turnId, userId, value, reason],
    );
  await rate(good, 1, "up", null);
  await rate(bad, 1, "down", "wrong_tone");
  await rate(bad, 2, "down", "wrong_tone");
  for (const [index, state] of ["sent", "edited", "edited", "dismissed", "open"].entries()) {
    await fixture.query(
      `INSERT INTO agent_drafts (account_id, conversation_id, contact_id, turn_id, source, text,
              proposals, state, created_at) VALUES (?, 1, 1, ?, 'automatic', 'Hi', '[]', ?, ?)`,
      [account.accountId, good * 10 + index, state, at],
    );
  }
  expect(await quality()).toStrictEqual({
    ...week,
    turns: 7,
    replied: 2,
    handed_off: 3,
    handovers: [
      { reason: "guard", turns: 2 },
      { reason: "keyword", turns: 1 },
    ],
    reopened: 1,
    paused: 2,
    silence_ms: { average: 400, longest: 600 },
    drafts_sent: 1,
    drafts_edited: 2,
    rated_up: 1,
    rated_down: 1,
    down_reasons: [{ reason: "wrong_tone", ratings: 2 }],
  });
  const shown = async (filter: object) => {
    const since = "2026-11-02T00:00:00-06:00";
    const range = { mode: "live", since, until: "2026-11-09T00:00:00-06:00" };
    return (await call("/agent-turns", { ...range, ...filter })).json.meta.total;
  };
  expect(await shown({})).toBe(7);
  expect(await shown({ outcome: "replied" })).toBe(2);
  expect(await shown({ outcome: "handed_off", reason: "guard" })).toBe(2);
  expect(await shown({ reopened: "true" })).toBe(1);
  expect(await shown({ rating: "up" })).toBe(1);
  expect(await shown({ rating: "down" })).toBe(1);
  expect(await shown({ outcome: "paused" })).toBe(2);
});

test("a customer who comes back within 24 h of the end reopens, after an answer of the agent", async () => {
  await setUpAgent(fixture.database, account.accountId, { strict: false });
  const from = "5215512345678";
  const write = async (text: string) => {
    const given = { text, name: "Ana", from };
    return await beginTestTurn(fixture.database, account.accountId, given);
  };
  const isReopened = async (turnId: number) => {
    const sql = "SELECT reopened FROM agent_turns WHERE id = ?";
    return (await fixture.query<{ reopened: number }>(sql, [turnId]))[0]?.reopened === 1;
  };
  const first = await write("Hello");
  await first.reply("Hello! I can help you.");
  const goesOn = await write("And one more thing");
  await goesOn.reply("Sure, tell me.");
  const resolve = async () =>
    await fixture.api.call("PATCH", `/dashboard/api/conversations/${first.conversationId}`, {
      cookie: account.cookie,
      body: { status: "resolved" },
    });
  expect((await resolve()).status).toBe(200);
  const back = await write("It does not work");
  expect(await isReopened(first.turnId)).toBe(false);
  expect(await isReopened(goesOn.turnId)).toBe(false);
  expect(await isReopened(back.turnId)).toBe(true);
  await back.reply("I am sorry to hear that.");
  await resolve();
  await fixture.query("UPDATE conversation_notes SET created_at = created_at - INTERVAL 25 HOUR");
  await fixture.query("UPDATE agent_turns SET created_at = created_at - INTERVAL 26 HOUR");
  expect(await isReopened((await write("Hello again")).turnId)).toBe(false);
});

test("an account sees its own turns alone", async () => {
  await addTurn("2026-11-04 12:00:00", spent);
  const stranger = await createTestAccount(fixture.database.dataSource);
  expect((await call("/agent-usage", week, stranger)).json.data.total.turns).toBe(0);
  expect((await call("/agent-quality", week, stranger)).json.data.turns).toBe(0);
});
