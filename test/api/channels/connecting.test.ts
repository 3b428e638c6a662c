import { afterEach, expect, test } from "vitest";
import type { MetaAccount } from "../../../dev/stand-in/meta-accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { addColleague, type TestAccount } from "../../support/accounts.ts";
import { holdTimers } from "../../support/held-timers.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { metaApp, startConnectFixture } from "./connect-fixture.ts";

const fixture = useFixture(startConnectFixture);

afterEach(() => {
  fixture.line.mode = "up";
  for (const one of Object.values(fixture.accounts)) delete one.trouble;
});

type App = Awaited<ReturnType<typeof fixture.addApp>>;

function bodyOf({ appId }: App, account: MetaAccount, more: object = {}): object {
  return {
    driver: account.driver,
    channel_app_id: appId,
    external_id: account.id,
    ...(account.parentId !== "" && { parent_id: account.parentId }),
    token: account.token,
    ...more,
  };
}

async function connect(app: App, account: MetaAccount, more?: object): Promise<TestAnswer> {
  return await fixture.panel(app.account, "POST", "/channel-accounts", bodyOf(app, account, more));
}

async function auditOf({ accountId }: TestAccount): Promise<string[]> {
  const sql =
    "SELECT action FROM audit_log WHERE account_id = ? AND action LIKE 'channel%' ORDER BY id";
  return (await fixture.query<{ action: string }>(sql, [accountId])).map(({ action }) => action);
}

/** The account's channels but its sandboxes. */
async function channelsOf(account: TestAccount) {
  const list = await fixture.panel(account, "GET", "/channel-accounts");
  return list.json.data.filter(({ driver }: { driver: string }) => driver !== "sandbox");
}

async function rowsOf(table: string, { accountId }: TestAccount) {
  return await fixture.query(`SELECT * FROM ${table} WHERE account_id = ? ORDER BY id`, [
    accountId,
  ]);
}

test("a number is connected with its verified name, its health, its scopes and its subscription", async () => {
  const app = await fixture.addApp();
  const answer = await connect(app, fixture.accounts.number);
  expect([answer.status, answer.json.error ?? null]).toEqual([201, null]);
  expect(answer.json.data).toMatchObject({
    state: "connected",
    reason: null,
    name: "Clínica de prueba",
    bot_default: true,
    token: {
      scopes: ["whatsapp_business_management", "whatsapp_business_messaging"],
      missing_scopes: [],
      expires_at: null,
    },
    facts: {
      display_name: "+1 555 078 3881",
      quality_rating: "GREEN",
      messaging_limit: "TIER_2K",
      throughput: "STANDARD",
      is_on_biz_app: false,
      can_send: "AVAILABLE",
      is_subscribed: true,
    },
  });
  expect(answer.text).not.toContain(fixture.accounts.number.token);
  const [row] = await fixture.query("SELECT portfolio_id FROM channel_accounts WHERE id = ?", [
    answer.json.data.id,
  ]);
  expect(row).toEqual({ portfolio_id: "3300112233" });
  const [subscription] = fixture.meta.subscriptions();
  expect(subscription).toEqual([fixture.accounts.number.parentId, app.webhookUrl, []]);
  expect(await auditOf(app.account)).toEqual(["channel_app.created", "channel_account.created"]);
});

test("what the admin chooses stays: the name, and who answers", async () => {
  const app = await fixture.addApp();
  const chosen = { name: "Front desk", bot_default: false };
  const made = await connect(app, fixture.accounts.number, chosen);
  expect(made.json.data).toMatchObject(chosen);
  const path = `/channel-accounts/${made.json.data.id}`;
  const patch = await fixture.panel(app.account, "PATCH", path, { name: "Desk" });
  expect(patch.json.data).toMatchObject({ name: "Desk", bot_default: false });
  const again = await connect(app, fixture.accounts.number);
  expect(again.json.data).toMatchObject({ name: "Desk", bot_default: false });
  expect((await auditOf(app.account)).slice(-2)).toEqual([
    "channel_account.updated",
    "channel_account.reconnected",
  ]);
});

const past = Math.floor(Date.now() / 1_000) - 60;

