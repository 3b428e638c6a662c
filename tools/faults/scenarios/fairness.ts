import { setTimeout as sleep } from "node:timers/promises";
import { measureRate } from "../../bench/load.ts";
import { readRows, withMysql } from "../books.ts";
import { callConversations, logIn, openConversations } from "../callers.ts";
import type { Installation } from "../installation.ts";
import type { Scenario } from "../run-scenario.ts";
import { check, injectFault, untilTrue, type ScenarioContext } from "../scenario-context.ts";

const messages = 10_000;
const conversations = 50;
const callersAtOnce = 50;
const sentWithinMs = 2_000;
const betweenMessagesMs = 3_000;
const patienceMs = 60_000;

/** Rate limits are off here, because fairness must not depend on them. */
const greedyAccount: Scenario = {
  id: "F26",
  title:
    "one account posts 10,000 messages, then calls Retry now in a loop; others must not notice",
  seconds: 20,
  share: 0.2,
  // A message of the sandbox has three reports: two cores bring 18 messages a second to their end.
  drainMs: 900_000,
  shape: {
    accounts: 2,
    subscriptions: [
      { account: 0, name: "shut", events: ["contact.created"], host: "troubled" },
      { account: 1, name: "other", events: ["contact.created"] },
    ],
    waitsMs: [30_000, 30_000, 30_000, 30_000, 30_000, 30_000],
  },
  async run(stage) {
    await stage.installation.proxies.troubled.down();
    await injectFault(stage, "10,000 messages", "none", async () => {
      await watchOther(stage, "messages", async () => await postMessages(stage));
    });
    await injectFault(stage, "a loop of retries", "none", async () => {
      await watchOther(stage, "retries", async () => await loopRetries(stage));
    });
  },
};

async function postMessages(stage: ScenarioContext): Promise<void> {
  const { installation } = stage;
  const [greedy] = installation.accounts;
  const ids = await openConversations(installation, greedy, conversations);
  const rate = await measureRate(messages, callersAtOnce, async (index) => {
    const path = `/${ids[index % ids.length]}/messages`;
    await callConversations(installation, greedy, path, { content: `Message ${index}` });
  });
  stage.print(`${messages} messages were accepted, ${rate.toFixed(0)}/s`);
}

async function loopRetries(stage: ScenarioContext): Promise<void> {
  const { installation, seconds } = stage;
  const cookie = await logIn(installation, installation.accounts[0]?.accountId ?? 0);
  const until = performance.now() + seconds * 1_000;
  let accepted = 0;
  while (performance.now() < until) {
    const ids = await readOpenDeliveries(installation);
    if (ids.length === 0) await sleep(100);
    await measureRate(ids.length, callersAtOnce, async (index) => {
      const url = `${installation.apis[0]?.url}/dashboard/api/deliveries/${ids[index]}/retry`;
      const response = await fetch(url, { method: "POST", headers: { cookie } });
      if (response.status === 202) accepted += 1;
    });
  }
  stage.print(`${accepted} retries were accepted`);
}

/**
 * Sends a message of the other account every 3 s while `work` runs, and checks the time of each.
 */
async function watchOther(
  stage: ScenarioContext,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  const { installation } = stage;
  const other = installation.accounts[1];
  const [id = 0] = await openConversations(installation, other, 1);
  const working = { ends: false };
  const worked = work().finally(() => (working.ends = true));
  const times: MessageTimes[] = [];
  while (!working.ends) {
    await sleep(betweenMessagesMs);
    times.push(await sendOne(stage, id));
  }
  await worked;
  const slowest = Math.max(...times.map(({ sentMs }) => sentMs));
  stage.print(`${name}: the other account's messages were accepted, at Temporal, and sent after`);
  const list = times.map((one) =>
    Object.values(one)
      .map((ms) => ms.toFixed(0))
      .join("-"),
  );
  stage.print(`${list.join(", ")} ms`);
  check(
    stage,
    slowest <= sentWithinMs,
    `${name}: a message was sent after ${slowest.toFixed(0)} ms`,
  );
}

/** Times in ms from the request on. */
interface MessageTimes {
  acceptedMs: number;
  /** The relay has removed the outbox row, so Temporal has the run. */
  atTemporalMs: number;
  sentMs: number;
}

async function sendOne(
  { installation }: ScenarioContext,
  conversationId: number,
): Promise<MessageTimes> {
  const startedAt = performance.now();
  const passedMs = () => performance.now() - startedAt;
  const other = installation.accounts[1];
  const { id } = await callConversations(installation, other, `/${conversationId}/messages`, {
    content: "Hello",
  });
  const acceptedMs = passedMs();
  let atTemporalMs: number | undefined;
  await untilTrue(async () => {
    const { queued, open } = await readProgress(installation, Number(id));
    if (queued === 0) atTemporalMs ??= passedMs();
    return open === 0;
  }, patienceMs);
  const sentMs = passedMs();
  return { acceptedMs, atTemporalMs: atTemporalMs ?? sentMs, sentMs };
}

async function readProgress(
  installation: Installation,
  messageId: number,
): Promise<{ queued: number; open: number }> {
  return await withMysql(installation, async (connection) => {
    const sql = `SELECT m.status IN ('queued', 'sending') AS open,
                        (SELECT COUNT(*) FROM outbox o WHERE o.lane = CONCAT('-:', m.account_id)) AS queued
                   FROM messages m WHERE m.id = ${messageId}`;
    const [row] = await readRows<{ queued: number; open: number }>(connection, sql);
    if (row === undefined) throw new Error(`No message ${messageId}.`);
    return row;
  });
}

async function readOpenDeliveries(installation: Installation): Promise<number[]> {
  const rows = await withMysql(installation, async (connection) =>
    readRows<{ id: number }>(
      connection,
      "SELECT id FROM deliveries WHERE state = 'waiting' ORDER BY id DESC LIMIT 500",
    ),
  );
  return rows.map(({ id }) => id);
}

export const fairnessScenarios: readonly Scenario[] = [greedyAccount];
