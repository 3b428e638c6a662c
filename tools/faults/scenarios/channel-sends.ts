import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../../db/data-source.ts";
import { startMetaStandIn, type MetaStandIn } from "../../../dev/stand-in/meta-server.ts";
import { callConversations } from "../callers.ts";
import { metaApp, metaNumber, startMetaPosts } from "../meta-posts.ts";
import type { Scenario } from "../run-scenario.ts";
import {
  check,
  checkNone,
  injectFault,
  untilTrue,
  type ScenarioContext,
} from "../scenario-context.ts";
import { startTcpProxy, type TcpProxy } from "../tcp-proxy.ts";
import { crashAt, type CrashPoint } from "./crash-points.ts";

/** The steps of a send: its record before the call of Meta, and the answer. */
const steps: readonly CrashPoint[] = (["before", "after"] as const).flatMap((when) => [
  { name: `send, ${when} its beginning`, who: "worker", of: "`status` = 'sending'", when },
  { name: `send, ${when} its answer`, who: "worker", of: "`status` = 'sent'", when },
]);

const rounds = 2;
const awaySeconds = 45;
/** Sends in an outage of any length. The stand-in remembers 1,000 calls. */
const mostSends = 450;
const sendEveryMs = 200;
const underWayAtMost = 4;
const settledMs = 180_000;
/** After this much trouble a message waits for 10 minutes, and no longer for two. */
const longTroubleSeconds = 150;
const longestWaitMs = 600_000;

/** Meta, behind a proxy that can take it away. */
interface Meta {
  standIn: MetaStandIn;
  proxy: TcpProxy;
}

let meta: Meta | null = null;

const sends: Scenario = {
  id: "F31",
  title: "the worker dies at every step of a send to Meta, and Meta is away for a while",
  seconds: awaySeconds,
  share: 0.1,
  shape: { workers: 1, accounts: 1, subscriptions: [] },
  async prepare() {
    // Without a callback no report comes, so an unknown send stays unknown.
    const standIn = await startMetaStandIn({ app: metaApp, accounts: [metaNumber] });
    const { hostname: host, port } = new URL(standIn.url);
    const proxy = await startTcpProxy({ target: () => ({ host, port: Number(port) }) });
    meta = { standIn, proxy };
    const url = `http://127.0.0.1:${proxy.port}`;
    return {
      settings: { META_GRAPH_URL: url, META_INSTAGRAM_URL: url },
      async stop() {
        await proxy.stop();
        await standIn.close();
      },
    };
  },
  async run(stage) {
    if (meta === null) throw new Error("Meta was not prepared.");
    const conversations = await openTalks(stage);
    const load = startSends(stage, conversations);
    try {
      for (let round = 0; round < rounds; round += 1)
        for (const step of stage.chance.shuffle(steps)) await crashAt(stage, step);
      await takeAway(stage, meta.proxy);
    } finally {
      await load.stop();
    }
    await judge(stage, meta.standIn);
  },
};

/** Customers write, so that their windows are open. @returns ids of their conversations */
async function openTalks(stage: ScenarioContext): Promise<number[]> {
  const { installation, chance } = stage;
  const posts = await startMetaPosts(installation, { perSecond: 20, chance: chance.fork("posts") });
  await sleep(3_000);
  await posts.stop();
  await untilTrue(async () => (await posts.countOpen()) === 0, settledMs);
  const rows = await read<{ id: number }>(
    stage,
    `SELECT c.id FROM conversations c JOIN channel_accounts a ON a.id = c.channel_account_id
      WHERE a.driver = 'whatsapp_cloud'`,
  );
  return rows.map(({ id }) => Number(id));
}

/** Sends a message to one of the customers again and again. */
function startSends(
  { installation, chance, seconds }: ScenarioContext,
  conversations: readonly number[],
) {
  const [account] = installation.accounts;
  const pauseMs = Math.max(sendEveryMs, (seconds * 1_000) / mostSends);
  const picks = chance.fork("sends");
  let ended = false;
  const loop = (async () => {
    for (let n = 0; !ended; n += 1) {
      const path = `/${picks.pick(conversations)}/messages`;
      await callConversations(installation, account, path, { content: `send ${n}` });
      await sleep(pauseMs);
    }
  })();
  return {
    async stop() {
      ended = true;
      await loop;
    },
  };
}

