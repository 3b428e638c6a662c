import { beforeEach, expect, test } from "vitest";
import { addColleague, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { receive } from "../../support/conversations.ts";
import { ageList, insertNumber, storeList } from "../../support/templates.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { samples } from "../../core/channels/meta/template-samples.ts";
import { startApiFixture } from "../api-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
let channelId: number;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  channelId = await insertNumber(fixture.database.dataSource, account.accountId);
});

async function call(method: string, path: string, cookie = account.cookie) {
  return await fixture.api.call(method, `/dashboard/api${path}`, { cookie });
}

async function list(...rows: object[]): Promise<void> {
  await storeList(fixture.database.dataSource, account.accountId, channelId, rows);
}

async function agentCookie(): Promise<string> {
  return (await addColleague(fixture.database.dataSource, account.accountId, "Eva")).cookie;
}

const all = [samples.reminder, samples.named, samples.coupon, samples.carousel];
const namesOf = ({ json }: { json: { data: { name: string }[] } }) =>
  json.data.map(({ name }) => name);

test("an agent reads the approved templates with their texts and values", async () => {
  await list(...all);
  const answer = await call(
    "GET",
    `/templates?channel_account_id=${channelId}`,
    await agentCookie(),
  );
  expect(answer.status).toBe(200);
  expect(namesOf(answer)).toEqual(["appointment_reminder", "cards", "order_ready"]);
  expect(answer.json.meta).toMatchObject({
    total: 3,
    sync: { state: "read", synced_at: expect.any(String), failure: null },
  });
  const [first, cards] = answer.json.data;
  expect(first).toMatchObject({
    language: "es_MX",
    category: "utility",
    status: "approved",
    quality: "green",
    usable: true,
    unsupported: null,
    header: { kind: "text", text: "Cita con {{1}}" },
    body: "Hola {{1}}, te esperamos el {{2}}. Responde {{1}} para confirmar.",
    footer: "Clínica Sol",
  });
  expect(first.buttons[1]).toEqual({ text: "Ver", url: "https://sol.example/c/{{1}}" });
  expect(first.placeholders).toHaveLength(5);
  expect(cards).toMatchObject({ usable: false, unsupported: "carousel" });
});

test.each([
  ["order", ["order_ready"]],
  ["CLINICA", ["appointment_reminder"]],
  ["{{first_name}}", ["order_ready"]],
  ["%", []],
  ["confirmar", ["appointment_reminder"]],
])("the search for %s finds names and texts", async (search, expected) => {
  await list(...all);
  const query = `channel_account_id=${channelId}&search=${encodeURIComponent(search)}`;
  expect(namesOf(await call("GET", `/templates?${query}`))).toEqual(expected);
});

test("an admin reads those too that cannot be sent, but never those that are gone", async () => {
  await list(...all);
  await ageList(fixture.database.dataSource, account.accountId, 2);
  await list(samples.coupon, samples.named);
  const path = `/templates?channel_account_id=${channelId}&state=all`;
  const answer = await call("GET", path);
  expect(namesOf(answer)).toEqual(["order_ready", "sale"]);
  expect(answer.json.data[1]).toMatchObject({ status: "paused", quality: "red", usable: false });
  const refused = await call("GET", path, await agentCookie());
  expect([refused.status, refused.json.error.code]).toEqual([403, "forbidden_role"]);
});

test("a conversation leads to the templates of its channel, and the sandbox has no list", async () => {
  await list(samples.reminder);
  const { dataSource } = fixture.database;
  const { row } = await receive(dataSource, account.accountId, {
    channel: "instagram",
    from: "ana",
  });
  const path = `/templates?conversation_id=${row.conversationId}`;
  expect((await call("GET", path)).json).toMatchObject({
    data: [],
    meta: { total: 0, sync: { state: "none", synced_at: null } },
  });
  await fixture.query("UPDATE conversations SET channel_account_id = ? WHERE id = ?", [
    channelId,
    row.conversationId,
  ]);
  expect(namesOf(await call("GET", path))).toEqual(["appointment_reminder"]);
});

test("another account's channel is unknown, and one of the two ids is needed", async () => {
  await list(samples.reminder);
  const other = await createTestAccount(fixture.database.dataSource);
  const path = `/templates?channel_account_id=${channelId}`;
  const foreign = await call("GET", path, other.cookie);
  expect([foreign.status, foreign.json.error.code]).toEqual([404, "channel_account_not_found"]);
  expect((await call("GET", "/templates")).status).toBe(400);
  expect((await call("GET", `${path}&conversation_id=1`)).status).toBe(400);
  const sync = await call("POST", `/channel-accounts/${channelId}/templates/sync`, other.cookie);
  expect(sync.status).toBe(404);
});

test("an admin asks for a read once a minute, an agent never", async () => {
  const path = `/channel-accounts/${channelId}/templates/sync`;
  expect((await call("POST", path, await agentCookie())).status).toBe(403);
  const first = await call("POST", path);
  expect(first).toMatchObject({ status: 200, json: { data: { state: "reading" } } });
  const second = await call("POST", path);
  expect(second).toMatchObject({ status: 429, json: { error: { code: "rate_limited" } } });
  expect(second.json.error.message).toMatch(/Ask again in \d+ s/u);
  expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(50);
  const [sandbox] = await fixture.query<{ id: number }>(
    "SELECT id FROM channel_accounts WHERE account_id = ? AND driver = 'sandbox' LIMIT 1",
    [account.accountId],
  );
  const none = await call("POST", `/channel-accounts/${sandbox?.id}/templates/sync`);
  expect([none.status, none.json.error.code]).toEqual([422, "template_unavailable"]);
});

test("a failed read says why, and the templates stay", async () => {
  await list(samples.reminder);
  await fixture.query(
    "UPDATE channel_template_syncs SET failure = 'token_refused', failed_at = NOW() WHERE account_id = ?",
    [account.accountId],
  );
  const answer = await call("GET", `/templates?channel_account_id=${channelId}`);
  expect(answer.json.meta.sync).toMatchObject({ state: "failed", failure: "token_refused" });
  expect(namesOf(answer)).toEqual(["appointment_reminder"]);
});
