import { setTimeout as sleep } from "node:timers/promises";
import mysql from "mysql2/promise";
import { readRows, withMysql } from "../books.ts";
import type { AnswerLine } from "../ledger.ts";
import type { Scenario } from "../run-scenario.ts";
import {
  check,
  checkNone,
  injectFault,
  untilTrue,
  type ScenarioContext,
} from "../scenario-context.ts";

const refusedWithinMs = 2_000;
const backWithinMs = 10_000;
/** Wait for a connection plus wait for its answer in ms, on a machine with other work. */
const answeredWithinMs = 11_000;

const killed: Scenario = {
  id: "F5",
  title: "MySQL is killed under load and started again",
  seconds: 30,
  share: 0.8,
  async run(stage) {
    const pids = listPids(stage);
    const end = performance.now() + stage.seconds * 1_000;
    while (performance.now() < end) {
      await sleep(3_000);
      const away = stage.chance.between(3_000, 9_000);
      await loseMysql(stage, away);
    }
    check(stage, listPids(stage).join() === pids.join(), "a process ended while MySQL was away");
  },
};

/**
 * Kills MySQL and starts it again after `awayMs`.
 * @returns the period in which it was certainly away
 */
export async function killMysql(
  stage: ScenarioContext,
  awayMs: number,
): Promise<{ gone: number; until: number }> {
  const { mysql: server } = stage.installation;
  let gone = 0;
  let until = 0;
  await injectFault(stage, `MySQL killed for ${awayMs} ms`, "span", async () => {
    await server.kill();
    gone = performance.now();
    stage.kills += 1;
    await sleep(awayMs);
    until = performance.now();
    await server.start();
  });
  return { gone, until };
}

/** Kills MySQL for a time and checks the answers of the API meanwhile. */
async function loseMysql(stage: ScenarioContext, awayMs: number): Promise<void> {
  const { gone, until } = await killMysql(stage, awayMs);
  const back = performance.now();
  const served = ({ at, ms, status }: AnswerLine) => at + ms > back && isGood(status);
  const answers = () => stage.loads.flatMap((load) => load.answers);
  const recovered = await untilTrue(() => answers().some(served), backWithinMs);
  check(
    stage,
    recovered !== null,
    `no call was served within ${backWithinMs} ms of MySQL's return`,
  );
  // Includes calls that were answered only after MySQL's return.
  const during = answers().filter(({ at }) => at > gone && at + refusedWithinMs < until);
  check(stage, during.length > 0, "nobody called while MySQL was away");
  const late = during.filter(({ ms }) => ms > refusedWithinMs);
  checkNone(stage, late.map(describe), "calls refused late while MySQL was away");
  const odd = during.filter(({ status }) => status !== 503);
  checkNone(stage, odd.map(describe), "answers other than 503 while MySQL was away");
}

const slow: Scenario = {
  id: "F6",
  title: "MySQL is frozen, then slow",
  seconds: 26,
  share: 0.6,
  async run(stage) {
    const { mysql: server, proxies } = stage.installation;
    const half = (stage.seconds * 1_000) / 2;
    await sleep(2_000);
    await injectFault(stage, "MySQL frozen", "span", async () => {
      server.freeze();
      await sleep(half);
      await server.heal();
    });
    await sleep(3_000);
    await injectFault(stage, "300 ms to MySQL and back", "span", async () => {
      for (const proxy of [proxies.apiMysql, proxies.workerMysql]) proxy.delay(150);
      await sleep(half);
      for (const proxy of [proxies.apiMysql, proxies.workerMysql]) await proxy.heal();
    });
    await Promise.all(stage.loads.map(async (load) => await load.stop()));
    const late = stage.loads
      .flatMap(({ answers }) => answers)
      .filter(({ ms }) => ms > answeredWithinMs);
    checkNone(stage, late.map(describe), `calls that took more than ${answeredWithinMs} ms`);
  },
};

