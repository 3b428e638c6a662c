import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { transaction } from "../../db/transaction.ts";
import { connectChannelAccount } from "../../core/services/channels/channel-accounts.ts";
import { saveChannelApp } from "../../core/services/channels/channel-apps.ts";
import { signBody } from "../../core/signature.ts";
import { measureSends, numberLimit } from "./channel-sends.ts";
import { startBenchGraph } from "./graph.ts";
import { percentile, runAtRate } from "./load.ts";
import { inMs } from "./print.ts";
import type { BenchStack } from "./stack.ts";

const numberId = "106540352242922";
const appSecret = "secret-of-the-bench";
const connections = 64;
const postsPerSecond = 1_000;
const messagesPerSecond = 50;
/**
 * Messages of customers count in the pace of a number, in the ten seconds after them, and a share that
 * was read stays for five more.
 */
const quietMs = 16_000;
/** Meta groups statuses; a webhook of the bench has this many. */
const statusesPerWebhook = 10;

/** A customer of the bench, by number. */
const phoneOf = (index: number): string => String(52_000_000_000 + index);

/** Acceptance, latency and drain of Meta's webhooks, and the pace of sends. */
export async function benchChannels(stack: BenchStack, scale: number): Promise<string[][]> {
  const meta = await openNumber(stack);
  stack.onStop(meta.close);
  const graph = await startBenchGraph(numberLimit);
  stack.onStop(async () => await graph.stop());
  const alone = await measureIntake(stack, meta, Math.max(2, Math.round(60 * scale)));
  await stack.startWorker({ META_GRAPH_URL: graph.url });
  const seconds = Math.max(2, Math.round(20 * scale));
  await measureLatency(stack, meta, { firstIndex: 0, seconds: 2 });
  const latencies = await measureLatency(stack, meta, { firstIndex: 1_000, seconds });
  await sleep(quietMs);
  const sends = await measureSends(stack, graph, seconds);
  const statuses = await measureStatuses(stack, meta, Math.round(5_000 * scale));
  const posts = await measurePosts(stack, meta, Math.max(2, Math.round(20 * scale)));
  return [
    ...rowsOfPosts("no worker", alone),
    [
      `webhook to event at the receiver, ${messagesPerSecond}/s: p50`,
      inMs(percentile(latencies, 0.5)),
    ],
    ["p99 (goal: 500 ms)", inMs(percentile(latencies, 0.99))],
    ...sends,
    ["statuses drained (goal: 500/s)", `${statuses.toFixed(0)}/s`],
    ...rowsOfPosts("beside a worker that drains them", posts.ms),
    ["messages drained, during and after the posts", `${posts.drained.toFixed(0)}/s`],
  ];
}

function rowsOfPosts(beside: string, ms: number[]): string[][] {
  return [
    [
      `signed posts at ${postsPerSecond}/s, ${ms.length} in all, ${beside}: p50 (goal: 25 ms)`,
      inMs(percentile(ms, 0.5)),
    ],
    ["p99 (goal: 250 ms)", inMs(percentile(ms, 0.99))],
  ];
}

type Meta = Awaited<ReturnType<typeof openNumber>>;