test.each<[string, string, object, (account: MetaAccount) => object | void]>([
  [
    "a token that nobody knows",
    "token",
    { reason: "token_invalid", provider_code: "190" },
    () => ({ token: "unknown-token" }),
  ],
  [
    "a token of another app",
    "token",
    { reason: "token_of_other_app" },
    (account) => {
      account.trouble = { tokenAppId: "999" };
    },
  ],
  [
    "an expired token",
    "token",
    { reason: "token_expired", provider_code: "190/463" },
    (account) => {
      account.trouble = { expiresAt: past };
    },
  ],
  [
    "a token without a permission",
    "token",
    {
      reason: "scope_missing",
      missing_scopes: ["whatsapp_business_messaging"],
    },
    (account) => {
      account.trouble = { scopes: ["whatsapp_business_management"] };
    },
  ],
  [
    "a number that the token does not reach",
    "account",
    { reason: "account_not_found" },
    () => ({ external_id: "555" }),
  ],
  [
    "another business account",
    "account",
    { reason: "account_not_found" },
    () => ({ parent_id: "556" }),
  ],
])(
  "%s fails the step %s with Meta's words, and nothing is stored",
  async (_, step, details, spoil) => {
    const app = await fixture.addApp();
    const more = spoil(fixture.accounts.number) ?? {};
    const answer = await connect(app, fixture.accounts.number, more);
    expect([answer.status, answer.json.error.code]).toEqual([422, "channel_check_failed"]);
    expect(answer.json.error.details).toMatchObject({ step, ...details });
    expect(answer.json.error.details.next_step).not.toBe("");
    expect(answer.text).not.toContain(fixture.accounts.number.token);
    expect(await channelsOf(app.account)).toEqual([]);
    expect(await rowsOf("channel_account_tokens", app.account)).toEqual([]);
  },
);

test("an app with a wrong secret fails the step token, and says that the secret is wrong", async () => {
  const app = await fixture.addApp();
  const body = { app_id: metaApp.id, app_secret: "another-secret" };
  await fixture.panel(app.account, "POST", "/channel-apps", body);
  const answer = await connect(app, fixture.accounts.number);
  const details = { step: "token", reason: "app_secret_invalid", provider_code: "190" };
  expect(answer.json.error.details).toMatchObject(details);
});

test("a callback that Meta does not reach fails the step subscribe", async () => {
  const app = await fixture.addApp();
  // Without its verify token the handshake is refused.
  await fixture.query("DELETE FROM channel_app_secrets WHERE kind = 'verify' AND account_id = ?", [
    app.account.accountId,
  ]);
  const answer = await connect(app, fixture.accounts.number);
  const details = { step: "subscribe", reason: "callback_not_reached", provider_code: "2200" };
  expect(answer.json.error.details).toMatchObject(details);
  expect(answer.json.error.details.provider_message).toContain("403");
  expect(await channelsOf(app.account)).toEqual([]);
});

test.each(["away", "hang"] as const)(
  "while Meta is %s a number is stored as unverified, receives, and is verified by the worker",
  async (mode) => {
    const app = await fixture.addApp();
    fixture.line.mode = mode;
    // The answer waits for no limit so long.
    const limits = holdTimers(9_500);
    const made = await connect(app, fixture.accounts.number).finally(() => limits.mockRestore());
    expect(made.status).toBe(201);
    expect(made.json.data).toMatchObject({ state: "degraded", reason: "unverified", facts: null });
    const [row] = await fixture.query(
      "SELECT TIMESTAMPDIFF(SECOND, updated_at, check_at) AS seconds FROM channel_accounts WHERE account_id = ? AND channel_app_id > 0",
      [app.account.accountId],
    );
    expect(Number(row?.["seconds"])).toBe(60);
    fixture.line.mode = "up";
    await fixture.check(app.account);
    const list = await channelsOf(app.account);
    expect(list).toMatchObject([{ state: "connected", facts: { is_subscribed: true } }]);
    expect(await rowsOf("notifications", app.account)).toEqual([]);
  },
);

test("while Meta stays away a channel stays unverified", async () => {
  const app = await fixture.addApp();
  fixture.line.mode = "away";
  await connect(app, fixture.accounts.number);
  await fixture.check(app.account);
  expect(await channelsOf(app.account)).toMatchObject([
    { state: "degraded", reason: "unverified" },
  ]);
});

test("while Meta is away nothing is stored where only the token knows the account", async () => {
  const app = await fixture.addApp();
  fixture.line.mode = "away";
  const answer = await connect(app, fixture.accounts.login, { external_id: undefined });
  expect(answer.json.error.details).toMatchObject({ step: "account", reason: "provider_away" });
  expect(await channelsOf(app.account)).toEqual([]);
});

