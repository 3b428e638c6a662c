import { afterEach, expect, test } from "vitest";
import { keepChanges } from "../../../api/live/keep-changes.ts";
import { recordChange } from "../../../core/services/outbox/changes.ts";
import { asSystem, type TestAccount } from "../../support/accounts.ts";
import { startTestApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import type { StreamReader } from "../../support/event-stream.ts";
import { startStreamFixture } from "./stream-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startStreamFixture);

afterEach(() => fixture.leaveAll());

test("a stream has the head of one, says how soon to come back and where it stands", async () => {
  const reader = await fixture.openReady(await fixture.newAccount());
  expect(reader.status).toBe(200);
  expect(reader.headers).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.any(String),
  });
  expect(reader.headers["content-encoding"]).toBeUndefined();
  expect(reader.text()).toMatch(/^retry: 2000\n\nid: \d+\nevent: ready\ndata: \{\}\n\n$/);
});

test("a committed change is seen within a second, by its ids", async () => {
  const account = await fixture.newAccount();
  const reader = await fixture.openReady(account);
  const delays: number[] = [];
  for (let round = 1; round <= 5; round += 1) {
    await fixture.record(account, { conversationId: 7, contactId: 8, messageId: round });
    const committed = performance.now();
    await eventually(() => expect(reader.changes()).toHaveLength(round));
    delays.push(performance.now() - committed);
  }
  expect(reader.changes()).toEqual(await fixture.numbersOf(account));
  expect(reader.events.at(-1)).toEqual({
    id: reader.lastId(),
    event: "change",
    data: {
      kind: "message.created",
      conversation_id: 7,
      contact_id: 8,
      message_id: 5,
      delivery_id: null,
      subscription_id: null,
    },
  });
  // A machine under load may hold up some; the design holds up none.
  expect(Math.min(...delays)).toBeLessThan(1_000);
});