/** Both cases: the server never receives the COMMIT, or its answer is lost. */
const cut: Scenario = {
  id: "F7",
  title: "connections break at COMMIT, before it and after it",
  seconds: 25,
  share: 0.6,
  async run(stage) {
    const { apiMysql, workerMysql } = stage.installation.proxies;
    const chance = stage.chance.fork("cuts");
    const fate = (share: number) => () =>
      chance.next() >= share ? "pass" : chance.pick(["before", "after"] as const);
    // An attempt is not repeated where only its writes are disturbed, because its row records its
    // progress.
    await injectFault(stage, "COMMITs cut", "none", async () => {
      apiMysql.decide(fate(0.05));
      workerMysql.decide(fate(0.03));
      await sleep(stage.seconds * 1_000);
    });
    const cuts = apiMysql.cuts() + workerMysql.cuts();
    stage.print(`${cuts} COMMITs were cut`);
    check(stage, cuts > 20, `only ${cuts} COMMITs were cut`);
  },
};

const locked: Scenario = {
  id: "F8",
  title: "others hold the rows that we need, in the opposite order and for too long",
  seconds: 25,
  share: 0.6,
  async run(stage) {
    const end = performance.now() + stage.seconds * 1_000;
    const before = await readLockCounts(stage);
    await injectFault(stage, "rows locked by others", "none", async () => {
      await Promise.all([
        crossWorkers(stage, end),
        crossWorkers(stage, end),
        holdContacts(stage, end),
      ]);
    });
    const after = await readLockCounts(stage);
    const deadlocks = after.deadlocks - before.deadlocks;
    const timeouts = after.timeouts - before.timeouts;
    stage.print(`${deadlocks} deadlocks, ${timeouts} lock timeouts`);
    check(
      stage,
      deadlocks > 0 && timeouts > 0,
      `${deadlocks} deadlocks, ${timeouts} lock timeouts`,
    );
  },
};

/** Locks an attempt's row, then its delivery. Our transactions lock them in the opposite order. */
async function crossWorkers({ installation, chance }: ScenarioContext, end: number): Promise<void> {
  await intrude(installation.databaseUrl, end, async (connection) => {
    const [row] = await readRows<{ id: number; delivery_id: number }>(
      connection,
      "SELECT id, delivery_id FROM delivery_attempts WHERE duration_ms IS NULL ORDER BY RAND() LIMIT 1",
    );
    if (row === undefined) return;
    await connection.query("SELECT id FROM delivery_attempts WHERE id = ? FOR UPDATE", [row.id]);
    await sleep(chance.between(2, 30));
    await connection.query("SELECT id FROM deliveries WHERE id = ? FOR UPDATE", [row.delivery_id]);
  });
}

/**
 * Locks contacts without a tag, some of which will be tagged soon. It holds them longer than our
 * lock timeout.
 */
async function holdContacts({ installation }: ScenarioContext, end: number): Promise<void> {
  await intrude(installation.databaseUrl, end, async (connection) => {
    await connection.query(
      `SELECT c.id FROM contacts c LEFT JOIN contact_tags t ON t.contact_id = c.id
        WHERE t.contact_id IS NULL ORDER BY c.id LIMIT 100 FOR UPDATE OF c`,
    );
    await sleep(Math.min(6_000, Math.max(0, end - performance.now())));
  });
}

async function intrude(
  url: string,
  end: number,
  work: (connection: mysql.Connection) => Promise<void>,
): Promise<void> {
  const connection = await mysql.createConnection(url);
  try {
    await connection.query("SET SESSION transaction_isolation = 'READ-COMMITTED'");
    while (performance.now() < end) {
      await connection.beginTransaction();
      // MySQL may choose this transaction as the victim of a deadlock.
      await work(connection).catch(() => undefined);
      await connection.rollback();
      await sleep(25);
    }
  } finally {
    connection.destroy();
  }
}

async function readLockCounts({ installation }: ScenarioContext) {
  return await withMysql(installation, async (connection) => {
    const rows = await readRows<{ name: string; total: number }>(
      connection,
      `SELECT name, count AS total FROM information_schema.innodb_metrics
        WHERE name IN ('lock_deadlocks', 'lock_timeouts')`,
    );
    const count = (name: string) => Number(rows.find((row) => row.name === name)?.total ?? 0);
    return { deadlocks: count("lock_deadlocks"), timeouts: count("lock_timeouts") };
  });
}

function listPids({ installation: { apis, workers } }: ScenarioContext): number[] {
  return [...apis, ...workers].map((one) => one.pid());
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

function describe({ kind, status, ms }: AnswerLine): string {
  return `${kind} read ${status} after ${ms.toFixed(0)} ms`;
}

export const mysqlScenarios: readonly Scenario[] = [killed, slow, cut, locked];
