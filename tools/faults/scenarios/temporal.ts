import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, Connection } from "@temporalio/client";
import type { ReconcileProgress } from "../../../core/model/workflow/reconcile.ts";
import { readCpuSeconds, readOpenWork, readRows, withMysql } from "../books.ts";
import type { Scenario } from "../run-scenario.ts";
import { readNaming } from "../../../dev/read-naming.ts";
import {
  check,
  checkNone,
  injectFault,
  untilTrue,
  type ScenarioContext,
} from "../scenario-context.ts";

const away: Scenario = {
  id: "F11",
  title: "Temporal is killed and stays away; an API is started without it",
  seconds: 25,
  share: 0.8,
  drainMs: 90_000,
  async run(stage) {
    const { temporal, apis } = stage.installation;
    await sleep(2_000);
    await injectFault(stage, "Temporal away", "none", async () => {
      await temporal.kill();
      stage.kills += 1;
      const [api] = apis;
      await api?.stop();
      await api?.start();
      const started = performance.now();
      await sleep(stage.seconds * 1_000);
      const { outbox } = await readOpenWork(stage.installation);
      stage.print(`${outbox} rows waited in the outbox`);
      check(stage, outbox > stage.seconds, `only ${outbox} rows waited in the outbox`);
      const answers = stage.loads.flatMap((load) => load.answers).filter(({ at }) => at > started);
      // 409 means that the same call is running. Its repetition gets an answer in the end, or I1 is
      // broken.
      const refused = answers.filter(
        ({ status }) => (status < 200 || status > 299) && status !== 409,
      );
      checkNone(
        stage,
        refused.map(({ status }) => String(status)),
        "calls refused without Temporal",
      );
      await temporal.start();
    });
  },
};

const mostCpuShare = 0.5;

const slow: Scenario = {
  id: "F12",
  title: "Temporal is slow, then the network to it takes everything and answers nothing",
  seconds: 30,
  share: 0.5,
  async run(stage) {
    const { proxies, workers } = stage.installation;
    const half = (stage.seconds * 1_000) / 2;
    await injectFault(stage, "2 s to Temporal and back", "none", async () => {
      proxies.workerTemporal.delay(1_000);
      await sleep(half);
      await proxies.workerTemporal.heal();
    });
    await sleep(3_000);
    await injectFault(stage, "no way to Temporal", "none", async () => {
      proxies.workerTemporal.blackhole();
      // Running work continues for a while. After that the processes only wait.
      await sleep(5_000);
      const before = workers.map((one) => readCpuSeconds(one.pid()));
      await sleep(half);
      workers.forEach((one, index) => {
        const share = (readCpuSeconds(one.pid()) - (before[index] ?? 0)) / (half / 1_000);
        check(
          stage,
          share < mostCpuShare,
          `${one.name} used ${(share * 100).toFixed(0)} % of a processor`,
        );
      });
      await proxies.workerTemporal.heal();
    });
  },
};

const storeFiles = ["temporal.db", "temporal.db-wal", "temporal.db-shm"];

/** The restore of an old backup: Temporal does not know later runs. */
const rolledBack: Scenario = {
  id: "F13",
  title: "Temporal's store is taken back to an earlier state",
  seconds: 20,
  share: 0.4,
  shape: {
    // Long enough that many runs are waiting at the restore.
    waitsMs: [6_000, 6_000, 6_000, 6_000, 6_000, 6_000],
    subscriptions: [
      { account: 0, name: "all", events: ["*"] },
      { account: 1, name: "flaky", events: ["contact.created"] },
      { account: 2, name: "dead", events: ["contact.*"] },
    ],
  },
  async run(stage) {
    const { temporal, folder } = stage.installation;
    await sleep((stage.seconds * 1_000) / 2);
    await injectFault(stage, "Temporal killed for a backup", "none", async () => {
      await temporal.kill();
      copyStore(folder, "", ".backup");
      await temporal.start();
    });
    await sleep((stage.seconds * 1_000) / 2);
    await Promise.all(stage.loads.map(async (load) => await load.stop()));
    await injectFault(stage, "Temporal's store rolled back", "span", async () => {
      await temporal.kill();
      stage.kills += 2;
      copyStore(folder, ".backup", "");
      await temporal.start();
      await untilTrue(async () => (await readLateness(stage)).due === 0, 90_000);
      await reconcileAll(stage);
    });
  },
};

function copyStore(folder: string, from: string, to: string): void {
  for (const name of storeFiles) {
    const target = join(folder, name + to);
    rmSync(target, { force: true });
    if (existsSync(join(folder, name + from))) copyFileSync(join(folder, name + from), target);
  }
}

/** Number of deliveries whose run, if it existed, would still have something to do soon. */
async function readLateness({ installation }: ScenarioContext): Promise<{ due: number }> {
  return await withMysql(installation, async (connection) => {
    const [row] = await readRows<{ due: number }>(
      connection,
      `SELECT COUNT(*) AS due FROM deliveries WHERE state IN ('queued', 'sending', 'waiting')
          AND COALESCE(discard_at, next_attempt_at, updated_at) > UTC_TIMESTAMP(3) - INTERVAL 8 SECOND`,
    );
    return row ?? { due: 1 };
  });
}

/**
 * Reconciles again and again, as an installation does every 10 minutes, until no work is open. A run
 * whose history lost a part counts as lost only after its workflow tasks have failed some times.
 */
async function reconcileAll(stage: ScenarioContext): Promise<void> {
  const total = { late: 0, restarted: 0, discarded: 0 };
  await untilTrue(async () => {
    await letPass(stage, 20);
    const { checked, restarted, discarded } = await reconcile(stage);
    total.late = Math.max(total.late, checked);
    total.restarted += restarted;
    total.discarded += discarded;
    if (checked > 0) await sleep(10_000);
    return checked === 0;
  }, 240_000);
  const { late, restarted, discarded } = total;
  stage.print(`reconcile: ${late} late, ${restarted} started anew, ${discarded} discarded`);
  check(stage, restarted > 0, "reconcile found no run to start anew");
}

/** Ages the open work, because reconcile looks for runs that are 10 minutes late. */
async function letPass({ installation }: ScenarioContext, minutes: number): Promise<void> {
  const earlier = ["updated_at", "next_attempt_at", "discard_at"].map(
    (column) => `${column} = ${column} - INTERVAL ${minutes} MINUTE`,
  );
  await withMysql(installation, async (connection) => {
    await connection.query(
      `UPDATE deliveries SET ${earlier.join(", ")} WHERE state IN ('queued', 'sending', 'waiting')`,
    );
  });
}

async function reconcile({
  installation: { databaseUrl, temporal },
}: ScenarioContext): Promise<ReconcileProgress> {
  const connection = await Connection.connect({ address: temporal.address });
  try {
    const client = new Client({ connection });
    const workflowId = `reconcile-by-hand`;
    const taskQueue = (await readNaming(databaseUrl))("ops");
    return await client.workflow.execute("reconcile", { workflowId, taskQueue });
  } finally {
    await connection.close();
  }
}

export const temporalScenarios: readonly Scenario[] = [away, slow, rolledBack];
