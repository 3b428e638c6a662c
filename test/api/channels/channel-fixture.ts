import { createHmac } from "node:crypto";
import { createLog } from "../../../core/log.ts";
import { createDrain } from "../../../worker/engine/channel-drain.ts";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { startApiFixture, type ApiFixture } from "../api-fixture.ts";

/** An account with a Meta app and a number of WhatsApp. */
export interface TestNumber {
  account: TestAccount;
  appId: number;
  slug: string;
  verifyToken: string;
  secret: string;
  path: string;
  /** Meta's id of the number. */
  numberId: string;
  channelAccountId: number;
  /** Posts bytes or JSON, signed with the app's secret unless `headers` say otherwise. */
  send(body: object | Buffer, headers?: Record<string, string>): Promise<TestAnswer>;
  /** Connects the number; done at the start unless the fixture is told not to. */
  connect(): Promise<TestAnswer>;
}

/** A fixture with an API, and a drain that runs only when a test tells it to. */
export interface ChannelFixture extends ApiFixture {
  /** Drains until nothing is due any more. */
  drain(): Promise<void>;
  panel(account: TestAccount, method: string, path: string, body?: unknown): Promise<TestAnswer>;
  addNumber(options?: { connected?: boolean; account?: TestAccount }): Promise<TestNumber>;
  eventsOf(accountId: number): Promise<string[]>;
}

let count = 0;

/** Starts the fixture. @param environment settings of the API */
export async function startChannelFixture(
  environment: Record<string, string> = {},
): Promise<ChannelFixture> {
  const bare = await startApiFixture(environment);
  const { api, database } = bare;
  const log = createLog("worker", "silent");
  const { drainOnce } = createDrain({ dataSource: database.dataSource, log });
  const panel: ChannelFixture["panel"] = async (account, method, path, body) =>
    await api.call(method, `/dashboard/api${path}`, { cookie: account.cookie, body });
  return {
    ...bare,
    panel,
    async drain() {
      while ((await drainOnce()) > 0);
    },
    addNumber: async (options) => await addNumber({ ...bare, panel }, options),
    async eventsOf(accountId) {
      const sql = "SELECT type FROM events WHERE account_id = ? ORDER BY id";
      return (await bare.query<{ type: string }>(sql, [accountId])).map(({ type }) => type);
    },
  };
}

/** Sources of the events of one type, in order. */
export async function sourcesOf(
  fixture: Pick<ChannelFixture, "query">,
  { account }: TestNumber,
  type: string,
): Promise<string[]> {
  const rows = await fixture.query<{ body: Buffer }>(
    "SELECT body FROM events WHERE account_id = ? AND type = ? ORDER BY id",
    [account.accountId, type],
  );
  return rows.map(({ body }) => {
    const { data } = JSON.parse(body.toString("utf8")) as { data: { source: string } };
    return data.source;
  });
}

async function addNumber(
  fixture: Pick<ChannelFixture, "api" | "database" | "panel">,
  { connected = true, account: given }: { connected?: boolean; account?: TestAccount } = {},
): Promise<TestNumber> {
  const account = given ?? (await createTestAccount(fixture.database.dataSource));
  const number = (count += 1);
  const secret = `app-secret-${number}`;
  const made = await fixture.panel(account, "POST", "/channel-apps", {
    app_id: `77${number}`,
    app_secret: secret,
  });
  const { id: appId, slug, webhook_url, verify_token: verifyToken } = made.json.data;
  const path = new URL(webhook_url).pathname;
  const numberId = `1065400${number}`;
  const body = { driver: "whatsapp_cloud", channel_app_id: appId, external_id: numberId };
  const connect = async () =>
    await fixture.panel(account, "POST", "/channel-accounts", {
      ...body,
      parent_id: `900${number}`,
      token: `token-of-${number}`,
    });
  const channelAccountId = connected ? (await connect()).json.data.id : 0;
  const send: TestNumber["send"] = async (sent, headers) => {
    const bytes = Buffer.isBuffer(sent) ? sent : Buffer.from(JSON.stringify(sent));
    const all = headers ?? { "x-hub-signature-256": signatureOf(secret, bytes) };
    return await fixture.api.call("POST", path, { headers: all, body: bytes });
  };
  const ids = { account, appId, slug, verifyToken, secret, path, numberId, channelAccountId };
  return { ...ids, send, connect };
}

/** The value of X-Hub-Signature-256. */
export function signatureOf(secret: string, bytes: Buffer): string {
  return `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
}

/** A webhook of WhatsApp with some values of one number. */
export function whatsapp(numberId: string, field: string, ...values: object[]): object {
  const metadata = { display_phone_number: "15550001111", phone_number_id: numberId };
  const changes = values.map((value) => ({
    field,
    value: { messaging_product: "whatsapp", metadata, ...value },
  }));
  return { object: "whatsapp_business_account", entry: [{ id: "900", changes }] };
}

/** Seconds since 1970, as WhatsApp writes them. */
export function secondsAgo(seconds: number): string {
  return String(Math.floor(Date.now() / 1000) - seconds);
}

/** The value of a text from a customer. */
export function textFrom(
  from: string,
  id: string,
  { body = "Hola", name = "Ana", ago = 0, more = {} }: TextOptions = {},
): object {
  return {
    contacts: [{ profile: { name }, wa_id: from }],
    messages: [{ from, id, timestamp: secondsAgo(ago), type: "text", text: { body }, ...more }],
  };
}

/** Parts of a text message that a test chooses; `ago` in seconds. */
export interface TextOptions {
  body?: string;
  name?: string;
  ago?: number;
  more?: object;
}

/** The value of a status of a message. */
export function statusOf(id: string, status: string, to: string, more: object = {}): object {
  const one = { id, status, timestamp: secondsAgo(0), recipient_id: to, ...more };
  return { statuses: [one] };
}