test("a change that is rolled back is never seen, and absent ids are null", async () => {
  const account = await fixture.newAccount();
  const reader = await fixture.openReady(account);
  const failed = asSystem(fixture.database.dataSource, account.accountId, async (tx) => {
    await recordChange(tx, { kind: "contact.updated", contactId: 1 });
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  await fixture.record(account, { kind: "notification.created" });
  await eventually(() => expect(reader.changes()).toHaveLength(1));
  expect(reader.events.at(-1)?.data).toEqual({
    kind: "notification.created",
    conversation_id: null,
    contact_id: null,
    message_id: null,
    delivery_id: null,
    subscription_id: null,
  });
});

/**
 * Changes in transactions side by side: those that record later commit earlier, and the first of all
 * only when the answer is called.
 */
async function recordCrosswise({ accountId }: TestAccount, count: number) {
  const actor = { type: "system", accountId } as const;
  const commits: (() => Promise<void>)[] = [];
  for (let messageId = 1; messageId <= count; messageId += 1) {
    const runner = fixture.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    const tx = { manager: runner.manager, now: new Date(), origin: null, actor };
    await recordChange(tx, { kind: "message.created", messageId });
    commits.push(async () => {
      await runner.commitTransaction();
      await runner.release();
    });
  }
  const [commitFirst, ...others] = commits;
  for (const commit of others.toReversed()) await commit();
  return async () => await commitFirst?.();
}

const messagesOf = (reader: StreamReader) =>
  reader.events.flatMap(({ event, data }) => (event === "change" ? [Number(data.message_id)] : []));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("a transaction that began first and commits last is seen after those in between", async () => {
  const account = await fixture.newAccount();
  const reader = await fixture.openReady(account);
  const commitEarly = await recordCrosswise(account, 30);
  // Also while it is open the others arrive: nothing waits for it.
  await eventually(() => expect(reader.changes()).toHaveLength(29));
  expect(messagesOf(reader)).not.toContain(1);
  await commitEarly();
  await eventually(() => expect(messagesOf(reader).at(-1)).toBe(1));
  expect(reader.changes()).toEqual(await fixture.numbersOf(account));
});

test("who comes back reads every change since, once and in order, late commits included", async () => {
  const account = await fixture.newAccount();
  const first = await fixture.openReady(account);
  await fixture.record(account, { messageId: 0 });
  await eventually(() => expect(first.changes()).toHaveLength(1));
  first.leave();
  const commitEarly = await recordCrosswise(account, 40);
  const second = await fixture.open(account, { from: first.lastId() });
  await eventually(() => expect(second.changes()).toHaveLength(39));
  second.leave();
  await commitEarly();
  const third = await fixture.open(account, { from: second.lastId() });
  await fixture.record(account, { messageId: 41 });
  await eventually(() => expect(third.changes()).toHaveLength(2));
  const seen = [first, second, third].flatMap((reader) => reader.changes());
  expect(seen).toEqual(await fixture.numbersOf(account));
  const messages = [second, third].flatMap(messagesOf);
  expect(messages.toSorted((a, b) => a - b)).toEqual(upTo(41));
});

test("who begins where the session stands reads all that was changed since, and nothing before", async () => {
  const account = await fixture.newAccount();
  await fixture.record(account);
  await keepChanges(fixture.database.dataSource);
  const { cookie } = account;
  const session = await fixture.api.call("GET", "/dashboard/api/session", { cookie });
  const after = session.json.data.stream_from;
  await fixture.record(account);
  await keepChanges(fixture.database.dataSource);
  const reader = await fixture.open(account, { after });
  await fixture.record(account);
  await eventually(() => expect(reader.changes()).toHaveLength(2));
  expect(reader.changes()).toEqual((await fixture.numbersOf(account)).slice(1));
  expect(reader.events.map(({ event }) => event)).toEqual(["change", "change"]);
  // A browser that comes back asks for the same URL, and says how far it has read.
  const back = await fixture.open(account, { after, from: reader.lastId() });
  await fixture.record(account);
  await eventually(() => expect(back.changes()).toHaveLength(1));
});

test("a stream after what was read in another account begins at the present, and says so", async () => {
  const [mine, other] = [await fixture.newAccount(), await fixture.newAccount()];
  const { cookie } = other;
  const session = await fixture.api.call("GET", "/dashboard/api/session", { cookie });
  await fixture.record(mine);
  await keepChanges(fixture.database.dataSource);
  for (const after of [session.json.data.stream_from, "", "x", "1", `${mine.accountId}-x`]) {
    const reader = await fixture.open(mine, { after });
    await eventually(() => expect(reader.events.map(({ event }) => event)).toEqual(["ready"]));
  }
  const future = await fixture.open(mine, { after: `${mine.accountId}-999999999999999` });
  await eventually(() => expect(future.events.map(({ event }) => event)).toEqual(["reset"]));
});

test("changes that commit while a stream catches up are neither lost nor seen twice", async () => {
  const account = await fixture.newAccount();
  const first = await fixture.openReady(account);
  first.leave();
  const total = 2_600;
  // More than two pages, so that live ones come in between them.
  await fixture.recordNumbered(account, total - 100);
  const late = await Promise.all([
    fixture.open(account, { from: first.lastId() }),
    Promise.all(Array.from({ length: 100 }, async () => await fixture.record(account))),
  ]);
  const reader = late[0];
  await eventually(() => expect(reader.changes()).toHaveLength(total));
  await fixture.record(account);
  await eventually(() => expect(reader.changes()).toHaveLength(total + 1));
  expect(reader.changes()).toEqual(await fixture.numbersOf(account));
});

test("two processes on one database both deliver everything, each change once", async () => {
  const account = await fixture.newAccount();
  const other = await startTestApi(fixture.database);
  try {
    const here = await fixture.openReady(account);
    const there = await fixture.openReady(account, other.url);
    const commitEarly = await recordCrosswise(account, 30);
    await commitEarly();
    for (const reader of [here, there]) {
      await eventually(() => expect(reader.changes()).toHaveLength(30));
      expect(reader.changes()).toEqual(await fixture.numbersOf(account));
      expect(messagesOf(reader).toSorted((a, b) => a - b)).toEqual(upTo(30));
    }
  } finally {
    await other.stop();
  }
});

test("another account's changes never arrive, live or missed", async () => {
  const [mine, foreign] = [await fixture.newAccount(), await fixture.newAccount()];
  const live = await fixture.openReady(mine);
  for (const account of [foreign, mine, foreign]) await fixture.record(account);
  await eventually(() => expect(live.changes()).toHaveLength(1));
  const missed = await fixture.open(mine, { from: live.events[0]?.id ?? null });
  await fixture.record(foreign);
  await fixture.record(mine);
  for (const [reader, count] of [[live, 2] as const, [missed, 2] as const]) {
    await eventually(() => expect(reader.changes()).toHaveLength(count));
    expect(reader.changes()).toEqual(await fixture.numbersOf(mine));
  }
});

test.each(["x", "-1", "1.5", "999999999999999", "1".repeat(30)])(
  "a Last-Event-ID of %s is answered with a reset that starts at the present",
  async (from) => {
    const account = await fixture.newAccount();
    await fixture.record(account);
    const reader = await fixture.open(account, { from });
    await eventually(() => expect(reader.events.map(({ event }) => event)).toContain("reset"));
    expect(reader.events[0]).toEqual({
      id: expect.stringMatching(/^\d+$/),
      event: "reset",
      data: {},
    });
    await fixture.record(account);
    await eventually(async () => {
      expect(reader.changes().at(-1)).toBe((await fixture.numbersOf(account)).at(-1));
      expect(await fixture.numbersOf(account)).toHaveLength(2);
    });
  },
);

test("what is a day old is deleted, watched or not; who saw less is told to start over", async () => {
  const account = await fixture.newAccount();
  const { dataSource } = fixture.database;
  const first = await fixture.openReady(account);
  first.leave();
  for (let count = 0; count < 3; count += 1) await fixture.record(account);
  await keepChanges(dataSource);
  expect(await fixture.numbersOf(account)).toHaveLength(3);
  const kept = async () => await fixture.query("SELECT id FROM changes");
  await fixture.query("UPDATE changes SET created_at = UTC_TIMESTAMP(3) - INTERVAL 25 HOUR");
  await fixture.record(account);
  await keepChanges(dataSource);
  expect(await kept()).toHaveLength(1);
  const behind = await fixture.open(account, { from: first.lastId() });
  await eventually(() => expect(behind.events[0]?.event).toBe("reset"));
  const last = (await fixture.numbersOf(account)).at(-1);
  expect(behind.lastId()).toBe(String(last));
  // Who saw all that was deleted missed nothing.
  const exact = await fixture.open(account, { from: String(Number(last) - 1) });
  await eventually(() => expect(exact.changes()).toEqual([last]));
  expect(exact.events).toHaveLength(1);
});
