import { setTimeout as sleep } from "node:timers/promises";
import { countBusyMs, watchMachine } from "../machine.ts";
import { startMetaPosts, type MetaPosts } from "../meta-posts.ts";
import type { Scenario } from "../run-scenario.ts";
import { check, checkNone, untilTrue, type ScenarioContext } from "../scenario-context.ts";
import { crashAt, type CrashPoint } from "./crash-points.ts";
import { killMysql } from "./mysql.ts";

/** The steps from a post of Meta to the end of its item. */
const steps: readonly CrashPoint[] = (["before", "after"] as const).flatMap((when) => [
  { name: `api, ${when} its webhook`, who: "api", of: "INSERT INTO channel_webhooks", when },
  { name: `split, ${when} its commit`, who: "worker", of: "INSERT INTO channel_items", when },
  { name: `drain, ${when} its claim`, who: "worker", of: "UPDATE channel_items SET due_at", when },
  {
    name: `item, ${when} its commit`,
    who: "worker",
    of: "SET state = 'done', payload",
    when,
  },
]);

const postsPerSecond = 200;
const awayMs = 60_000;
/** The route answers within 5 s. The rest is a busy machine's. */
const answeredWithinMs = 7_000;
/** Time without idle CPU does not count, as in every drain. */
const settledMs = 180_000;
/** Limit on a machine of any load. */
const longestMs = 600_000;
/** Time in which the rate of the drain is measured, before the fault. */
const measuredMs = 8_000;
/** The drain after the fault may be this much slower than before it, on a machine of any load. */
const slowerBy = 3;
/** Time until the worker is back at work. */
const backAtWorkMs = 30_000;

/** One process of each kind, so that the process behind each COMMIT is known. */
const killed: Scenario = {
  id: "F29",
  title: "api and worker die at every step from a webhook of Meta to its message",
  seconds: 0,
  share: 0.1,
  shape: { workers: 1, accounts: 1, subscriptions: [] },
  async run(stage) {
    const posts = await startMetaPosts(stage.installation, {
      perSecond: 20,
      chance: stage.chance.fork("posts"),
    });
    try {
      for (const point of stage.chance.shuffle(steps)) await crashAt(stage, point);
    } finally {
      await posts.stop();
    }
    await settle(stage, posts);
  },
};

const away: Scenario = {
  id: "F30",
  title: "MySQL is away for 60 s while Meta posts 200 webhooks a second",
  seconds: awayMs / 1_000,
  share: 0.1,
  shape: { workers: 1, accounts: 1, subscriptions: [] },
  async run(stage) {
    const posts = await startMetaPosts(stage.installation, {
      perSecond: postsPerSecond,
      chance: stage.chance.fork("posts"),
    });
    let perSecond = 0;
    try {
      await sleep(5_000);
      perSecond = await measureDrain(posts);
      const { gone, until } = await killMysql(stage, stage.seconds * 1_000);
      const during = posts.answers.filter(({ at, ms }) => at > gone && at + ms < until);
      check(stage, during.length > 0, "Meta posted nothing while MySQL was away");
      const good = during.filter(({ status }) => status === 200).map(describe);
      checkNone(stage, good, "answers 200 while MySQL was away");
      const late = during.filter(({ ms }) => ms > answeredWithinMs).map(describe);
      checkNone(stage, late, `answers after more than ${answeredWithinMs} ms`);
      await sleep(5_000);
    } finally {
      await posts.stop();
    }
    const open = await posts.countOpen();
    const limitMs = backAtWorkMs + (slowerBy * open * 1_000) / Math.max(1, perSecond);
    stage.print(
      `${perSecond.toFixed(0)} messages a second before the fault, ${open} open after it`,
    );
    await settle(stage, posts, Math.min(longestMs, limitMs));
  },
};

/** @returns messages a second that the worker stores while Meta posts */
async function measureDrain(posts: MetaPosts): Promise<number> {
  const startedAt = performance.now();
  const before = await posts.countStored();
  await sleep(measuredMs);
  const stored = (await posts.countStored()) - before;
  return (stored * 1_000) / (performance.now() - startedAt);
}

/** Waits until every item is over, and holds the books against what was answered 200. */
async function settle(
  stage: ScenarioContext,
  posts: MetaPosts,
  limitMs = longestMs,
): Promise<void> {
  const machine = watchMachine();
  const startedAt = performance.now();
  const took = await untilTrue(async () => (await posts.countOpen()) === 0, limitMs);
  machine.stop();
  const endedAt = performance.now();
  const countedMs = endedAt - startedAt - countBusyMs(machine.busy, startedAt, endedAt);
  const isInTime = took !== null && countedMs <= settledMs;
  const spent = `${Math.round(endedAt - startedAt)} ms, ${Math.round(countedMs)} of them with idle CPU`;
  check(
    stage,
    isInTime,
    `webhooks or items are open after ${spent}; limit ${Math.round(limitMs)} ms`,
  );
  const refused = posts.answers.filter(({ status }) => status !== 200).length;
  stage.print(
    `${posts.answers.length} posts, ${refused} of them refused; ${posts.accepted()} messages accepted; ` +
      `drained ${Math.round((took ?? limitMs) / 100) / 10} s after the last 200, ` +
      `${Math.round(countedMs / 1_000)} s of them with idle CPU`,
  );
  checkNone(stage, await posts.judge(), "messages and events");
}

function describe({ ms, status }: { ms: number; status: number }): string {
  return `${status} after ${Math.round(ms)} ms`;
}

export const channelScenarios: readonly Scenario[] = [killed, away];
