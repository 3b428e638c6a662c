import { expect, test } from "vitest";
import { callApi, type TestAnswer } from "../support/api.ts";
import { startContactLoad } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { createProcessFixture, type ProcessFixture } from "../support/process-fixture.ts";

// A replay and a resumption go batch by batch, 100 deliveries each, a second apart. The second batch
// is stopped half way, when it has written half of its rows, and the worker dies there: MySQL rolls it
// back, and its activity comes back after the 30 s that it may take. The bounds leave room for a
// machine that does much else meanwhile.
const total = 160;
const batchSize = 100;
const stuckAt = 130;
const givenBackMs = 150_000;
const boundMs = 300_000;

test.concurrent(
  "a worker killed in the middle of a replay's batch goes on after its restart: all once, none twice",
  async ({ onTestFinished }) => {
    const fixture = await createFixture(onTestFinished);
    await fixture.call("PATCH", `/subscriptions/${fixture.subscriptionId}`, { state: "disabled" });
    await fixture.createContacts();
    await fixture.call("PATCH", `/subscriptions/${fixture.subscriptionId}`, { state: "active" });
    const draft = await fixture.call("POST", `/subscriptions/${fixture.subscriptionId}/replays`);
    const path = `/replays/${draft.json.data.id}`;
    expect(draft.json.data).toMatchObject({ state: "draft", total, queued: 0 });

    await fixture.killInSecondBatch(async () => {
      await fixture.call("POST", `${path}/start`);
    });
    expect((await fixture.call("GET", path)).json.data).toMatchObject({
      state: "running",
      queued: batchSize,
    });
    await fixture.processes.startWorker();
    await fixture.expectEachOnce();
    expect((await fixture.call("GET", path)).json.data).toMatchObject({
      state: "completed",
      total,
      queued: total,
      passed_over: 0,
    });
  },
  boundMs,
);

test.concurrent(
  "a worker killed in the middle of a resumption's batch goes on after its restart: all once, none twice",
  async ({ onTestFinished }) => {
    const fixture = await createFixture(onTestFinished);
    await fixture.call("POST", `/subscriptions/${fixture.subscriptionId}/pause`);
    await fixture.createContacts();

    const killed = await fixture.killInSecondBatch(async () => {
      await fixture.call("POST", `/subscriptions/${fixture.subscriptionId}/resume`);
    });
    expect(resumedIn(killed)).toBe(batchSize);
    const worker = await fixture.processes.startWorker();
    await fixture.expectEachOnce();
    expect(resumedIn(worker.output())).toBe(total - batchSize);
  },
  boundMs,
);

/** What a worker's log says of its batches. */
function resumedIn(output: string): number {
  return [...output.matchAll(/"resumed":(\d+)/g)].reduce((sum, [, one]) => sum + Number(one), 0);
}

async function createFixture(onTestFinished: (work: () => Promise<void>) => void) {
  const fixture = await createProcessFixture();
  onTestFinished(fixture.stop);
  const { database, account, sink } = fixture;
  const [api, worker] = await Promise.all([fixture.startApi(), fixture.startWorker()]);
  const [row] = await database.dataSource.query<{ id: number }[]>("SELECT id FROM subscriptions");
  const call = async (method: string, path: string, body?: unknown): Promise<TestAnswer> => {
    const answer = await callApi(api.url, method, `/dashboard/api${path}`, {
      cookie: account.cookie,
      body,
    });
    expect([method, path, answer.status < 300]).toEqual([method, path, true]);
    return answer;
  };
  return {
    processes: fixture,
    subscriptionId: row?.id ?? 0,
    call,
    async createContacts(): Promise<void> {
      const calls = await startContactLoad(api.url, account.apiKey, { count: total }).done;
      expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([201]));
      expect(sink.posts).toEqual([]);
    },
    /** Kills the worker in the middle of its second batch, when the first has arrived. @returns its log. */
    async killInSecondBatch(begin: () => Promise<void>): Promise<string> {
      const release = await stopHalfWay(fixture);
      onTestFinished(release);
      await begin();
      await eventually(
        async () => expect(await countDelivered(fixture)).toBe(batchSize),
        givenBackMs,
      );
      await eventually(async () => expect(await isStoppedHalfWay(fixture)).toBe(true), givenBackMs);
      await worker.kill("SIGKILL");
      await release();
      return worker.output();
    },
    async expectEachOnce(): Promise<void> {
      await eventually(async () => expect(await countDelivered(fixture)).toBe(total), givenBackMs);
      const made = await database.dataSource.query<object[]>(
        `SELECT d.run, d.first_number, d.attempts_made, a.run AS attempted_in, a.seq, a.number, a.posts,
                COUNT(*) AS deliveries
           FROM deliveries d LEFT JOIN delivery_attempts a ON a.delivery_id = d.id
          GROUP BY 1, 2, 3, 4, 5, 6, 7`,
      );
      const attempt = { attempted_in: 2, seq: 1, number: 1, posts: 1 };
      expect(made).toEqual([
        { run: 2, first_number: 1, attempts_made: 1, ...attempt, deliveries: total },
      ]);
      expect(sink.posts).toHaveLength(total);
      const ids = sink.posts.map(({ headers }) => headers["x-service-event-id"]);
      expect(new Set(ids).size).toBe(total);
    },
  };
}

/** Whoever queues a delivery of the second batch waits there, and for no longer than any lock lets it. */
async function stopHalfWay({ database }: ProcessFixture): Promise<() => Promise<void>> {
  const { dataSource } = database;
  const [stuck] = await dataSource.query<{ id: number }[]>(
    "SELECT id FROM deliveries ORDER BY id LIMIT 1 OFFSET ?",
    [stuckAt],
  );
  await dataSource.query("CREATE TABLE gate (id INT PRIMARY KEY)");
  await dataSource.query("INSERT INTO gate VALUES (1)");
  await dataSource.query(
    `CREATE TRIGGER at_the_gate BEFORE INSERT ON outbox FOR EACH ROW
      IF NEW.delivery_id = ${stuck?.id} THEN SET @gate = (SELECT id FROM gate FOR SHARE); END IF`,
  );
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query("SELECT id FROM gate FOR UPDATE");
  return async () => {
    if (runner.isReleased) return;
    await runner.rollbackTransaction();
    await runner.release();
  };
}

/** innodb_trx would tell too, but it is refreshed only when nobody has looked for a tenth of a second. */
async function isStoppedHalfWay({ database }: ProcessFixture): Promise<boolean> {
  const waiting = await database.dataSource.query<object[]>(
    `SELECT id FROM information_schema.processlist
      WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE '%FROM gate FOR SHARE%'`,
  );
  return waiting.length > 0;
}

async function countDelivered({ database }: ProcessFixture): Promise<number> {
  const [row] = await database.dataSource.query<{ n: string }[]>(
    "SELECT COUNT(*) AS n FROM deliveries WHERE state = 'delivered'",
  );
  return Number(row?.n);
}
