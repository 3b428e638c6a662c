import { afterEach, expect, test } from "vitest";
import { hashToken } from "../../../core/secrets.ts";
import { switchSessionAccount } from "../../../core/services/accounts/users.ts";
import { openDatabase } from "../../../db/data-source.ts";
import { asSystem, type TestAccount } from "../../support/accounts.ts";
import { startTestApi } from "../../support/api.ts";
import { whileLocked } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import type { StreamReader } from "../../support/event-stream.ts";
import { startDatabaseGate } from "../http/database-gate.ts";
import { startStreamFixture } from "./stream-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startStreamFixture);

afterEach(() => fixture.leaveAll());

/** For tens of thousands of changes on a busy machine. */
const manyMs = 40_000;

test.each([
  ["without a login", {}, 401, "session_required"],
  ["with an unknown login", { cookie: "parley_session=x" }, 401, "session_required"],
  ["from another site", { "sec-fetch-site": "cross-site" }, 403, "csrf_rejected"],
])("%s a stream is refused in the usual envelope", async (_, headers, status, code) => {
  const { cookie } = fixture.account;
  const answer = await fixture.api.call("GET", "/dashboard/api/stream", {
    headers: { ...(status === 403 ? { cookie } : {}), ...headers },
  });
  expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
});

test.each(["HEAD", "POST", "DELETE"])("%s is 405 and names GET", async (method) => {
  const { cookie } = fixture.account;
  const answer = await fixture.api.call(method, "/dashboard/api/stream", { cookie });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
});

test.each<[string, (account: TestAccount) => Promise<unknown>]>([
  [
    "the person logs out",
    async ({ cookie }) => await fixture.api.call("DELETE", "/dashboard/api/session", { cookie }),
  ],
  [
    "the login expires",
    async ({ userId }) =>
      await fixture.query("UPDATE sessions SET expires_at = UTC_TIMESTAMP(3) WHERE user_id = ?", [
        userId,
      ]),
  ],
  [
    "the membership is disabled",
    async ({ userId }) =>
      await fixture.query("UPDATE memberships SET disabled_at = NOW() WHERE user_id = ?", [userId]),
  ],
  [
    "the login moves to another account",
    async ({ userId, accountId, cookie }) => {
      const other = await fixture.newAccount();
      await fixture.query(
        "INSERT INTO memberships SET user_id = ?, account_id = ?, role = 'agent'",
        [userId, other.accountId],
      );
      const hash = hashToken(cookie.slice("parley_session=".length));
      await asSystem(fixture.database.dataSource, accountId, (tx) =>
        switchSessionAccount(tx, hash, other.accountId),
      );
    },
  ],
])("when %s, the stream tells its reader to start over and ends", async (_, lose) => {
  const account = await fixture.newAccount();
  const api = await fixture.startQuickApi({ checkMs: 100 });
  try {
    const reader = await fixture.openReady(account, api.url);
    await lose(account);
    await eventually(() => expect(reader.ended).toBe(true));
    expect(reader.events.map(({ event }) => event)).toEqual(["ready", "reset"]);
  } finally {
    await api.stop();
  }
});

test("a login that stays good keeps its stream, and a quiet one is kept open by beats", async () => {
  const account = await fixture.newAccount();
  const api = await fixture.startQuickApi({ checkMs: 50, heartbeatMs: 50 });
  try {
    const reader = await fixture.openReady(account, api.url);
    await eventually(() => expect(reader.beats).toBeGreaterThan(10));
    expect([reader.ended, reader.events.length]).toEqual([false, 1]);
  } finally {
    await api.stop();
  }
});

test("with the database away a stream stays, and goes on without a gap when it is back", async () => {
  const account = await fixture.newAccount();
  const gate = await startDatabaseGate(fixture.database.url);
  const dataSource = await openDatabase({ url: gate.url, poolSize: 10, bounded: true });
  const api = await startTestApi({ ...fixture.database, dataSource });
  try {
    const reader = await fixture.openReady(account, api.url);
    await fixture.record(account);
    await eventually(() => expect(reader.changes()).toHaveLength(1));
    gate.shut();
    const shutAt = performance.now();
    await Promise.all([fixture.record(account), fixture.record(account)]);
    await eventually(() => expect(performance.now() - shutAt).toBeGreaterThan(2_000));
    const refused = await fixture.open(account, { url: api.url });
    expect([refused.status, refused.headers["content-type"]]).toEqual([
      503,
      "application/json; charset=utf-8",
    ]);
    expect([reader.ended, reader.changes().length]).toEqual([false, 1]);
    gate.open();
    await eventually(() => expect(reader.changes()).toHaveLength(3));
    expect(reader.changes()).toEqual(await fixture.numbersOf(account));
  } finally {
    await api.stop();
    await dataSource.destroy();
    await gate.stop();
  }
});

