import type { EndpointKind } from "../../../core/model/inbound.ts";
import { signBody, signStandard } from "../../../core/signature.ts";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import type { ApiFixture } from "../api-fixture.ts";

/** An endpoint with what a caller needs to know of it. */
export interface TestEndpoint {
  id: number;
  account: TestAccount;
  path: string;
  secret: string;
  /** Sends bytes signed as the endpoint asks for; `headers` win over those of the signature. */
  send: (
    body: string | Uint8Array | object,
    headers?: Record<string, string>,
  ) => Promise<TestAnswer>;
  /** One action. */
  act: (event: string, data: object, headers?: Record<string, string>) => Promise<TestAnswer>;
  /** Calls the Dashboard about this endpoint. */
  manage: (method: string, path?: string, body?: unknown) => Promise<TestAnswer>;
  /** The log, newest first. */
  log: () => Promise<Record<string, unknown>[]>;
}

/** Makes an endpoint through the Dashboard, in an account of its own unless one is given. */
export async function createTestEndpoint(
  fixture: Pick<ApiFixture, "api" | "database">,
  {
    strict = false,
    account: given,
    kind = "inbound",
  }: { strict?: boolean; account?: TestAccount; kind?: EndpointKind } = {},
): Promise<TestEndpoint> {
  const below = kind === "inbound" ? "inbound-endpoints" : "voice-integrations";
  const account = given ?? (await createTestAccount(fixture.database.dataSource));
  const { cookie } = account;
  const made = await fixture.api.call("POST", `/dashboard/api/${below}`, {
    cookie,
    body: { name: "CRM", strict },
  });
  const { id, slug, secret } = made.json.data;
  const path = `/api/webhooks/${kind}/${slug}`;
  const send: TestEndpoint["send"] = async (body, headers = {}) => {
    const bytes = toBytes(body);
    const signature = strict
      ? standardHeaders(secret, bytes, { id: `msg_${Math.random()}` })
      : { "x-service-signature": signBody(secret, bytes) };
    const all = { ...signature, ...headers };
    return await fixture.api.call("POST", path, { headers: all, body: bytes });
  };
  const manage: TestEndpoint["manage"] = async (method, path = "", body) =>
    await fixture.api.call(method, `/dashboard/api/${below}/${id}${path}`, {
      cookie,
      body,
    });
  return {
    id,
    account,
    path,
    secret,
    send,
    manage,
    act: async (event, data, headers) => await send({ event, data }, headers),
    log: async () => (await manage("GET", "/requests?limit=100")).json.data,
  };
}

/** The three headers of Standard Webhooks. */
export function standardHeaders(
  secret: string,
  body: Uint8Array,
  { id, offsetSeconds = 0 }: { id: string; offsetSeconds?: number },
): Record<string, string> {
  const timestampSeconds = Math.floor(Date.now() / 1000) + offsetSeconds;
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signStandard({ secrets: [secret], id, timestampSeconds, body }),
  };
}

/** Text and bytes as they are, anything else as JSON. */
export function toBytes(body: string | Uint8Array | object): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

/** `event_type` of every event of an account, in the order they were published. */
export async function eventsOf(fixture: ApiFixture, accountId: number): Promise<string[]> {
  const rows = await fixture.query<{ type: string }>(
    "SELECT type FROM events WHERE account_id = ? ORDER BY id",
    [accountId],
  );
  return rows.map(({ type }) => type);
}

/** The status and code of a refusal. */
export function refusal({ status, json }: TestAnswer): [number, string] {
  return [status, json.error.code];
}
