import { expect, test } from "vitest";
import { callApi, type TestAnswer } from "../support/api.ts";
import { startContactLoad } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { createInstallation, type Installation } from "../support/installation.ts";

// A replay and a resumption go batch by batch, 100 deliveries each, a second apart. The second batch
// is stopped half way, at a row that the test has locked, and the worker dies there: its transaction
// is rolled back, its activity comes back after the 30 s that it may take. The bounds leave room for a
// machine that does much else meanwhile.
const total = 250;
const batchSize = 100;
const stuckAt = 150;
const givenBackMs = 150_000;
const boundMs = 300_000;

test.concurrent(
  "a worker killed in the middle of a replay's batch goes on after its restart: all once, none twice",
  async ({ onTestFinished }) => {
    const scene = await createScene(onTestFinished);
    await scene.call("PATCH", `/subscriptions/${scene.subscriptionId}`, { state: "disabled" });
    await scene.createContacts();
    await scene.call("PATCH", `/subscriptions/${scene.subscriptionId}`, { state: "active" });
    const draft = await scene.call("POST", `/subscriptions/${scene.subscriptionId}/replays`);
    const path = `/replays/${draft.json.data.id}`;
    expect(draft.json.data).toMatchObject({ state: "draft", total, queued: 0 });

    await scene.killInSecondBatch(async () => {
      await scene.call("POST", `${path}/start`);
    });
    expect((await scene.call("GET", path)).json.data).toMatchObject({
      state: "running",
      queued: batchSize,
    });
    await scene.installation.startWorker();
    await scene.expectEachOnce();
    expect((await scene.call("GET", path)).json.data).toMatchObject({
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
    const scene = await createScene(onTestFinished);
    await scene.call("POST", `/subscriptions/${scene.subscriptionId}/pause`);
    await scene.createContacts();

    const killed = await scene.killInSecondBatch(async () => {
      await scene.call("POST", `/subscriptions/${scene.subscriptionId}/resume`);
    });
    expect(resumedIn(killed)).toBe(batchSize);
    const worker = await scene.installation.startWorker();
    await scene.expectEachOnce();
    expect(resumedIn(worker.output())).toBe(total - batchSize);
  },
  boundMs,
);

/** What a worker's log says of its batches. */
function resumedIn(output: string): number {
  return [...output.matchAll(/"resumed":(\d+)/g)].reduce((sum, [, one]) => sum + Number(one), 0);
}

async function createScene(onTestFinished: (work: () => Promise<void>) => void) {
  const installation = await createInstallation();
  onTestFinished(installation.destroy);
  const { database, account, sink } = installation;
  const [api, worker] = await Promise.all([installation.startApi(), installation.startWorker()]);
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
    installation,
    subscriptionId: row?.id ?? 0,
    call,
    async createContacts(): Promise<void> {
      const calls = await startContactLoad(api.url, account.apiKey, { count: total }).done;
      expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([201]));
      expect(sink.posts).toEqual([]);
    },
    /** Kills the worker while its second batch is open and nothing is being posted. @returns its log. */
    async killInSecondBatch(begin: () => Promise<void>): Promise<string> {
      const release = await lockDelivery(installation);
      onTestFinished(release);
      await begin();
      await eventually(async () => {
        expect(await countWaiting(installation)).toBe(1);
        expect(await countDelivered(installation)).toBe(batchSize);
      }, givenBackMs);
      await worker.kill("SIGKILL");
      await release();
      return worker.output();
    },
    async expectEachOnce(): Promise<void> {
      await eventually(
        async () => expect(await countDelivered(installation)).toBe(total),
        givenBackMs,
      );
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

/** Holds a row of the second batch. @returns what lets it go. */
async function lockDelivery({ database }: Installation): Promise<() => Promise<void>> {
  const runner = database.dataSource.createQueryRunner();
  await runner.startTransaction("READ COMMITTED");
  const [row] = (await runner.query("SELECT id FROM deliveries ORDER BY id LIMIT 1 OFFSET ?", [
    stuckAt,
  ])) as { id: number }[];
  await runner.query("SELECT id FROM deliveries WHERE id = ? FOR UPDATE", [row?.id]);
  return async () => {
    if (runner.isReleased) return;
    await runner.rollbackTransaction();
    await runner.release();
  };
}

/** Transactions of this database that wait for a row of another. */
async function countWaiting({ database }: Installation): Promise<number> {
  const [row] = await database.dataSource.query<{ n: string }[]>(
    `SELECT COUNT(*) AS n FROM information_schema.innodb_trx t
       JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
      WHERE t.trx_state = 'LOCK WAIT' AND p.db = DATABASE()`,
  );
  return Number(row?.n);
}

async function countDelivered({ database }: Installation): Promise<number> {
  const [row] = await database.dataSource.query<{ n: string }[]>(
    "SELECT COUNT(*) AS n FROM deliveries WHERE state = 'delivered'",
  );
  return Number(row?.n);
}
