import { createHmac, hash, randomBytes } from "node:crypto";
import type { ProofChallenge } from "../../../core/proof-of-work.ts";
import { widgetSettings, type WidgetSettings } from "../../../core/model/widget.ts";
import { hashToken, randomBase62 } from "../../../core/secrets.ts";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { insertRow, type ApiFixture } from "../api-fixture.ts";

type Servers = Pick<ApiFixture, "database" | "api" | "query">;

/** A widget of a test, in an account of its own. */
export interface TestWidget {
  account: TestAccount;
  channelAccountId: number;
  widgetId: number;
  key: string;
  /** Types of the events that the account has published, in order. */
  events: () => Promise<string[]>;
}

interface Given {
  settings?: Partial<WidgetSettings>;
  allowedOrigins?: string[];
  identityMode?: string;
  account?: TestAccount;
}

/** Adds a widget, straight into the tables. */
export async function createTestWidget(
  fixture: Pick<Servers, "database" | "query">,
  given: Given = {},
): Promise<TestWidget> {
  const account = given.account ?? (await createTestAccount(fixture.database.dataSource));
  const { accountId } = account;
  const key = randomBase62(26);
  const channelAccountId = await insertRow(fixture, "channel_accounts", {
    account_id: accountId,
    channel: "web",
    external_id: key,
    driver: "web",
    name: "Shop",
    bot_default: 1,
  });
  const widgetId = await insertRow(fixture, "widgets", {
    account_id: accountId,
    channel_account_id: channelAccountId,
    public_key: key,
    allowed_origins: JSON.stringify(given.allowedOrigins ?? []),
    settings: JSON.stringify({ ...widgetSettings.parse({}), ...given.settings }),
    identity_mode: given.identityMode ?? "off",
  });
  const events = async () => {
    const sql = "SELECT type FROM events WHERE account_id = ? ORDER BY id";
    return (await fixture.query<{ type: string }>(sql, [accountId])).map(({ type }) => type);
  };
  return { account, channelAccountId, widgetId, key, events };
}

/** Adds a session of a visitor, straight into the table. @returns its bearer token. */
export async function insertSession(
  fixture: Pick<Servers, "database">,
  { account, channelAccountId, widgetId }: TestWidget,
  expiresAt = new Date(Date.now() + 60_000),
): Promise<string> {
  const token = randomBase62(43);
  await insertRow(fixture, "widget_sessions", {
    account_id: account.accountId,
    widget_id: widgetId,
    channel_account_id: channelAccountId,
    visitor_id: `v_${randomBytes(11).toString("hex")}`,
    token_hash: hashToken(token),
    expires_at: expiresAt,
    locale: "en",
    last_seen_at: new Date(),
  });
  return token;
}

/** A part of a JWT. */
export const jwtPart = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token of any header, signed with HMAC and the given key. */
export function signIdentity(
  claims: object,
  key: string,
  header: object = { alg: "HS256", typ: "JWT" },
): string {
  const text = `${jwtPart(header)}.${jwtPart(claims)}`;
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
}

/** Does the work that a refusal with 428 asks for. @returns `proof` */
export function solveProof(details: ProofChallenge): string {
  const { algorithm, challenge, salt, maxnumber, signature } = details;
  // A browser's way to hash waits for each of up to 100,000 answers, which takes fifty times as long.
  let number = 0;
  while (number < maxnumber && hash("sha256", salt + number) !== challenge) number += 1;
  const solved = { algorithm, challenge, number, salt, signature };
  return Buffer.from(JSON.stringify(solved)).toString("base64");
}

/** An address that was never counted. */
function anyIp(): string {
  return `10.${[...randomBytes(3)].join(".")}`;
}

/** A browser with the panel open. */
export interface TestVisitor {
  /** The answer of POST /sessions. */
  begun: TestAnswer;
  token: string;
  resume: string;
  visitorId: string;
  call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<TestAnswer>;
  /** Writes a text under a new id. */
  write: (content: string) => Promise<TestAnswer>;
  /** Texts of the conversation as the visitor reads them, oldest first. */
  texts: () => Promise<string[]>;
}

/** POST /sessions from an address of its own. */
export async function postSession(
  { api }: Pick<Servers, "api">,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const sender = { "x-forwarded-for": anyIp(), origin: api.deps.config.widgetUrl };
  return await api.call("POST", "/widget/api/sessions", {
    body,
    headers: Object.assign(sender, headers),
  });
}

/** Begins or resumes a session. */
export async function openVisit(
  fixture: Pick<Servers, "api">,
  { key }: Pick<TestWidget, "key">,
  more: Record<string, unknown> = {},
): Promise<TestVisitor> {
  const begun = await postSession(fixture, Object.assign({ key }, more));
  const { token, resume, visitor } = begun.json?.data ?? {};
  const ip = anyIp();
  const call: TestVisitor["call"] = async (method, path, body, headers = {}) =>
    await fixture.api.call(method, `/widget/api${path}`, {
      headers: Object.assign({ "x-forwarded-for": ip, authorization: `Bearer ${token}` }, headers),
      ...(body === undefined ? {} : { body }),
    });
  return {
    begun,
    token,
    resume,
    visitorId: visitor?.id ?? "",
    call,
    write: async (content) =>
      await call("POST", "/messages", { client_id: randomBase62(12), content }),
    texts: async () => {
      const { json } = await call("GET", "/messages");
      return json.data.messages.map((one: { content: string }) => one.content);
    },
  };
}
