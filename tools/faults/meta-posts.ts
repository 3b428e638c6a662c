import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { createSecretBox } from "../../core/secrets.ts";
import { connectChannelAccount } from "../../core/services/channels/channel-accounts.ts";
import { saveChannelApp } from "../../core/services/channels/channel-apps.ts";
import { signBody } from "../../core/signature.ts";
import { openDatabase } from "../../db/data-source.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import type { Installation } from "./installation.ts";
import type { Chance } from "./random.ts";

/** The app of the account, and its number. */
export const metaApp = { id: "771", secret: "secret-of-the-faults" };
export const metaNumber = {
  driver: "whatsapp_cloud",
  network: "whatsapp",
  id: "106540352242922",
  parentId: "900",
  token: "token-of-the-faults",
  name: "+1 555 000 1111",
} as const;
const customers = 40;
/** Meta repeats a webhook without a 200, after waits that grow. Here the first comes soon. */
const firstRepeatMs = 500;
const longestRepeatMs = 30_000;
const repeatFactor = 3;
/** More than are ever under way, so that no queue of the load counts as the API's time. */
const connections = 1_024;
/** Share of the webhooks that come once more after their 200. */
const repeatedShare = 0.05;
const timeoutMs = 8_000;

/** One answer to one post. */
export interface PostAnswer {
  /** Moment of the post in `performance.now()`. */
  at: number;
  ms: number;
  /** 0: the connection broke, or no answer came. */
  status: number;
}

/** A load of Meta's webhooks, each with one message of its own. */
export interface MetaPosts {
  answers: PostAnswer[];
  /** Messages whose webhook was answered 200. */
  accepted(): number;
  /** Ends the load, and resolves once every webhook has its 200. */
  stop(): Promise<void>;
  /** Faults of the books, empty where each message is stored once, with one event. */
  judge(): Promise<string[]>;
  /** Webhooks and items that are not over. */
  countOpen(): Promise<number>;
  /** Messages of customers that are stored. */
  countStored(): Promise<number>;
}

/** Connects a number to the first account, and posts its messages. */
export async function startMetaPosts(
  installation: Installation,
  { perSecond, chance }: { perSecond: number; chance: Chance },
): Promise<MetaPosts> {
  const { databaseUrl, accounts, apis } = installation;
  const accountId = accounts[0]?.accountId ?? 0;
  const path = await connectNumber(installation);
  const pools = apis.map(({ url }) => new Pool(url, { connections, pipelining: 1 }));
  const answers: PostAnswer[] = [];
  const accepted = new Set<string>();
  const underWay = new Set<Promise<void>>();
  let ended = false;

  async function post(bytes: Buffer): Promise<number> {
    const at = performance.now();
    const status = await callOnce(chance.pick(pools), path, bytes);
    answers.push({ at, ms: performance.now() - at, status });
    return status;
  }

  async function deliver(name: string, index: number): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(webhookOf(name, index)));
    for (let waitMs = firstRepeatMs; (await post(bytes)) !== 200;) {
      await sleep(waitMs);
      waitMs = Math.min(waitMs * repeatFactor, longestRepeatMs);
    }
    accepted.add(name);
    if (chance.next() < repeatedShare) await post(bytes);
  }

  const load = (async () => {
    const startedAt = performance.now();
    for (let index = 0; !ended; index += 1) {
      const delivery = deliver(`message ${index}`, index);
      underWay.add(delivery);
      void delivery.finally(() => underWay.delete(delivery));
      await sleep(Math.max(0, startedAt + (index * 1_000) / perSecond - performance.now()));
    }
  })();

  return {
    answers,
    accepted: () => accepted.size,
    async stop() {
      ended = true;
      await load;
      await Promise.all(underWay);
      await Promise.all(pools.map(async (pool) => await pool.close()));
    },
    judge: async () => await judge(databaseUrl, accountId, accepted),
    countOpen: async () => await readCount(databaseUrl, openSql),
    countStored: async () => await readCount(databaseUrl, storedSql),
  };
}

