import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../bench/load.ts";
import { readRows, withMysql } from "../books.ts";
import type { Scenario } from "../run-scenario.ts";
import {
  addLoad,
  check,
  checkNone,
  drain,
  injectFault,
  untilTrue,
  type ScenarioContext,
} from "../scenario-context.ts";
import { checkOutcomes, createOnePerAccount, spread } from "./one-event.ts";
import { redirectTarget, zoo } from "./zoo.ts";

const menagerie: Scenario = {
  id: "F14",
  title: "a zoo of receivers: one event to each, each with its number of attempts",
  seconds: 0,
  share: 0,
  shape: {
    accounts: 3,
    waitsMs: [200, 300, 400, 500, 600, 700],
    subscriptions: spread(zoo, 3, ({ hangs }) => (hangs === undefined ? {} : { host: "troubled" })),
  },
  async run(stage) {
    const { installation } = stage;
    const { sink, accounts, subscriptions } = installation;
    for (const { path } of subscriptions) {
      const animal = zoo.find(({ name }) => path.endsWith(`/${name}`));
      if (animal !== undefined) sink.behave(path, animal.behave);
    }
    await injectFault(stage, "the zoo", "none", async () => {
      await createOnePerAccount(stage, accounts);
      // Six attempts of 8 s each, two at once, where a host does not answer.
      await drain(installation, 150_000);
    });
    await checkOutcomes(stage, zoo);
    const redirected = sink.posts.filter(({ path }) => path === redirectTarget);
    checkNone(
      stage,
      redirected.map(({ path }) => path),
      "redirects that were followed",
    );
  },
};

const firstWithinMs = 1_000;

/** A receiver returns while the retries of its backlog are due, and others get new events. */
const herd: Scenario = {
  id: "F20",
  title: "a receiver is back and has a backlog; others must not notice",
  seconds: 20,
  share: 0,
  drainMs: 240_000,
  shape: {
    accounts: 2,
    subscriptions: [
      { account: 0, name: "back", events: ["contact.created"], host: "troubled" },
      { account: 1, name: "other", events: ["contact.created"] },
    ],
    waitsMs: [25_000, 25_000, 25_000, 25_000, 25_000, 25_000],
    settings: { RETRY_JITTER: "0.1" },
  },
  async run(stage) {
    const { proxies, accounts, sink, subscriptions } = stage.installation;
    const [backlog, others] = [accounts.slice(0, 1), accounts.slice(1)];
    await injectFault(stage, "receiver down", "none", async () => {
      await proxies.troubled.down();
      const load = addLoad(stage, stage.perSecond, backlog);
      await untilTrue(() => load.calls.length >= stage.events, stage.events * 100);
      await load.stop();
      await untilTrue(async () => (await countFirst(stage)) === 0, 60_000);
    });
    await injectFault(stage, "the herd", "none", async () => {
      await proxies.troubled.heal();
      const from = performance.now();
      const load = addLoad(stage, 10, others);
      await sleep(stage.seconds * 1_000);
      await load.stop();
      await drain(stage.installation, 120_000);
      const path = subscriptions[1]?.path;
      const ages = await readAges(
        stage,
        sink.posts.filter((post) => post.path === path && post.at > from),
      );
      const herdSize = sink.posts.filter((post) => post.path === subscriptions[0]?.path).length;
      const p99 = percentile(ages, 0.99);
      stage.print(
        `${herdSize} posts of the backlog; others' first attempt p50 ${percentile(ages, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms of ${ages.length}`,
      );
      check(
        stage,
        ages.length > 100 && p99 < firstWithinMs,
        `others waited: p99 ${p99.toFixed(0)} ms of ${ages.length}`,
      );
    });
  },
};

/** Number of deliveries without an attempt. */
async function countFirst({ installation }: ScenarioContext): Promise<number> {
  return await withMysql(installation, async (connection) => {
    const [row] = await readRows<{ total: number }>(
      connection,
      "SELECT COUNT(*) AS total FROM deliveries WHERE attempts_made = 0",
    );
    return row?.total ?? 0;
  });
}

/** Times in ms from the event to its post. */
async function readAges(
  { installation }: ScenarioContext,
  posts: readonly { at: number; headers: Record<string, unknown> }[],
): Promise<number[]> {
  const rows = await withMysql(installation, async (connection) =>
    readRows<{ id: string; occurred_at: Date }>(
      connection,
      "SELECT BIN_TO_UUID(id) AS id, occurred_at FROM events",
    ),
  );
  const moments = new Map(rows.map(({ id, occurred_at: at }) => [id, at.getTime()]));
  return posts.flatMap(({ at, headers }) => {
    const occurred = moments.get(String(headers["x-service-event-id"]));
    return occurred === undefined ? [] : [performance.timeOrigin + at - occurred];
  });
}

export const receiverScenarios: readonly Scenario[] = [menagerie, herd];
