import { setTimeout as sleep } from "node:timers/promises";
import { Client, Connection } from "@temporalio/client";
import type { ReconcileResult } from "../../../workflows/reconcile.ts";
import { readNaming } from "../../../dev/read-naming.ts";
import { seedAccounts } from "../accounts.ts";
import { readRows, withMysql } from "../books.ts";
import { callConversations, openConversations } from "../callers.ts";
import type { Installation } from "../installation.ts";
import type { Scenario } from "../run-scenario.ts";
import { addLoad, check, drain, untilTrue, type ScenarioContext } from "../scenario-context.ts";

const perKind = 20;
const patienceMs = 60_000;

/** Terminates every run by hand, so that only MySQL knows the open work. */
const terminated: Scenario = {
  id: "F24",
  title:
    "every run of messages and handoffs is terminated in Temporal, and reconcile brings all back",
  seconds: 5,
  share: 0.2,
  async run(stage) {
    const { installation } = stage;
    await sleep(stage.seconds * 1_000);
    await Promise.all(stage.loads.map(async (load) => await load.stop()));
    const [account] = installation.accounts;
    const conversations = await openConversations(installation, account, perKind);
    // The sandbox accepts such a message at the third try, after six seconds.
    for (const id of conversations)
      await callConversations(installation, account, `/${id}/messages`, { content: "/retry" });
    for (const id of conversations)
      await callConversations(installation, account, `/${id}/bot`, { enabled: false });
    const counts = `SELECT (SELECT COUNT(*) FROM messages WHERE status IN ('queued', 'sending')) AS messages,
                           (SELECT COUNT(*) FROM outbox) AS outbox`;
    await untilTrue(async () => (await only(installation, counts))["outbox"] === 0, patienceMs);
    const ended = await terminateAll(stage);
    stage.print(`${ended} runs were terminated`);
    check(stage, ended >= perKind, `only ${ended} runs were there to terminate`);
    await letPass(installation);
    const { restarted, recovered } = await reconcile(stage);
    stage.print(`reconcile started ${recovered} runs anew, and ${restarted} of deliveries`);
    const open = async () => Number((await only(installation, counts))["messages"]);
    const doneMs = await untilTrue(async () => (await open()) === 0, patienceMs);
    check(stage, doneMs !== null, `${await open()} messages are still on their way`);
    const handoffs = await countRunning(stage, "handoff");
    check(stage, handoffs === perKind, `${handoffs} of ${perKind} handoffs have a run`);
  },
};

/** The loss of only MySQL's volume. Ids begin with 1 again, which Temporal has seen before. */
const recreated: Scenario = {
  id: "F25",
  title: "MySQL is dropped and made anew beside a kept Temporal",
  seconds: 5,
  share: 0,
  async run(stage) {
    const { installation } = stage;
    const { apis, workers, sink } = installation;
    await sendOne(stage, "the first database");
    await drain(installation, patienceMs);
    await Promise.all([...apis, ...workers].map(async (one) => await one.stop()));
    await recreate(installation);
    // The new books do not contain earlier posts.
    sink.posts.splice(0);
    await Promise.all([...apis, ...workers].map(async (one) => await one.start()));
    await sendOne(stage, "the new database");
    addLoad(stage, stage.perSecond * 0.2);
    await sleep(stage.seconds * 1_000);
  },
  shape: { settings: { TAKE_NAMESPACE_FROM: "any" } },
};

/** Each new database gives out the same ids, so both calls use the same conversation id. */
async function sendOne(stage: ScenarioContext, where: string): Promise<void> {
  const { installation } = stage;
  const [account] = installation.accounts;
  const [id = 0] = await openConversations(installation, account, 1);
  await callConversations(installation, account, `/${id}/messages`, { content: "Hello" });
  const unsent = `SELECT COUNT(*) AS n FROM messages WHERE status IN ('queued', 'sending')`;
  const sent = async () => (await only(installation, unsent))["n"] === 0;
  const sentMs = await untilTrue(sent, patienceMs);
  check(stage, sentMs !== null, `a message of ${where} was not sent`);
  if (sentMs !== null) stage.print(`${where}: a message was sent after ${sentMs.toFixed(0)} ms`);
}

async function only(installation: Installation, sql: string): Promise<Record<string, number>> {
  const [row] = await withMysql(installation, async (connection) =>
    readRows<Record<string, number>>(connection, sql),
  );
  return row ?? {};
}

/** Ages the unfinished work past the time for which reconcile waits. */
async function letPass(installation: Installation): Promise<void> {
  const earlier = (column: string) => `${column} = ${column} - INTERVAL 20 MINUTE`;
  await withMysql(installation, async (connection) => {
    await connection.query(
      `UPDATE messages SET ${earlier("updated_at")} WHERE status IN ('queued', 'sending')`,
    );
    await connection.query(
      `UPDATE conversations SET ${earlier("handoff_due_at")} WHERE status = 'handed_off'`,
    );
    const moments = ["updated_at", "next_attempt_at", "discard_at"].map(earlier);
    await connection.query(
      `UPDATE deliveries SET ${moments.join(", ")} WHERE state IN ('queued', 'sending', 'waiting')`,
    );
  });
}

async function terminateAll(stage: ScenarioContext): Promise<number> {
  return await withTemporal(stage, async (client) => {
    let ended = 0;
    const query =
      "ExecutionStatus = 'Running' AND WorkflowType IN ('sendMessage', 'handoff', 'deliverWebhook')";
    for await (const { workflowId } of client.workflow.list({ query })) {
      const over = await client.workflow
        .getHandle(workflowId)
        .terminate("by hand")
        .then(() => 1)
        .catch(() => 0);
      ended += over;
    }
    return ended;
  });
}

async function countRunning(stage: ScenarioContext, type: string): Promise<number> {
  return await withTemporal(stage, async (client) => {
    const query = `ExecutionStatus = 'Running' AND WorkflowType = '${type}'`;
    const counted = async () => (await client.workflow.count(query)).count;
    await untilTrue(async () => (await counted()) === perKind, patienceMs);
    return await counted();
  });
}

async function reconcile(stage: ScenarioContext): Promise<ReconcileResult> {
  const naming = await readNaming(stage.installation.databaseUrl);
  return await withTemporal(
    stage,
    async (client) =>
      await client.workflow.execute("reconcile", {
        workflowId: naming("reconcile-by-hand"),
        taskQueue: naming("ops"),
      }),
  );
}

async function withTemporal<T>(
  { installation }: ScenarioContext,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address: installation.temporal.address });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

/** Drops the database and creates another one, with equal accounts. */
async function recreate(installation: Installation): Promise<void> {
  await withMysql(installation, async (connection) => {
    await connection.query("DROP DATABASE faults");
    await connection.query("CREATE DATABASE faults");
  });
  const { accounts, subscriptions } = await seedAccounts(installation.seed);
  installation.accounts.splice(0, Infinity, ...accounts);
  installation.subscriptions.splice(0, Infinity, ...subscriptions);
}

export const recoveryScenarios: readonly Scenario[] = [terminated, recreated];
