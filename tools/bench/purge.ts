import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, Connection } from "@temporalio/client";
import { readNaming } from "../../dev/read-naming.ts";
import { median, percentile } from "./load.ts";
import { inMs, ratioOf } from "./print.ts";
import type { BenchStack } from "./stack.ts";
import { createCaller } from "./caller.ts";
import { measureLatency } from "./latency.ts";

const perSecond = 50;
/** Maximum. A fast machine deletes all old rows in fewer turns. */
const mostTurns = 5;
const fewestTurns = 3;
const rowsAtOnce = 50_000;

/** Latency of first attempts without other work, and while old rows are deleted, in turns. */
export async function benchPurge(
  stack: BenchStack,
  scale: number,
  events: number | null,
): Promise<string[][]> {
  const total = events ?? Math.round(1_000_000 * scale);
  const seconds = Math.max(5, Math.round(15 * scale));
  await fillOldDeliveries(stack, total);
  await stack.startWorker();
  const api = createCaller(stack, perSecond);
  const run = async (firstIndex: number) =>
    percentile(await measureLatency(stack, api, { perSecond, seconds, firstIndex }), 0.99);
  await run(0);
  const p99 = { quiet: [] as number[], purging: [] as number[] };
  let purged = 0;
  let turns = 0;
  for (let before = await countOld(stack); turns < mostTurns; turns += 1) {
    const quietMs = await run((2 * turns + 1) * 100_000);
    const stopPurge = await startPurge(stack);
    const purgingMs = await run((2 * turns + 2) * 100_000);
    const left = await countOld(stack);
    await stopPurge();
    // Without rows left, the purge ended before the measurement did, so this turn does not count.
    if (left === 0) break;
    if (left === before) throw new Error("Nothing was purged.");
    p99.quiet.push(quietMs);
    p99.purging.push(purgingMs);
    purged += before - left;
    before = await countOld(stack);
    process.stdout.write(
      `turn ${turns + 1}  p99 ${inMs(quietMs)}, ${inMs(purgingMs)}; ${before} old rows left\n`,
    );
  }
  await api.close();
  if (turns < Math.ceil(fewestTurns * scale)) {
    throw new Error(
      `Only ${turns} turns went by before all old rows were gone: give more (--events).`,
    );
  }
  const [quiet, purging] = [median(p99.quiet), median(p99.purging)];
  const list = (values: number[]) => values.map((value) => value.toFixed(0)).join(", ");
  return [
    ["old rows purged meanwhile, each run", String(Math.round(purged / turns))],
    [
      `p99 of first attempts at ${perSecond}/s, median of ${turns} runs`,
      inMs(quiet),
      list(p99.quiet),
    ],
    ["p99 while old rows are purged", inMs(purging), list(p99.purging)],
    ["", ratioOf(purging, quiet)],
  ];
}

/** Adds deliveries with their events and attempts, all older than every retention time. */
async function fillOldDeliveries(stack: BenchStack, total: number): Promise<void> {
  const runner = stack.dataSource.createQueryRunner();
  await runner.query("SET SESSION cte_max_recursion_depth = 1000000");
  const range = "WITH RECURSIVE n AS (SELECT ? AS i UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
  const at = "TIMESTAMPADD(SECOND, i, '2020-01-01')";
  // A UUIDv7 has the time in its first six bytes.
  const id = `UNHEX(CONCAT(LPAD(HEX(1577836800000 + i * 1000), 12, '0'), LPAD(HEX(i), 20, '0')))`;
  for (let from = 1; from <= total; from += rowsAtOnce) {
    const bounds = [from, Math.min(from + rowsAtOnce - 1, total)];
    await runner.query(
      `INSERT INTO events (id, account_id, type, contact_id, body, occurred_at)
       ${range} SELECT ${id}, ?, 'contact.created', i, REPEAT('x', 420), ${at} FROM n`,
      [...bounds, stack.accountId],
    );
    await runner.query(
      `INSERT INTO deliveries (id, account_id, event_id, subscription_id, event_type, state, attempts_made,
                               created_at, updated_at, finished_at)
       ${range} SELECT i, ?, ${id}, 1, 'contact.created', 'delivered', 1, ${at}, ${at}, ${at} FROM n`,
      [...bounds, stack.accountId],
    );
    await runner.query(
      `INSERT INTO delivery_attempts (account_id, delivery_id, run, seq, number, started_at, duration_ms,
                                      status_code, request_url)
       ${range} SELECT ?, i, 1, 1, 1, ${at}, 20, 204, 'https://receiver.example/hook' FROM n`,
      [...bounds, stack.accountId],
    );
    process.stdout.write(`filled  ${bounds[1]} deliveries\n`);
  }
  await runner.query("ANALYZE TABLE events, deliveries, delivery_attempts");
  await runner.release();
}

/** Starts a purge. @returns a function that stops it once the present step is over */
async function startPurge(stack: BenchStack): Promise<() => Promise<void>> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const client = new Client({ connection });
  const workflowId = `bench-purge-${randomUUID()}`;
  const taskQueue = (await readNaming(stack.databaseUrl))("ops");
  const handle = await client.workflow.start("purge", { workflowId, taskQueue });
  return async () => {
    await handle.terminate().catch(() => undefined);
    await connection.close();
    for (let before = -1, left = await countOld(stack); left !== before;) {
      before = left;
      await sleep(1_500);
      left = await countOld(stack);
    }
  };
}

async function countOld({ dataSource }: BenchStack): Promise<number> {
  const [row] = await dataSource.query<{ n: string }[]>(
    `SELECT (SELECT COUNT(*) FROM delivery_attempts WHERE started_at < '2021-01-01')
          + (SELECT COUNT(*) FROM deliveries WHERE finished_at < '2021-01-01')
          + (SELECT COUNT(*) FROM events WHERE id < UNHEX('018000000000')) AS n`,
  );
  return Number(row?.n);
}