/** A connected number, and a caller that signs as Meta does. */
async function openNumber({ dataSource, secretBox, accountId, apiUrl }: BenchStack) {
  const slug = await transaction(
    dataSource,
    { actor: { type: "system", accountId } },
    async (tx) => {
      const app = { app_id: "771", app_secret: appSecret };
      const { row } = await saveChannelApp(tx, secretBox, app);
      const body = {
        driver: "whatsapp_cloud",
        channel_app_id: row.id,
        external_id: numberId,
        parent_id: "900",
        token: "token-of-the-bench",
      } as const;
      const condition = { state: "connected", reason: null } as const;
      const findings = { inspection: null, condition, providerMessage: null };
      await connectChannelAccount(tx, secretBox, { body, externalId: numberId, findings });
      return row.slug;
    },
  );
  const pool = new Pool(apiUrl, { connections, pipelining: 1 });
  return {
    close: async () => await pool.close(),
    /** @throws Error where the answer is not 200 */
    async post(value: object): Promise<void> {
      const bytes = Buffer.from(JSON.stringify(webhookOf(value)));
      const { statusCode, body } = await pool.request({
        method: "POST",
        path: `/api/channels/meta/${slug}`,
        headers: {
          "content-type": "application/json",
          "x-hub-signature-256": signBody(appSecret, bytes),
        },
        body: bytes,
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`The API answered ${statusCode}.`);
    },
  };
}

function webhookOf(value: object): object {
  const metadata = { display_phone_number: "15550001111", phone_number_id: numberId };
  const change = {
    field: "messages",
    value: { messaging_product: "whatsapp", metadata, ...value },
  };
  return { object: "whatsapp_business_account", entry: [{ id: "900", changes: [change] }] };
}

function textFrom(index: number): object {
  const [from, timestamp] = [phoneOf(index), secondsNow()];
  const text = { body: `Hola, soy ${index}` };
  return {
    contacts: [{ profile: { name: `Bench ${index}` }, wa_id: from }],
    messages: [{ from, id: `wamid.bench-${index}`, timestamp, type: "text", text }],
  };
}

const secondsNow = (): string => String(Math.floor(Date.now() / 1_000));

/** Milliseconds from the moment when a webhook was due to the arrival of its event. */
async function measureLatency(
  { posts }: BenchStack,
  meta: Meta,
  { firstIndex, seconds }: { firstIndex: number; seconds: number },
): Promise<number[]> {
  posts.length = 0;
  const dueAt = new Map<string, number>();
  await runAtRate(messagesPerSecond, seconds, async (index, due) => {
    dueAt.set(phoneOf(firstIndex + index), due);
    await meta.post(textFrom(firstIndex + index));
  });
  await until(() => posts.filter(({ phone }) => dueAt.has(phone)).length >= dueAt.size);
  return posts.flatMap(({ phone, at }) => {
    const due = dueAt.get(phone);
    return due === undefined ? [] : [at - due];
  });
}

/** Posts statuses of sent messages as fast as they are taken. @returns statuses a second */
async function measureStatuses(stack: BenchStack, meta: Meta, total: number): Promise<number> {
  const ids = await createSent(stack, total);
  const startedAt = performance.now();
  const statuses = ids.map(({ providerId, phone }) => {
    return { id: providerId, status: "delivered", timestamp: secondsNow(), recipient_id: phone };
  });
  for (let index = 0; index < statuses.length; index += statusesPerWebhook)
    await meta.post({ statuses: statuses.slice(index, index + statusesPerWebhook) });
  await untilDrained(stack);
  const [row] = await stack.dataSource.query<{ n: number }[]>(
    "SELECT COUNT(*) AS n FROM messages WHERE direction = 'outbound' AND status = 'delivered'",
  );
  if (Number(row?.n) !== ids.length) throw new Error(`${row?.n} of ${ids.length} are delivered.`);
  return (ids.length * 1_000) / (performance.now() - startedAt);
}

/** Sent messages in the conversations that there are. */
async function createSent({ dataSource }: BenchStack, total: number) {
  const conversations = await dataSource.query<
    { id: number; account: number; contact: number; channel: number; phone: string }[]
  >(
    `SELECT id, account_id AS account, contact_id AS contact, channel_account_id AS channel,
            customer_external_id AS phone FROM conversations`,
  );
  const sent = Array.from({ length: total }, (_, index) => {
    const place = conversations[index % conversations.length];
    if (place === undefined) throw new Error("There is no conversation.");
    return { place, phone: place.phone, providerId: `wamid.sent-${index}` };
  });
  await dataSource.query(
    `INSERT INTO messages (account_id, conversation_id, contact_id, channel_account_id, channel,
         direction, type, content, sender_type, status, sent_at) VALUES ?`,
    [
      sent.map(({ place: { account, id, contact, channel } }, index) => {
        const fixed = ["whatsapp", "outbound", "text", String(index), "api", "sent", new Date()];
        return [account, id, contact, channel, ...fixed];
      }),
    ],
  );
  await dataSource.query(
    `INSERT INTO message_provider_ids
         (account_id, channel_account_id, conversation_id, message_id, provider_id)
     SELECT account_id, channel_account_id, conversation_id, id, CONCAT('wamid.sent-', content)
       FROM messages WHERE direction = 'outbound'`,
  );
  return sent;
}

/** Milliseconds from the moment when each post was due to its answer. All are of new customers. */
async function postAtRate(meta: Meta, seconds: number, firstIndex: number): Promise<number[]> {
  const ms: number[] = [];
  await runAtRate(postsPerSecond, seconds, async (index, due) => {
    await meta.post(textFrom(firstIndex + index));
    ms.push(performance.now() - due);
  });
  return ms;
}

/** Answers to posts while no worker runs. Nothing of them is left. */
async function measureIntake(
  { dataSource }: BenchStack,
  meta: Meta,
  seconds: number,
): Promise<number[]> {
  const ms = await postAtRate(meta, seconds, 2_000_000);
  await dataSource.query("TRUNCATE TABLE channel_webhooks");
  return ms;
}

/** Answers to posts while the worker drains them. */
async function measurePosts(
  stack: BenchStack,
  meta: Meta,
  seconds: number,
): Promise<{ ms: number[]; drained: number }> {
  const startedAt = performance.now();
  const ms = await postAtRate(meta, seconds, 1_000_000);
  await untilDrained(stack);
  return { ms, drained: (ms.length * 1_000) / (performance.now() - startedAt) };
}

/** Waits until no webhook and no item is left. */
async function untilDrained({ dataSource }: BenchStack): Promise<void> {
  await until(async () => {
    const [row] = await dataSource.query<{ open: number }[]>(
      `SELECT EXISTS (SELECT 1 FROM channel_webhooks WHERE state = 'pending')
           OR EXISTS (SELECT 1 FROM channel_items WHERE state IN ('pending', 'waiting')) AS open`,
    );
    return Number(row?.open) === 0;
  });
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 12_000; tries += 1) {
    if (await isTrue()) return;
    await sleep(50);
  }
  throw new Error("The channel did not get there within 10 minutes.");
}
