import { setImmediate } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../db/data-source.ts";
import { startDatabaseGate, type DatabaseGate } from "../api/http/database-gate.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";

let database: TestDatabase;
let gate: DatabaseGate;
let dataSource: DataSource;

beforeEach(async () => {
  database = await createTestDatabase();
  gate = await startDatabaseGate(database.url);
  dataSource = await openDatabase({ url: gate.url, poolSize: 2, bounded: true });
});

afterEach(async () => {
  await dataSource.destroy();
  await gate.stop();
  await database.stop();
});

const lost = /connection lost|ECONNRESET|closed state|disconnected by the server/i;

/** Takes a connection and keeps it until it is released. */
async function take() {
  const runner = dataSource.createQueryRunner();
  const [row] = await runner.query("SELECT CONNECTION_ID() AS id");
  return { id: Number(row.id), release: async () => await runner.release() };
}

test("who has waited three seconds is refused, and leaves no claim on what comes free then", async () => {
  const held = await Promise.all([take(), take()]);
  const refused = await Promise.allSettled(Array.from({ length: 20 }, take));
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  for (const one of held) await one.release();
  const again = await Promise.all([take(), take()]);
  expect(new Set(again.map(({ id }) => id))).toEqual(new Set(held.map(({ id }) => id)));
  const next = take();
  await again[0].release();
  expect((await next).id).toBe(again[0].id);
  await (await next).release();
  await again[1].release();
});

test("a caller who waits for a connection while the pool closes hears of that by a code", async () => {
  const closing = await openDatabase({ url: gate.url, poolSize: 2, bounded: true });
  const first = closing.query("SELECT 1");
  const second = closing.query("SELECT 1");
  await setImmediate();
  const closed = closing.destroy();
  await expect(second).rejects.toMatchObject({ code: "POOL_CLOSED" });
  await Promise.allSettled([first, closed]);
});

test("callers are served in the order in which they came", async () => {
  const held = await Promise.all([take(), take()]);
  const served: number[] = [];
  const callers = [1, 2, 3, 4, 5].map(async (caller) => {
    const connection = await take();
    served.push(caller);
    await connection.release();
  });
  await held[0].release();
  await Promise.all(callers);
  await held[1].release();
  expect(served).toEqual([1, 2, 3, 4, 5]);
});

test("a connection that comes for those who were refused meanwhile serves who is next", async () => {
  gate.shut();
  await expect(take()).rejects.toThrow(lost);
  gate.openOnce(700);
  let outcome = "waits";
  take().then(
    () => (outcome = "served"),
    () => (outcome = "refused"),
  );
  await eventually(async () => {
    await expect(take()).rejects.toThrow(lost);
    expect(outcome).toBe("refused");
  });
  const back = await eventually(take);
  // The gate still refuses: there is this one connection, and nobody has to wait for another.
  await expect(take()).rejects.toThrow(lost);
  await back.release();
  const again = await take();
  expect(again.id).toBe(back.id);
  await again.release();
});

test("connections that are lost while in use leave their places to those who wait", async () => {
  const held = await Promise.all([take(), take()]);
  const waiting = Promise.all([take(), take()]);
  for (const { id } of held) await database.dataSource.query(`KILL ${id}`);
  const fresh = await waiting;
  expect(held.map(({ id }) => id)).not.toContain(fresh[0].id);
  await Promise.all([...held, ...fresh].map(async (one) => await one.release()));
});

test("where one connection falls silent the idle ones go too: a server that is frozen is waited for once", async () => {
  const warm = await Promise.all([take(), take()]);
  await Promise.all(warm.map(async (one) => await one.release()));
  gate.freeze();
  await expect(take()).rejects.toThrow(/does not answer|connection lost/i);
  const startedAt = performance.now();
  const times = Array.from({ length: 10 }, async () => {
    await expect(take()).rejects.toThrow(/does not answer|ETIMEDOUT/i);
    return performance.now() - startedAt;
  });
  // One of them tries to connect, which has 1.5 s; the others are refused at once.
  const sorted = (await Promise.all(times)).toSorted((a, b) => a - b);
  expect(sorted.at(-1)).toBeLessThan(2_500);
  expect(sorted.at(-2)).toBeLessThan(500);
});

test("a statement that is too slow is ended alone: others have their answers all the while", async () => {
  const runner = dataSource.createQueryRunner();
  let outcome: unknown;
  const slow = runner.query("DO SLEEP(9)").then(
    () => (outcome = "answered"),
    (error: unknown) => (outcome = String(error)),
  );
  while (outcome === undefined) {
    await dataSource.query("SELECT 1 FROM DUAL WHERE SLEEP(0.05) = 0");
  }
  await slow;
  expect(outcome).toMatch(/does not answer|connection lost/i);
  await dataSource.query("SELECT 1");
  await runner.release();
});

/** Some thousand million rows. */
const endless = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
  SELECT COUNT(*) FROM n a, n b, n c, n d WHERE a.i + b.i + c.i + d.i = 7`;

test("a SELECT that takes too long is ended by the server, before its caller gives up", async () => {
  const slow = dataSource.query(endless);
  await expect(slow).rejects.toThrow(/maximum statement execution time exceeded/);
  expect(await statementsLike("RECURSIVE n")).toEqual([]);
});

test("a write that its caller gave up does not run on", async () => {
  const slow = dataSource.query(`INSERT INTO change_sequence (id) ${endless}`);
  // Others are served meanwhile: it is this statement that is slow, and not the server.
  let over = false;
  void slow.catch(() => (over = true));
  await eventually(async () => {
    await dataSource.query("SELECT 1");
    expect(over).toBe(true);
  }, 15_000);
  await eventually(async () => expect(await statementsLike("INSERT INTO")).toEqual([]));
});

/** What the server is at, beside what asks. */
async function statementsLike(word: string): Promise<string[]> {
  const rows = await database.dataSource.query<{ info: string }[]>(
    `SELECT info AS info FROM information_schema.processlist
      WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE ?`,
    [`%${word}%`],
  );
  return rows.map(({ info }) => info);
}

test("a transaction that rests is ended by the server, its locks are free, and the pool goes on", async () => {
  const [limits] = await dataSource.query("SELECT @@SESSION.wait_timeout AS seconds");
  expect(Number(limits.seconds)).toBe(60);
  await database.dataSource.query("CREATE TABLE resting (id INT PRIMARY KEY)");
  await database.dataSource.query("INSERT INTO resting VALUES (1)");
  const runner = dataSource.createQueryRunner();
  await runner.query("SET SESSION wait_timeout = 1");
  await runner.startTransaction();
  await runner.query("SELECT id FROM resting FOR UPDATE");
  await database.dataSource.query("DELETE FROM resting");
  await expect(runner.query("COMMIT")).rejects.toThrow(lost);
  await runner.release();
  // The connection may still be in the pool until its end is read.
  await eventually(async () => {
    expect(await dataSource.query("SELECT id FROM resting")).toEqual([]);
  });
});
