import { createHmac } from "node:crypto";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { addColleague, type TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { metaApp, startConnectFixture } from "./connect-fixture.ts";
import { statusOf, textFrom, whatsapp } from "./channel-fixture.ts";

const fixture = useFixture(startConnectFixture);
const customer = "5215512345678";

afterEach(() => {
  fixture.line.mode = "up";
});

async function connect() {
  const app = await fixture.addApp();
  const { number } = fixture.accounts;
  const made = await fixture.panel(app.account, "POST", "/channel-accounts", {
    driver: number.driver,
    channel_app_id: app.appId,
    external_id: number.id,
    parent_id: number.parentId,
    token: number.token,
  });
  return { ...app, id: Number(made.json.data.id), path: new URL(app.webhookUrl).pathname };
}

type Channel = Awaited<ReturnType<typeof connect>>;

/** Posts bytes as Meta does. */
async function post(
  { path }: Pick<Channel, "path">,
  body: object | string,
  secret = metaApp.secret,
) {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const signature = `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
  const headers = { "x-hub-signature-256": signature };
  return await fixture.api.call("POST", path, { headers, body: bytes });
}

async function say(channel: Channel, field: string, ...values: object[]): Promise<void> {
  await post(channel, whatsapp(fixture.accounts.number.id, field, ...values));
  await fixture.drain();
}

async function show(account: TestAccount, id: number) {
  const list = await fixture.panel(account, "GET", "/channel-accounts");
  return list.json.data.find((one: { id: number }) => one.id === id);
}

async function showApp({ account }: Channel) {
  return (await fixture.panel(account, "GET", "/channel-apps")).json.data[0];
}

test("a field is seen once its webhook has come, and the lag is measured", async () => {
  const channel = await connect();
  expect(await show(channel.account, channel.id)).toMatchObject({
    last_webhook_at: null,
    lag_p95_ms: null,
    fields: [
      { field: "messages", seen_at: null },
      { field: "messaging_handovers", seen_at: null },
      { field: "standby", seen_at: null },
    ],
  });
  await say(channel, "messages", textFrom(customer, "wamid.h1"));
  const shown = await show(channel.account, channel.id);
  expect(shown.fields[0].seen_at).toBe(shown.last_webhook_at);
  expect(Date.now() - Date.parse(shown.last_webhook_at)).toBeLessThan(60_000);
  expect(shown.fields[2]).toEqual({ field: "standby", seen_at: null });
  expect(shown.lag_p95_ms).toBeGreaterThanOrEqual(0);
  expect(shown.lag_p95_ms).toBeLessThan(60_000);
});

test("a number that people use in their app needs the echoes of that app", async () => {
  const { number } = fixture.accounts;
  number.trouble = { isOnBizApp: true };
  onTestFinished(() => {
    delete number.trouble;
  });
  const channel = await connect();
  const before = await show(channel.account, channel.id);
  expect(before.facts).toMatchObject({ platform_type: "CLOUD_API", is_on_biz_app: true });
  expect(before.fields).toContainEqual({ field: "smb_message_echoes", seen_at: null });
  await say(channel, "smb_message_echoes", { message_echoes: [] });
  const seen = (await show(channel.account, channel.id)).fields.find(
    (one: { field: string }) => one.field === "smb_message_echoes",
  );
  expect(Date.now() - Date.parse(seen.seen_at)).toBeLessThan(60_000);
});

test("facts of an earlier check do not say whether the number is shared", async () => {
  const channel = await connect();
  await fixture.query(
    `UPDATE channel_accounts SET health = JSON_REMOVE(health, '$.facts.is_on_biz_app')
      WHERE id = ?`,
    [channel.id],
  );
  const shown = await show(channel.account, channel.id);
  expect(shown.facts.is_on_biz_app).toBe(null);
  expect(shown.fields).toHaveLength(3);
});

test("a field of the business account is ticked at the app", async () => {
  const channel = await connect();
  const entry = {
    id: fixture.accounts.number.parentId,
    changes: [{ field: "account_update", value: { event: "ACCOUNT_VIOLATION" } }],
  };
  await post(channel, { object: "whatsapp_business_account", entry: [entry] });
  await fixture.drain();
  const { fields } = await showApp(channel);
  const seen = fields.filter(({ seen_at }: { seen_at: string | null }) => seen_at !== null);
  expect(seen.map(({ field }: { field: string }) => field)).toEqual(["account_update"]);
});

test("a message that was cancelled while it was held is not counted as held", async () => {
  const channel = await connect();
  await say(channel, "messages", textFrom(customer, "wamid.h1"));
  const hold = "UPDATE messages SET status = ?, held_at = NOW(3) WHERE channel_account_id = ?";
  await fixture.query(hold, ["queued", channel.id]);
  expect(await show(channel.account, channel.id)).toMatchObject({ held: 1 });
  await fixture.query(hold, ["cancelled", channel.id]);
  expect(await show(channel.account, channel.id)).toMatchObject({ held: 0 });
});

test("webhooks with a wrong signature are counted until the secrets are saved anew", async () => {
  const channel = await connect();
  for (let n = 0; n < 3; n += 1) expect((await post(channel, {}, "wrong")).status).toBe(401);
  const unsigned = await fixture.api.call("POST", channel.path, { body: "{}" });
  expect(unsigned.status).toBe(401);
  await fixture.api.deps.badSignatures.flush();
  const app = await showApp(channel);
  expect(app.bad_signatures).toBe(4);
  expect(Date.now() - Date.parse(app.bad_signature_at)).toBeLessThan(60_000);
  const body = { app_id: metaApp.id, app_secret: metaApp.secret };
  const saved = await fixture.panel(channel.account, "POST", "/channel-apps", body);
  expect(saved.json.data).toMatchObject({ bad_signatures: 0, bad_signature_at: null });
});

test("items of a disconnected channel are unrouted and counted, and replayed on reconnection", async () => {
  const channel = await connect();
  await fixture.panel(channel.account, "DELETE", `/channel-accounts/${channel.id}`);
  await say(channel, "messages", textFrom(customer, "wamid.u1"));
  expect(await show(channel.account, channel.id)).toMatchObject({ unrouted: 1, held: 0 });
  expect(await showApp(channel)).toMatchObject({ unrouted: 1 });
  const { number } = fixture.accounts;
  await fixture.panel(channel.account, "POST", "/channel-accounts", {
    driver: number.driver,
    channel_app_id: channel.appId,
    channel_account_id: channel.id,
    token: number.token,
  });
  await fixture.drain();
  expect(await show(channel.account, channel.id)).toMatchObject({ unrouted: 0 });
  const messages = await fixture.query("SELECT id FROM messages WHERE account_id = ?", [
    channel.account.accountId,
  ]);
  expect(messages).toHaveLength(1);
});

test("failures are counted by the network's code, and the last send is shown", async () => {
  const channel = await connect();
  await say(channel, "messages", textFrom(customer, "wamid.f0"));
  for (const [n, code] of [
    [1, 131_026],
    [2, 131_026],
    [3, 131_049],
  ] as const) {
    const echo = {
      from: "15550001111",
      to: customer,
      id: `wamid.e${n}`,
      timestamp: String(Math.floor(Date.now() / 1_000)),
      type: "text",
      text: { body: "Hi" },
    };
    await say(channel, "smb_message_echoes", { message_echoes: [echo] });
    const errors = [{ code, title: "No" }];
    await say(channel, "messages", statusOf(`wamid.e${n}`, "failed", customer, { errors }));
  }
  const shown = await show(channel.account, channel.id);
  expect(shown.failures).toEqual([
    { code: "131026", count: 2 },
    { code: "131049", count: 1 },
  ]);
  expect(Date.now() - Date.parse(shown.last_sent_at)).toBeLessThan(60_000);
});

test("the hours count every message of the channel, however many conversations are newer", async () => {
  const channel = await connect();
  const other = await connect();
  await say(channel, "messages", textFrom(customer, "wamid.t0"));
  const [said] = await fixture.query<{ id: number; created_at: Date }>(
    "SELECT id, created_at FROM messages WHERE channel_account_id = ?",
    [channel.id],
  );
  // More messages of one conversation than an earlier version looked at.
  await fixture.query(
    `INSERT INTO messages (account_id, conversation_id, contact_id, channel_account_id, channel,
            direction, type, sender_type, status, error, created_at)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
     SELECT m.account_id, m.conversation_id, m.contact_id, m.channel_account_id, m.channel,
            'outbound', 'text', 'api', IF(i % 3, 'sent', 'failed'),
            IF(i % 3, NULL, '{"code":"refused","provider_code":null}'),
            m.created_at - INTERVAL IF(i = 300, 25, 3) HOUR
       FROM n JOIN messages m ON m.id = ?`,
    [said?.id],
  );
  const path = `/channel-accounts/${channel.id}/traffic`;
  const { json, status } = await fixture.panel(channel.account, "GET", path);
  expect(status).toBe(200);
  const { hours, last_minute: minute } = json.data;
  expect(hours).toHaveLength(24);
  expect(minute).toEqual({ inbound: 1, outbound: 0 });
  const hourOf = (at: number): string => new Date(at - (at % 3_600_000)).toISOString();
  const now = said?.created_at.getTime() ?? 0;
  const full = hours.filter((one: Record<string, number>) => one["inbound"] || one["outbound"]);
  expect(full).toEqual([
    { starts_at: hourOf(now - 3 * 3_600_000), inbound: 0, outbound: 299, failed: 99 },
    { starts_at: hourOf(now), inbound: 1, outbound: 0, failed: 0 },
  ]);
  const shown = await show(channel.account, channel.id);
  expect(shown.failures).toEqual([{ code: "refused", count: 99 }]);
  // Another account's channel is unknown.
  expect((await fixture.panel(other.account, "GET", path)).status).toBe(404);
});

test("an admin reads a parked item with its webhook, and nobody else does", async () => {
  const channel = await connect();
  const group = {
    messages: [
      {
        from: customer,
        group_id: "G1",
        id: "wamid.g1",
        timestamp: "1790000000",
        type: "text",
        text: { body: "to all" },
      },
    ],
  };
  await say(channel, "messages", group);
  const query = `/channel-items?state=parked&channel_account_id=${channel.id}`;
  const [item] = (await fixture.panel(channel.account, "GET", query)).json.data;
  expect(item).toMatchObject({ kind: "group", state: "parked" });
  const none = await fixture.panel(
    channel.account,
    "GET",
    "/channel-items?channel_account_id=999999",
  );
  expect(none.json.data).toEqual([]);
  expect(await show(channel.account, channel.id)).toMatchObject({ parked: 1 });
  const path = `/channel-items/${item.id}/raw`;
  const raw = await fixture.panel(channel.account, "GET", path);
  expect(raw.json.data.item).toMatchObject({ kind: "group" });
  expect(JSON.parse(raw.json.data.webhook)).toMatchObject({ object: "whatsapp_business_account" });
  const { dataSource } = fixture.database;
  const agent = await addColleague(dataSource, channel.account.accountId, "Agent");
  expect((await fixture.panel(agent, "GET", path)).status).toBe(403);
  const stranger = await fixture.addApp();
  expect((await fixture.panel(stranger.account, "GET", path)).status).toBe(404);
});

test("a webhook that nobody could read is shown and read once more", async () => {
  const channel = await connect();
  await post(channel, "{broken");
  await fixture.drain();
  expect(await showApp(channel)).toMatchObject({ parked_webhooks: 1 });
  const list = await fixture.panel(channel.account, "GET", "/channel-webhooks");
  expect(list.json.meta).toMatchObject({ total: 1, next: null });
  const [parked] = list.json.data;
  expect(parked).toMatchObject({ channel_app_id: channel.appId, reason: "not_readable", bytes: 7 });
  const path = `/channel-webhooks/${parked.id}`;
  const raw = await fixture.panel(channel.account, "GET", `${path}/raw`);
  expect(raw.json.data).toEqual({ webhook: "{broken" });
  const stranger = await fixture.addApp();
  for (const [method, end] of [
    ["GET", "raw"],
    ["POST", "retry"],
  ] as const) {
    const foreign = await fixture.panel(stranger.account, method, `${path}/${end}`);
    expect([foreign.status, foreign.json.error.code]).toEqual([404, "channel_webhook_not_found"]);
  }
  // As after a fault of ours that is mended.
  const text = JSON.stringify(
    whatsapp(fixture.accounts.number.id, "messages", textFrom(customer, "wamid.w1")),
  );
  await fixture.query("UPDATE channel_webhooks SET body = ? WHERE id = ?", [
    Buffer.from(text),
    parked.id,
  ]);
  expect((await fixture.panel(channel.account, "POST", `${path}/retry`)).status).toBe(200);
  await fixture.drain();
  const messages = await fixture.query("SELECT content FROM messages WHERE account_id = ?", [
    channel.account.accountId,
  ]);
  expect(messages).toMatchObject([{ content: "Hola" }]);
  const again = await fixture.panel(channel.account, "POST", `${path}/retry`);
  expect([again.status, again.json.error.code]).toEqual([409, "channel_webhook_not_parked"]);
  const [audit] = await fixture.query(
    "SELECT target_id FROM audit_log WHERE account_id = ? AND action = 'channel_webhook.retried'",
    [channel.account.accountId],
  );
  expect(Number(audit?.["target_id"])).toBe(parked.id);
});

test("a test message goes to a customer who has written, in the usual way", async () => {
  const channel = await connect();
  const path = `/channel-accounts/${channel.id}/test-message`;
  const unknown = await fixture.panel(channel.account, "POST", path, { to: "+52 1 55 1234 5678" });
  expect(unknown.json.error.details).toMatchObject([{ path: "body.to", code: "unknown_customer" }]);
  await say(channel, "messages", textFrom(customer, "wamid.t1"));
  const sent = await fixture.panel(channel.account, "POST", path, { to: "+52 1 55 1234 5678" });
  expect(sent.status).toBe(201);
  const [message] = await fixture.query(
    "SELECT content, status, direction FROM messages WHERE id = ? AND conversation_id = ?",
    [sent.json.data.message_id, sent.json.data.conversation_id],
  );
  expect(message).toEqual({
    content: "This is a test message. Your channel works.",
    status: "queued",
    direction: "outbound",
  });
  await fixture.query(
    "UPDATE conversations SET last_customer_message_at = last_customer_message_at - INTERVAL 25 HOUR WHERE id = ?",
    [sent.json.data.conversation_id],
  );
  const late = await fixture.panel(channel.account, "POST", path, { to: customer });
  expect([late.status, late.json.error.code]).toEqual([422, "messaging_window_closed"]);
});