test("a new token replaces the old one, and another number or Page is a mismatch", async () => {
  const app = await fixture.addApp();
  const { number, sibling, page } = fixture.accounts;
  const { id } = (await connect(app, number)).json.data;
  const [before] = await rowsOf("channel_account_tokens", app.account);
  const again = { channel_account_id: id, external_id: undefined, parent_id: undefined };
  const renewed = await connect(app, number, again);
  expect([renewed.status, renewed.json.data.id]).toEqual([201, id]);
  const [after] = await rowsOf("channel_account_tokens", app.account);
  expect(after?.["sealed"]).not.toEqual(before?.["sealed"]);
  const other = await connect(app, sibling, { channel_account_id: id });
  expect([other.status, other.json.error.code]).toEqual([422, "channel_mismatch"]);
  const ofPage = await connect(app, page, { channel_account_id: id });
  expect(ofPage.json.error.code).toBe("channel_mismatch");
  expect((await rowsOf("channel_account_tokens", app.account))[0]).toEqual(after);
  // The token of a Page says which Page it is.
  const wrongPage = await connect(app, page, { external_id: "999" });
  expect([wrongPage.status, wrongPage.json.error.code]).toEqual([422, "channel_mismatch"]);
  expect(wrongPage.json.error.details).toMatchObject({ step: "account", reason: "other_account" });
  const stranger = await fixture.addApp();
  const foreign = await connect(stranger, number, { channel_account_id: id });
  expect([foreign.status, foreign.json.error.code]).toEqual([404, "channel_account_not_found"]);
  const foreignApp = await connect({ ...stranger, appId: app.appId }, number);
  expect([foreignApp.status, foreignApp.json.error.code]).toEqual([404, "channel_app_not_found"]);
});

test("a Page and its Instagram account are found by their token, and subscribed with every field", async () => {
  const app = await fixture.addApp();
  const { page, ofPage } = fixture.accounts;
  const made = await connect(app, page, { external_id: undefined });
  expect(made.json.data).toMatchObject({
    external_id: page.id,
    name: "Clínica",
    state: "connected",
  });
  const instagram = await connect(app, ofPage, { external_id: undefined });
  expect(instagram.json.data).toMatchObject({ external_id: ofPage.id, name: "@clinica" });
  const subscription = fixture.meta.subscriptions().find(([id]) => id === page.id);
  expect(subscription?.[2]).toEqual([
    "messages",
    "messaging_postbacks",
    "message_echoes",
    "message_deliveries",
    "message_reads",
    "message_reactions",
    "message_edits",
    "messaging_referrals",
    "messaging_handovers",
    "standby",
  ]);
});

test("Instagram Login is known by user_id, and its token ends when Meta says", async () => {
  const app = await fixture.addApp();
  const { login } = fixture.accounts;
  const made = await connect(app, login, { external_id: undefined });
  expect(made.json.data).toMatchObject({ external_id: login.id, name: "@otra.clinica" });
  const days = (at: string) => (Date.parse(at) - Date.now()) / 86_400_000;
  expect(days(made.json.data.token.expires_at)).toBeCloseTo(60, 1);
  login.trouble = { isYoung: true };
  const young = await connect(app, login);
  expect(days(young.json.data.token.expires_at)).toBeCloseTo(59, 1);
  const other = await connect(app, login, { external_id: "1784" });
  expect(other.json.error.code).toBe("channel_mismatch");
  const wrong = await connect(app, login, { token: "unknown-token" });
  expect(wrong.json.error.details).toMatchObject({ step: "token", reason: "token_invalid" });
});

test("the numbers of a business account are listed, and a refused token says why", async () => {
  const app = await fixture.addApp();
  const { number, sibling } = fixture.accounts;
  sibling.trouble = { isUnregistered: true };
  const { id } = (await connect(app, number)).json.data;
  const path = `/channel-apps/${app.appId}/numbers`;
  const body = { parent_id: number.parentId, token: number.token };
  const list = await fixture.panel(app.account, "POST", path, body);
  expect(list.status).toBe(200);
  expect(list.json.data).toMatchObject([
    { id: number.id, is_registered: true, channel_account_id: id },
    { id: sibling.id, is_registered: false, channel_account_id: null },
  ]);
  const wrong = await fixture.panel(app.account, "POST", path, { ...body, token: "unknown-token" });
  expect(wrong.json.error.details).toMatchObject({ step: "token", reason: "token_invalid" });
  const other = await fixture.panel(app.account, "POST", path, { ...body, parent_id: "1" });
  expect(other.json.error.details).toMatchObject({ step: "account", reason: "account_not_found" });
});

test("a number is registered with its PIN, and a wrong one says what Meta answers", async () => {
  const app = await fixture.addApp();
  fixture.accounts.number.trouble = { isUnregistered: true };
  const made = await connect(app, fixture.accounts.number);
  expect(made.json.data).toMatchObject({ state: "degraded", reason: "not_registered" });
  const path = `/channel-accounts/${made.json.data.id}/register`;
  const wrong = await fixture.panel(app.account, "POST", path, { pin: "000000" });
  expect(wrong.status).toBe(422);
  expect(wrong.json.error.details).toMatchObject({ step: "register", provider_code: "133005" });
  expect(wrong.json.error.details.provider_message).toContain("PIN Mismatch");
  const right = await fixture.panel(app.account, "POST", path, { pin: "123456" });
  expect(right.json.data).toMatchObject({ state: "connected", reason: null });
  expect(await auditOf(app.account)).toContain("channel_account.registered");
  const { rows } = await readAll(app.account);
  expect(rows).not.toContain("123456");
});

