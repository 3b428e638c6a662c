import type { FuzzedRequest } from "./fuzz-requests.ts";
import { signBody } from "../../../core/signature.ts";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../../support/accounts.ts";
import { createTestEndpoint, type TestEndpoint } from "../inbound/inbound-fixture.ts";
import { addMember, loginAs } from "../dashboard/people-fixture.ts";
import { insertRow, startApiFixture, type ApiFixture } from "../api-fixture.ts";

/** Stands in everything that the other account has, and nowhere else. */
export const canary = "canary-7f3a9";

/** Two accounts with rows side by side: one that is fuzzed, one that must never show. */
export interface FuzzFixture extends ApiFixture {
  other: TestAccount;
  /** Adds who sends it, and the signature where the place asks for one. */
  signed(request: FuzzedRequest): Omit<FuzzedRequest, "caller">;
  /** What is fuzzed includes the logout. */
  logIn(): Promise<void>;
  /** Every row of the other account, as text, by table. */
  otherRows(): Promise<Map<string, string>>;
}

/** Starts a fixture whose small ids belong to both accounts in turn. */
export async function startFuzzFixture(): Promise<FuzzFixture> {
  const fixture = await startApiFixture();
  const other = await createTestAccount(fixture.database.dataSource);
  await fixture.query("UPDATE accounts SET name = ? WHERE id = ?", [canary, other.accountId]);
  for (let round = 0; round < 3; round += 1) {
    await fill(fixture, fixture.account, `own ${round}`, round);
    await fill(fixture, other, `${canary} ${round}`, round);
  }
  const inbound = await createTestEndpoint(fixture, { account: fixture.account });
  const voice = await createTestEndpoint(fixture, { account: fixture.account, kind: "voice" });
  const theirs = await createTestEndpoint(fixture, { account: other });
  await theirs.manage("PATCH", "", { name: canary });
  await addMember(fixture, other, { name: canary, email: `${canary}@example.com` });
  await addMember(fixture, fixture.account);
  let cookie = fixture.account.cookie;
  return {
    ...fixture,
    other,
    otherRows: async () => await rowsOf(fixture, other.accountId),
    async logIn() {
      const { userId, accountId } = fixture.account;
      cookie = await loginAs(fixture, { userId }, accountId);
    },
    signed({ caller, ...request }) {
      const own = request.target.startsWith("/api/webhooks/voice") ? voice : inbound;
      const headers = [...request.headers, ...identify(fixture, request, caller, { cookie, own })];
      const target = request.target.replace(":slug", () => own.path.split("/").at(-1) ?? "");
      return { ...request, target, headers: withType(headers, request.body) };
    },
  };
}

function identify(
  fixture: ApiFixture,
  { target, body }: Omit<FuzzedRequest, "caller">,
  caller: FuzzedRequest["caller"],
  { cookie, own }: { cookie: string; own: TestEndpoint },
): [string, string][] {
  if (caller === "nobody") return [];
  const isOwn = caller === "own";
  if (target.startsWith("/api/webhooks")) {
    const signature = signBody(isOwn ? own.secret : "whsec_c3RyYW5nZXI=", body ?? Buffer.alloc(0));
    return [["x-service-signature", signature]];
  }
  if (target.startsWith("/dashboard")) {
    return [["cookie", isOwn ? cookie : "parley_session=stranger"]];
  }
  return [["authorization", `Bearer ${isOwn ? fixture.account.apiKey : "parley_stranger"}`]];
}

function withType(headers: [string, string][], body: Buffer | null): [string, string][] {
  if (body === null || headers.some(([name]) => name === "content-type")) return headers;
  return [...headers, ["content-type", "application/json"]];
}

async function fill(
  fixture: ApiFixture,
  account: TestAccount,
  text: string,
  round: number,
): Promise<void> {
  const { apiKey, cookie, accountId } = account;
  const post = async (path: string, body: object): Promise<number> => {
    const answer = await fixture.api.call("POST", path, { apiKey, cookie, body });
    if (answer.status > 201) throw new Error(`${path}: ${answer.text}`);
    return Number(answer.json.data.id);
  };
  const phone = `521555000000${round}`;
  await post("/api/v1/contacts", {
    phone,
    name: text,
    email: `${text.replaceAll(" ", "-")}@example.com`,
  });
  // Who opens a conversation from here on stands in it.
  const pipeline = { name: text, stages: [text, "Won"], default: true };
  await post("/dashboard/api/pipelines", pipeline);
  const id = await post("/api/v1/conversations", { phone, initial_message: text });
  await post(`/api/v1/conversations/${id}/messages`, {
    content: text,
    external_id: text.replace(" ", "-"),
  });
  await post(`/dashboard/api/conversations/${id}/notes`, { text });
  await post("/dashboard/api/sandbox/messages", { channel: "whatsapp", from: phone, text });
  await post("/dashboard/api/api-keys", {
    name: text,
    scopes: ["contacts:read"],
    expires_at: null,
  });
  const url = `http://127.0.0.1:1/${text.replace(" ", "/")}`;
  await createTestSubscription(fixture.database.dataSource, accountId, { url });
  const params = JSON.stringify({ subscription_name: text });
  const kind = "delivery_discarded";
  await insertRow(fixture, "notifications", {
    account_id: accountId,
    kind,
    params,
    dedupe_key: text,
    group_key: text,
  });
}

/** Without the changes: the API itself numbers them while it runs. */
async function rowsOf(fixture: ApiFixture, accountId: number): Promise<Map<string, string>> {
  const tables = await fixture.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = DATABASE() AND column_name = 'account_id' AND table_name <> 'changes'`,
  );
  const rows = new Map<string, string>();
  for (const { name } of tables) {
    const found = await fixture.query(`SELECT * FROM ${name} WHERE account_id = ?`, [accountId]);
    rows.set(name, JSON.stringify(found));
  }
  return rows;
}