/** Meta takes no connection. Nothing has left then, so every message of this time leaves later. */
async function takeAway(stage: ScenarioContext, proxy: TcpProxy): Promise<void> {
  const awayMs = stage.seconds * 1_000;
  await injectFault(stage, `Meta away for ${awayMs} ms`, "none", async () => {
    await proxy.down();
    await sleep(awayMs);
    await proxy.heal();
  });
}

async function judge(stage: ScenarioContext, standIn: MetaStandIn): Promise<void> {
  const countOpen = async () => {
    const [row] = await read<{ n: number }>(
      stage,
      `SELECT COUNT(*) AS n FROM messages WHERE direction = 'outbound'
          AND (status = 'queued' OR (status = 'sending' AND in_flight_since IS NULL))`,
    );
    return Number(row?.n);
  };
  const limitMs = settledMs + (stage.seconds > longTroubleSeconds ? longestWaitMs : 0);
  const took = await untilTrue(async () => (await countOpen()) === 0, limitMs);
  check(stage, took !== null, `messages still wait after ${limitMs} ms`);
  // After its wait an unknown send has failed, and is not sent again.
  const messages = await read<{ id: number; conversation: number; status: string }>(
    stage,
    `SELECT id, conversation_id AS conversation,
            IF(status = 'sending' OR error->>'$.code' = 'outcome_unknown', 'unknown', status)
              AS status
       FROM messages WHERE direction = 'outbound' ORDER BY id`,
  );
  const calls = standIn.calls().map(({ body }) => Number(readCallback(body)));
  const times = new Map<number, number>();
  for (const id of calls) times.set(id, (times.get(id) ?? 0) + 1);
  const count = (status: string) => messages.filter((one) => one.status === status).length;
  stage.print(
    `${messages.length} messages: ${count("sent")} sent, ${count("unknown")} unknown; ` +
      `${calls.length} calls of Meta; settled ${Math.round((took ?? limitMs) / 1_000)} s after ` +
      "the last send",
  );
  const twice = [...times].filter(([, n]) => n > 1).map(([id, n]) => `message ${id}, ${n} times`);
  checkNone(stage, twice, "sent twice");
  const lost = messages.filter(({ id, status }) => status === "sent" && !times.has(Number(id)));
  checkNone(
    stage,
    lost.map(({ id }) => `message ${id}`),
    "sent, and Meta has no call",
  );
  const odd = messages.filter(({ status }) => status !== "sent" && status !== "unknown");
  checkNone(
    stage,
    odd.map(({ id, status }) => `message ${id}: ${status}`),
    "neither sent nor unknown",
  );
  // A kill, and the loss of the connections, may each meet a few sends under way.
  const most = (stage.kills + 1) * underWayAtMost;
  check(stage, count("unknown") <= most, `${count("unknown")} unknown sends`);
  checkNone(stage, listOutOfOrder(calls, messages), "customers with messages out of order");
}

/** Conversations whose messages reached Meta in another order than they were written in. */
function listOutOfOrder(
  calls: readonly number[],
  messages: readonly { id: number; conversation: number }[],
): string[] {
  const talkOf = new Map(messages.map(({ id, conversation }) => [Number(id), conversation]));
  const last = new Map<number, number>();
  return calls.flatMap((id) => {
    const talk = talkOf.get(id) ?? 0;
    const before = last.get(talk) ?? 0;
    last.set(talk, id);
    return id < before ? [`conversation ${talk}: ${id} after ${before}`] : [];
  });
}

function readCallback(body: unknown): unknown {
  return (body as { biz_opaque_callback_data?: unknown }).biz_opaque_callback_data;
}

async function read<Row>({ installation }: ScenarioContext, sql: string): Promise<Row[]> {
  const dataSource = await openDatabase({ url: installation.databaseUrl, poolSize: 1 });
  try {
    return await dataSource.query<Row[]>(sql);
  } finally {
    await dataSource.destroy();
  }
}

export const sendScenarios: readonly Scenario[] = [sends];