test("a stop ends streams at once, those whose reader sleeps too, and opens no more", async () => {
  const account = await fixture.newAccount();
  const api = await startTestApi(fixture.database);
  const reader = await fixture.openReady(account, api.url);
  const from = reader.lastId();
  await fixture.recordNumbered(account, 60_000);
  const asleep = await fixture.open(account, { from, url: api.url });
  asleep.pause();
  await fixture.record(account);
  await eventually(() => expect(reader.changes()).toHaveLength(60_001), manyMs);
  const begun = performance.now();
  await api.stop();
  expect(performance.now() - begun).toBeLessThan(5_000);
  await eventually(() => expect(reader.ended).toBe(true));
  const late = await startTestApi(fixture.database);
  await late.deps.liveStreams.stop();
  const refused = await late.call("GET", "/dashboard/api/stream", { cookie: account.cookie });
  expect([refused.status, refused.json.error.code]).toEqual([503, "service_unavailable"]);
  await late.stop();
});

test("a person's eleventh stream ends their oldest, which comes back slowly and for what it missed", async () => {
  const account = await fixture.newAccount();
  const another = await fixture.openReady(await fixture.newAccount());
  const own: StreamReader[] = [];
  for (let count = 0; count < 11; count += 1) own.push(await fixture.openReady(account));
  await eventually(() => expect(own[0]?.ended).toBe(true));
  expect(own[0]?.text()).toMatch(/\n\nretry: 15000\n\n$/);
  await fixture.record(account);
  for (const reader of own.slice(1)) {
    await eventually(() => expect(reader.changes()).toHaveLength(1));
    expect(reader.ended).toBe(false);
  }
  expect(another.ended).toBe(false);
  const back = await fixture.open(account, { from: own[0]?.lastId() ?? null });
  await eventually(() => expect(back.changes()).toHaveLength(1));
});

test("a reader who takes nothing is cut off before it costs memory, and comes back for the rest", async () => {
  await eventually(async () => expect(await fixture.countOpen()).toBe(0));
  const account = await fixture.newAccount();
  const api = await fixture.startQuickApi({ heartbeatMs: 100 });
  const reader = await fixture.openReady(account, api.url);
  expect(await fixture.countOpen()).toBe(1);
  reader.pause();
  // More than the sockets of both sides hold.
  const total = 60_000;
  await fixture.recordNumbered(account, total);
  await eventually(async () => expect(await fixture.countOpen()).toBe(0));
  reader.resume();
  await eventually(() => expect(reader.ended).toBe(true));
  await api.stop();
  const back = await fixture.open(account, { from: reader.lastId() });
  await eventually(
    () => expect(reader.changes().length + back.changes().length).toBe(total),
    manyMs,
  );
  expect([...reader.changes(), ...back.changes()]).toEqual(await fixture.numbersOf(account));
  expect(await fixture.countOpen()).toBe(1);
});

test("a reader who sleeps while catching up is given no more than they take, and then the rest", async () => {
  const account = await fixture.newAccount();
  const first = await fixture.openReady(account);
  first.leave();
  const total = 60_000;
  await fixture.recordNumbered(account, total);
  const reader = await fixture.open(account, { from: first.lastId() });
  reader.pause();
  const brisk = await fixture.openReady(account);
  await fixture.record(account);
  await eventually(() => expect(brisk.changes()).toHaveLength(1));
  expect([reader.ended, reader.changes().length < total]).toEqual([false, true]);
  reader.resume();
  await eventually(() => expect(reader.changes()).toHaveLength(total + 1), manyMs);
  expect(reader.changes()).toEqual(await fixture.numbersOf(account));
});

test("a reader who leaves is forgotten, and with the last one the database is left alone", async () => {
  const reader = await fixture.openReady(await fixture.newAccount());
  await eventually(async () => expect(await fixture.countOpen()).toBe(1));
  reader.leave();
  await eventually(async () => expect(await fixture.countOpen()).toBe(0));
  const account = await fixture.newAccount();
  const again = await fixture.openReady(account);
  await fixture.record(account);
  await eventually(() => expect(again.changes()).toHaveLength(1));
});

test("a reader who leaves before the answer leaves no stream behind", async () => {
  await eventually(async () => expect(await fixture.countOpen()).toBe(0));
  const account = await fixture.newAccount();
  const answered = async () => {
    const { values } = await fixture.api.deps.metrics.requests.get();
    const route = "/dashboard/api/stream";
    const own = values.filter(({ labels }) => labels["route"] === route);
    return own.reduce((sum, { value }) => sum + value, 0);
  };
  const before = await answered();
  const leaving = new AbortController();
  const { cookie } = account;
  const { signal } = leaving;
  await whileLocked(fixture.database.dataSource, "change_sequence", async () => {
    const left = fetch(`${fixture.api.url}/dashboard/api/stream`, { headers: { cookie }, signal });
    const waiting =
      "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND state LIKE 'Waiting for table%'";
    await eventually(async () => expect(await fixture.query(waiting)).toHaveLength(1));
    leaving.abort();
    await expect(left).rejects.toThrow(/aborted/);
  });
  await eventually(async () => expect(await answered()).toBe(before + 1));
  await eventually(async () => expect(await fixture.countOpen()).toBe(0));
});
