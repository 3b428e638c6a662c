import { beforeAll, beforeEach, expect, test } from "vitest";
import type { DataSource } from "typeorm";
import {
  changePageSize,
  listMissedChanges,
  listNewChanges,
  numberChanges,
  purgeChanges,
  readChangeSequence,
  recordChange,
} from "../../core/services/outbox/changes.ts";
import { systemOf, transaction, type Tx } from "../../db/transaction.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let dataSource: DataSource;

beforeAll(async () => {
  ({ dataSource } = database);
});

beforeEach(async () => {
  await dataSource.query("TRUNCATE TABLE changes");
  await dataSource.query("UPDATE change_sequence SET last_seq = 0, purged_seq = 0");
});

const run = async <T>(work: (tx: Tx) => Promise<T>, accountId = 1): Promise<T> =>
  await transaction(dataSource, systemOf(accountId), work);

async function fill(count: number, set = "1 + i % 3, NULL, NOW()"): Promise<void> {
  await dataSource.query(
    `INSERT INTO changes (account_id, seq, created_at, kind)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     SELECT /*+ SET_VAR(cte_max_recursion_depth = 1000000) */ ${set}, 'message.created' FROM n`,
    [count],
  );
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function numbers(): Promise<number[]> {
  const rows = await dataSource.query<{ seq: number }[]>(
    "SELECT seq FROM changes WHERE seq IS NOT NULL ORDER BY seq",
  );
  return rows.map(({ seq }) => seq);
}

test("many who number at once give every change one number, without a hole", async () => {
  await fill(2_500);
  const counts = await Promise.all(upTo(12).map(async () => await run(numberChanges)));
  expect(counts.toSorted((a, b) => b - a).slice(0, 4)).toEqual([
    changePageSize,
    changePageSize,
    500,
    0,
  ]);
  expect(await numbers()).toEqual(upTo(2_500));
  expect(await readChangeSequence(dataSource.manager)).toEqual({
    lastSeq: 2_500,
    purgedSeq: 0,
    unnumbered: false,
  });
});

test("a reader who goes on from the last number it saw misses none, while others number", async () => {
  let writing = true;
  const seen: number[] = [];
  const look = async () => {
    const rows = await listNewChanges(dataSource.manager, seen.at(-1) ?? 0);
    seen.push(...rows.map(({ seq }) => seq));
    return rows.length;
  };
  const writers = upTo(4).map(async () => {
    for (let count = 0; count < 25; count += 1) {
      await run((tx) => recordChange(tx, { kind: "message.created" }));
    }
  });
  const numberers = upTo(2).map(async () => {
    while (writing) await run(numberChanges);
  });
  const reader = (async () => {
    while (writing) await look();
  })();
  await Promise.all(writers);
  writing = false;
  await Promise.all([...numberers, reader]);
  await run(numberChanges);
  await look();
  expect(seen).toEqual(upTo(100));
});

test("neither numbers nor a purge wait for a change whose transaction is open", async () => {
  await fill(30);
  const open = dataSource.createQueryRunner();
  await open.startTransaction();
  const tx = { manager: open.manager, now: new Date(), origin: null, ...systemOf(1) };
  await recordChange(tx, { kind: "message.created" });
  await fill(30);
  const waiting = dataSource.createQueryRunner();
  await waiting.query("SET SESSION innodb_lock_wait_timeout = 1");
  await waiting.startTransaction();
  const own = { ...tx, manager: waiting.manager, now: new Date(Date.now() + 25 * 3_600_000) };
  expect(await numberChanges(own)).toBe(60);
  expect(await purgeChanges(own)).toBe(60);
  await waiting.commitTransaction();
  await waiting.query("SET SESSION innodb_lock_wait_timeout = 5");
  await waiting.release();
  await open.commitTransaction();
  await open.release();
  expect(await run(numberChanges)).toBe(1);
  expect(await numbers()).toEqual([61]);
});

test("a purge takes what is a day old, the oldest first, and no more", async () => {
  await fill(700, "1, i, UTC_TIMESTAMP(3) - INTERVAL 1441 MINUTE");
  await fill(10, "1, 700 + i, UTC_TIMESTAMP(3) - INTERVAL 1439 MINUTE");
  await dataSource.query("UPDATE change_sequence SET last_seq = 710");
  const counts = [await run(purgeChanges), await run(purgeChanges), await run(purgeChanges)];
  expect(counts).toEqual([500, 200, 0]);
  expect(await numbers()).toEqual(upTo(710).slice(700));
  expect(await readChangeSequence(dataSource.manager)).toMatchObject({ purgedSeq: 700 });
  const missed = async (after: number) =>
    (await listMissedChanges(dataSource.manager, { accountId: 1, after, upTo: 705 }))?.length;
  expect([await missed(699), await missed(700), await missed(703)]).toEqual([undefined, 5, 2]);
});

test("every look reads an index alone, in its order", async () => {
  await fill(3_000, "1 + i % 4, i, UTC_TIMESTAMP(3)");
  await fill(20);
  await dataSource.query("ANALYZE TABLE changes");
  const runner = dataSource.createQueryRunner();
  await runner.query("SET SESSION explain_format = 'TRADITIONAL'");
  const query = runner.query.bind(runner);
  const plans: Record<string, unknown>[] = [];
  // Explains each statement just before it runs; what runs is untouched.
  const explaining = async (sql: string, ...rest: unknown[]): Promise<unknown> => {
    if (/^\s*(SELECT|UPDATE|DELETE)/i.test(sql)) {
      plans.push(...((await query(`EXPLAIN ${sql}`, rest[0] as unknown[])) as typeof plans));
    }
    return await Reflect.apply(query, runner, [sql, ...rest]);
  };
  Reflect.set(runner, "query", explaining);
  const tx = { manager: runner.manager, now: new Date(Date.now() + 25 * 3_600_000), origin: null };
  const range = { accountId: 2, after: 0, upTo: 2_000 };
  await readChangeSequence(runner.manager);
  await listNewChanges(runner.manager, 10);
  await listMissedChanges(runner.manager, range);
  await numberChanges({ ...tx, ...systemOf() });
  await purgeChanges({ ...tx, ...systemOf() });
  await runner.release();
  const own = plans.filter(({ table }) => table === "changes");
  expect(own.length).toBeGreaterThanOrEqual(8);
  expect(new Set(own.map(({ key }) => key))).toEqual(
    new Set(["changes_seq", "changes_account", "PRIMARY"]),
  );
  expect(own.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
  expect(own.filter(({ Extra }) => /filesort|temporary/.test(String(Extra)))).toEqual([]);
});