/** Everything that the account's audit log and keys of repetition hold. */
async function readAll(account: TestAccount) {
  const audit = await rowsOf("audit_log", account);
  return { rows: JSON.stringify(audit) };
}

test("a disconnected channel has no token and no subscription, and keeps its conversations", async () => {
  const app = await fixture.addApp();
  const { page } = fixture.accounts;
  const { id } = (await connect(app, page)).json.data;
  await fixture.meta.receive("messenger", { kind: "text", text: "Hola" });
  const answer = await fixture.panel(app.account, "DELETE", `/channel-accounts/${id}`);
  expect(answer.json.data).toMatchObject({
    state: "disconnected",
    reason: "disconnected_by_admin",
    token: null,
  });
  expect(await rowsOf("channel_account_tokens", app.account)).toEqual([]);
  expect(fixture.meta.subscriptions().map(([subscribed]) => subscribed)).not.toContain(page.id);
  const again = await fixture.panel(app.account, "DELETE", `/channel-accounts/${id}`);
  expect(again.status).toBe(200);
  expect((await auditOf(app.account)).filter((one) => one.endsWith(".disconnected"))).toHaveLength(
    1,
  );
  for (const action of ["check", "register"] as const) {
    const path = `/channel-accounts/${id}/${action}`;
    const refused = await fixture.panel(
      app.account,
      "POST",
      path,
      action === "check" ? undefined : { pin: "123456" },
    );
    expect([refused.status, refused.json.error.code]).toEqual([409, "channel_without_token"]);
  }
  const back = await connect(app, page);
  expect(back.json.data).toMatchObject({ id, state: "connected", reason: null });
});

test("a subscription stays while another channel needs it, and a sandbox cannot be disconnected", async () => {
  const app = await fixture.addApp();
  const { page, ofPage } = fixture.accounts;
  const messenger = (await connect(app, page)).json.data;
  const instagram = (await connect(app, ofPage)).json.data;
  await fixture.panel(app.account, "DELETE", `/channel-accounts/${messenger.id}`);
  expect(fixture.meta.subscriptions().map(([id]) => id)).toContain(page.id);
  await fixture.panel(app.account, "DELETE", `/channel-accounts/${instagram.id}`);
  expect(fixture.meta.subscriptions().map(([id]) => id)).not.toContain(page.id);
  const list = await fixture.panel(app.account, "GET", "/channel-accounts");
  const { id } = list.json.data.find((one: { driver: string }) => one.driver === "sandbox");
  const answer = await fixture.panel(app.account, "DELETE", `/channel-accounts/${id}`);
  expect([answer.status, answer.json.error.code]).toEqual([409, "channel_without_token"]);
});

test("while Meta is away a channel is disconnected all the same", async () => {
  const app = await fixture.addApp();
  const { id } = (await connect(app, fixture.accounts.login)).json.data;
  fixture.line.mode = "away";
  const answer = await fixture.panel(app.account, "DELETE", `/channel-accounts/${id}`);
  expect(answer.json.data).toMatchObject({ state: "disconnected", token: null });
  const [audit] = await fixture.query<{ details: object }>(
    "SELECT details FROM audit_log WHERE account_id = ? AND action = 'channel_account.disconnected'",
    [app.account.accountId],
  );
  expect(audit?.details).toEqual({ unsubscribed: false });
});

test("an agent may call none of it, and nobody reaches the channel of another account", async () => {
  const app = await fixture.addApp();
  const { id } = (await connect(app, fixture.accounts.number)).json.data;
  const agent = await addColleague(fixture.database.dataSource, app.account.accountId, "Agent");
  const stranger = await fixture.addApp();
  const calls = [
    ["GET", "/channel-apps", undefined, 200],
    ["POST", `/channel-apps/${app.appId}/numbers`, { parent_id: "1", token: "some-token" }, 404],
    ["GET", "/channel-accounts", undefined, 200],
    ["PATCH", `/channel-accounts/${id}`, { name: "x" }, 404],
    ["DELETE", `/channel-accounts/${id}`, undefined, 404],
    ["POST", `/channel-accounts/${id}/check`, undefined, 404],
    ["POST", `/channel-accounts/${id}/register`, { pin: "123456" }, 404],
    ["POST", `/channel-accounts/${id}/test-message`, { to: "5215512345678" }, 404],
  ] as const;
  for (const [method, path, body, status] of calls) {
    expect([path, (await fixture.panel(agent, method, path, body)).status]).toEqual([path, 403]);
    const foreign = await fixture.panel(stranger.account, method, path, body);
    expect([path, foreign.status]).toEqual([path, status]);
    expect(foreign.text).not.toContain(app.webhookUrl);
  }
  expect(await channelsOf(app.account)).toMatchObject([{ id, state: "connected" }]);
});
