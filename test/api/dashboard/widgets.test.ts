import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { widgetSettings } from "../../../core/model/widget.ts";
import {
  listValidSecrets,
  widgetSecretContext,
} from "../../../core/services/widgets/widget-secrets.ts";
import { createTestAccount, testSecretBox, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { insertRow, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const publicUrl = "https://parley.example";
const fixture = useFixture(async () => await startApiFixture({ PUBLIC_URL: publicUrl }));
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const secretForm = /^wsec_[0-9A-Za-z]{43}$/;
const hourMs = 3_600_000;

type Call = (method: string, path: string, body?: unknown) => Promise<TestAnswer>;

/** An account of its own, so that nothing here counts for another test. */
async function newAccount(
  role: "admin" | "agent" = "admin",
): Promise<TestAccount & { call: Call }> {
  const account = await createTestAccount(fixture.database.dataSource, { role });
  const cookie = account.cookie.replace("parley_session", "__Host-parley_session");
  const call: Call = async (method, path, body) =>
    await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  return { ...account, call };
}

async function codesOf(answer: TestAnswer): Promise<unknown> {
  const details = answer.json.error?.details ?? [];
  return [
    answer.status,
    details.map((one: { path: string; code: string }) => [one.path, one.code]),
  ];
}

function pemOf(namedCurve: string): { publicKey: string; privateKey: string } {
  return generateKeyPairSync("ec", {
    namedCurve,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}

test("a new widget answers its view and, this once, its secret; it has a channel of its own", async () => {
  const { call, accountId } = await newAccount();
  const made = await call("POST", "/widgets", {
    name: " Shop ",
    allowed_origins: ["https://Shop.example:443", "https://shop.example", "https://*.shop.example"],
  });
  const { identity_secret: secret, ...view } = made.json.data;
  expect([made.status, view]).toEqual([
    201,
    {
      id: expect.any(Number),
      channel_account_id: expect.any(Number),
      key: expect.stringMatching(/^[0-9A-Za-z]{26}$/),
      name: "Shop",
      script_url: `${publicUrl}/widget/${view.key}.js`,
      allowed_origins: ["https://shop.example", "https://*.shop.example"],
      identity_mode: "off",
      identity_public_key: null,
      bot_default: true,
      settings: widgetSettings.parse({}),
      seen_at: null,
      seen_on: null,
      created_at: timestamp,
      updated_at: view.created_at,
    },
  ]);
  expect(secret).toMatch(secretForm);
  expect((await call("GET", `/widgets/${view.id}`)).json.data).toEqual(view);
  expect((await call("GET", "/widgets")).json.data).toEqual([view]);
  const [row] = await fixture.query<{ sealed: string; key_id: string }>(
    "SELECT sealed, key_id FROM widget_secrets WHERE widget_id = ?",
    [view.id],
  );
  const context = widgetSecretContext(accountId, view.id);
  expect(testSecretBox.open(row?.sealed ?? "", context)).toBe(secret);
  const channels = (await call("GET", "/channel-accounts")).json.data;
  const channel = channels.find(({ id }: { id: number }) => id === view.channel_account_id);
  const columns = { channel: "web", driver: "web", external_id: view.key, name: "Shop" };
  expect(channel).toMatchObject(columns);
  expect(channel).toMatchObject({ state: "connected", reason: null, token: null });
});

test("fields that are sent change, settings as a whole; equal values change nothing", async () => {
  const { call, accountId } = await newAccount();
  const { id, channel_account_id } = (await call("POST", "/widgets", { name: "Shop" })).json.data;
  const settings = {
    look: { accent: "#AA0000" },
    texts: { es: { title: "Hola" } },
    consent: "notice",
    privacy_url: "https://shop.example/privacy",
  };
  const patch = { name: "Store", bot_default: false, identity_mode: "required", settings };
  const changed = await call("PATCH", `/widgets/${id}`, patch);
  expect(changed.json.data).toMatchObject({ name: "Store", bot_default: false });
  expect(changed.json.data.settings).toEqual(
    widgetSettings.parse({ ...settings, look: { accent: "#aa0000" } }),
  );
  await call("PATCH", `/widgets/${id}`, patch);
  await call("PATCH", `/widgets/${id}`, {});
  const replaced = await call("PATCH", `/widgets/${id}`, { settings: {} });
  expect(replaced.json.data).toMatchObject({ identity_mode: "required", name: "Store" });
  expect(replaced.json.data.settings).toEqual(widgetSettings.parse({}));
  const audits = await fixture.query<{ action: string; target_id: number; details: unknown }>(
    "SELECT action, target_id, details FROM audit_log WHERE account_id = ? AND target_type IN ('widget', 'channel_account') ORDER BY id",
    [accountId],
  );
  expect(audits.map(({ action, target_id }) => [action, target_id])).toEqual([
    ["channel_account.created", channel_account_id],
    ["widget.created", id],
    ["widget.updated", id],
    ["channel_account.updated", channel_account_id],
    ["widget.updated", id],
  ]);
  expect(JSON.stringify(audits)).not.toContain("wsec_");
  const changes = await fixture.query(
    "SELECT kind FROM changes WHERE account_id = ? AND kind = 'channel.updated'",
    [accountId],
  );
  expect(changes).toHaveLength(4);
});

test("a new secret leaves the one before valid for 24 hours, and older ones end at once", async () => {
  const { call, accountId } = await newAccount();
  const made = (await call("POST", "/widgets", { name: "Shop" })).json.data;
  const renew = async () => (await call("POST", `/widgets/${made.id}/secret`)).json.data;
  const valid = async (inMs: number) =>
    await listValidSecrets(
      fixture.database.dataSource.manager,
      testSecretBox,
      made.id,
      new Date(Date.now() + inMs),
    );
  expect(await valid(0)).toEqual([made.identity_secret]);
  const second = await renew();
  expect(second).toMatchObject({ id: made.id, identity_secret: expect.stringMatching(secretForm) });
  expect(await valid(23.9 * hourMs)).toEqual([second.identity_secret, made.identity_secret]);
  expect(await valid(24.1 * hourMs)).toEqual([second.identity_secret]);
  const third = await renew();
  expect(await valid(hourMs)).toEqual([third.identity_secret, second.identity_secret]);
  const actions = await fixture.query(
    "SELECT action FROM audit_log WHERE account_id = ? AND action = 'widget.secret_rotated'",
    [accountId],
  );
  expect(actions).toHaveLength(2);
});

test("a deleted widget is gone with its secrets; its channel is disconnected and stays", async () => {
  const { call } = await newAccount();
  const made = (await call("POST", "/widgets", { name: "Shop" })).json.data;
  expect((await call("DELETE", `/widgets/${made.id}`)).json.data).toEqual({ id: made.id });
  for (const [method, path] of [
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["POST", "/secret"],
  ] as const) {
    const body = method === "PATCH" ? {} : undefined;
    const gone = await call(method, `/widgets/${made.id}${path}`, body);
    expect([gone.status, gone.json.error.code]).toEqual([404, "widget_not_found"]);
  }
  expect((await call("GET", "/widgets")).json.data).toEqual([]);
  const { manager } = fixture.database.dataSource;
  expect(await listValidSecrets(manager, testSecretBox, made.id, new Date())).toEqual([]);
  const channels = (await call("GET", "/channel-accounts")).json.data;
  expect(channels.find(({ id }: { id: number }) => id === made.channel_account_id)).toMatchObject({
    state: "disconnected",
    reason: "disconnected_by_admin",
  });
});

test("a public key of ES256 is stored in one form and removed; any other key is refused", async () => {
  const { call } = await newAccount();
  const { id } = (await call("POST", "/widgets", { name: "Shop" })).json.data;
  const set = async (pem: string | null) =>
    await call("PATCH", `/widgets/${id}`, { identity_public_key: pem });
  const { publicKey, privateKey } = pemOf("prime256v1");
  const windowsLines = publicKey.replaceAll("\n", "\r\n");
  expect((await set(windowsLines)).json.data.identity_public_key).toBe(publicKey.trim());
  const refused = [400, [["body.identity_public_key", "invalid_public_key"]]];
  expect(await codesOf(await set(privateKey))).toEqual(refused);
  expect(await codesOf(await set(pemOf("secp384r1").publicKey))).toEqual(refused);
  expect(await codesOf(await set("not a key"))).toEqual(refused);
  expect((await set(null)).json.data.identity_public_key).toBeNull();
});

test.each<[object, string]>([
  [{ name: " " }, "body.name"],
  [{ allowed_origins: ["http://shop.example"] }, "body.allowed_origins.0"],
  [{ allowed_origins: ["https://*.example"] }, "body.allowed_origins.0"],
  [{ settings: { look: { accent: "red" } } }, "body.settings.look.accent"],
  [{ settings: { greeting: { delay_seconds: -1 } } }, "body.settings.greeting.delay_seconds"],
  [{ settings: { privacy_url: "javascript:alert(1)" } }, "body.settings.privacy_url"],
  [{ settings: { booking_slug: "nobody-has-it" } }, "body.settings.booking_slug"],
  [{ identity_mode: "always" }, "body.identity_mode"],
  [{ public_key: "x" }, "body.public_key"],
])("%j is refused at %s", async (body, path) => {
  const { call } = await newAccount();
  const made = await call("POST", "/widgets", { name: "Shop", ...body });
  expect([made.status, made.json.error.details[0].path]).toEqual([400, path]);
  expect((await call("GET", "/widgets")).json.data).toEqual([]);
});

test("a widget books through a link of its own account alone", async () => {
  const [own, other] = [await newAccount(), await newAccount()];
  const link = { title: "Visits", resource_id: 1, service_id: 1, slug: "own".padEnd(26, "0") };
  await insertRow(fixture, "booking_links", { ...link, account_id: own.accountId });
  const body = { name: "Shop", settings: { booking_slug: link.slug } };
  expect((await own.call("POST", "/widgets", body)).status).toBe(201);
  expect(await codesOf(await other.call("POST", "/widgets", body))).toEqual([
    400,
    [["body.settings.booking_slug", "unknown_booking_link"]],
  ]);
});

test("another account's widget reads as absent, and an agent reads but changes nothing", async () => {
  const [own, other, agent] = [await newAccount(), await newAccount(), await newAccount("agent")];
  const made = (await own.call("POST", "/widgets", { name: "Shop" })).json.data;
  for (const [method, path, body] of [
    ["GET", `/widgets/${made.id}`],
    ["PATCH", `/widgets/${made.id}`, { name: "Mine" }],
    ["DELETE", `/widgets/${made.id}`],
    ["POST", `/widgets/${made.id}/secret`],
  ] as const) {
    const answer = await other.call(method, path, body);
    expect([answer.status, answer.json.error.code]).toEqual([404, "widget_not_found"]);
    if (method === "GET") continue;
    const refused = await agent.call(method, path, body);
    expect([refused.status, refused.json.error.code]).toEqual([403, "forbidden_role"]);
  }
  expect((await other.call("GET", "/widgets")).json.data).toEqual([]);
  expect((await agent.call("POST", "/widgets", { name: "Shop" })).status).toBe(403);
  expect((await agent.call("GET", "/widgets")).json.data).toEqual([]);
  const { identity_secret: _, ...view } = made;
  expect((await own.call("GET", `/widgets/${made.id}`)).json.data).toEqual(view);
});

test("an account has at most 20 widgets, and a deleted one makes room", async () => {
  const { call } = await newAccount();
  const ids: number[] = [];
  for (let made = 0; made < 20; made += 1) {
    ids.push((await call("POST", "/widgets", { name: `Shop ${made}` })).json.data.id);
  }
  const refused = await call("POST", "/widgets", { name: "One more" });
  expect(await codesOf(refused)).toEqual([400, [["body", "too_many_widgets"]]]);
  await call("DELETE", `/widgets/${ids[0]}`);
  expect((await call("POST", "/widgets", { name: "One more" })).status).toBe(201);
});