/** Connects the number to the first account. @returns the path of its webhooks */
export async function connectNumber({
  databaseUrl,
  accounts,
  seed,
}: Pick<Installation, "databaseUrl" | "accounts" | "seed">): Promise<string> {
  const accountId = accounts[0]?.accountId ?? 0;
  const dataSource = await openDatabase({ url: databaseUrl, poolSize: 1 });
  const box = createSecretBox(seed.secretKey);
  try {
    return await transaction(dataSource, systemOf(accountId), async (tx) => {
      const app = { app_id: metaApp.id, app_secret: metaApp.secret };
      const { row } = await saveChannelApp(tx, box, app);
      const { driver, id: externalId, parentId, token } = metaNumber;
      const ids = { channel_app_id: row.id, external_id: externalId, parent_id: parentId };
      const condition = { state: "connected", reason: null } as const;
      const findings = { inspection: null, condition, providerMessage: null };
      const body = { driver, ...ids, token };
      await connectChannelAccount(tx, box, { body, externalId, findings });
      return `/api/channels/meta/${row.slug}`;
    });
  } finally {
    await dataSource.destroy();
  }
}

/** @returns the status, or 0 where no answer came */
async function callOnce(pool: Pool, path: string, bytes: Buffer): Promise<number> {
  try {
    const { statusCode, body } = await pool.request({
      method: "POST",
      path,
      headers: {
        "content-type": "application/json",
        "x-hub-signature-256": signBody(metaApp.secret, bytes),
      },
      body: bytes,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    await body.dump();
    return statusCode;
  } catch {
    return 0;
  }
}

function webhookOf(name: string, index: number): object {
  const from = String(52_000_000_000 + (index % customers));
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const metadata = { display_phone_number: "15550001111", phone_number_id: metaNumber.id };
  const value = {
    messaging_product: "whatsapp",
    metadata,
    contacts: [{ profile: { name: `Customer ${from}` }, wa_id: from }],
    messages: [{ from, id: `wamid.${index}`, timestamp, type: "text", text: { body: name } }],
  };
  const changes = [{ field: "messages", value }];
  return { object: "whatsapp_business_account", entry: [{ id: metaNumber.parentId, changes }] };
}

async function judge(
  databaseUrl: string,
  accountId: number,
  accepted: ReadonlySet<string>,
): Promise<string[]> {
  const dataSource = await openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const rows = await dataSource.query<{ content: string; n: number }[]>(
      `SELECT content, COUNT(*) AS n FROM messages
        WHERE account_id = ? AND direction = 'inbound' GROUP BY content`,
      [accountId],
    );
    const stored = new Map(rows.map(({ content, n }) => [content, Number(n)]));
    const bodies = await dataSource.query<{ body: Buffer }[]>(
      "SELECT body FROM events WHERE account_id = ? AND type = 'message.received'",
      [accountId],
    );
    const told = new Set(bodies.map(({ body }) => messageIdOf(body)));
    const lost = [...accepted].filter((name) => !stored.has(name));
    const twice = [...stored].filter(([, n]) => n > 1).map(([name]) => name);
    const breaches = [
      ...lost.map((name) => `answered 200 and not stored: ${name}`),
      ...twice.map((name) => `stored twice: ${name}`),
    ];
    if (bodies.length !== stored.size || told.size !== stored.size) {
      breaches.push(`${bodies.length} events of ${told.size} messages, ${stored.size} stored`);
    }
    return breaches;
  } finally {
    await dataSource.destroy();
  }
}

function messageIdOf(body: Buffer): number {
  return (JSON.parse(body.toString("utf8")) as { data: { message_id: number } }).data.message_id;
}

const openSql = `SELECT (SELECT COUNT(*) FROM channel_webhooks WHERE state <> 'done')
    + (SELECT COUNT(*) FROM channel_items WHERE state <> 'done') AS n`;
const storedSql = "SELECT COUNT(*) AS n FROM messages WHERE direction = 'inbound'";

async function readCount(databaseUrl: string, sql: string): Promise<number> {
  const dataSource = await openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const [row] = await dataSource.query<{ n: number }[]>(sql);
    return Number(row?.n);
  } finally {
    await dataSource.destroy();
  }
}
