import { afterEach, expect, test } from "vitest";
import { checkStoredChannel } from "../../../activities/channels/check-channel.ts";
import { appSecretProof } from "../../../activities/channels/graph.ts";
import { disconnectChannelAccount } from "../../../core/services/channels/channel-accounts.ts";
import { readCheck, storeFindings } from "../../../core/services/channels/channel-checks.ts";
import { reportChannelTrouble } from "../../../core/services/channels/channel-state.ts";
import type { MetaAccount } from "../../../dev/stand-in/meta-accounts.ts";
import type { Tx } from "../../../db/transaction.ts";
import { asSystem, testSecretBox, type TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { metaApp, startConnectFixture } from "../../api/channels/connect-fixture.ts";

const fixture = useFixture(startConnectFixture);

afterEach(() => {
  fixture.line.mode = "up";
  for (const one of Object.values(fixture.accounts)) delete one.trouble;
});

const dayMs = 86_400_000;

/** A connected channel. */
async function connect(account: MetaAccount = fixture.accounts.number) {
  const app = await fixture.addApp();
  const made = await fixture.panel(app.account, "POST", "/channel-accounts", {
    driver: account.driver,
    channel_app_id: app.appId,
    external_id: account.id,
    ...(account.parentId !== "" && { parent_id: account.parentId }),
    token: account.token,
  });
  return { ...app, id: Number(made.json.data.id) };
}

async function show(account: TestAccount, id: number) {
  const list = await fixture.panel(account, "GET", "/channel-accounts");
  return list.json.data.find((one: { id: number }) => one.id === id);
}

async function notices({ accountId }: TestAccount) {
  return await fixture.query<{ kind: string; params: Record<string, unknown> }>(
    "SELECT kind, params FROM notifications WHERE account_id = ? AND admins_only = 1 ORDER BY id",
    [accountId],
  );
}

async function report(
  account: TestAccount,
  id: number,
  providerCode: string,
  state: "degraded" | "needs_reauth" = "needs_reauth",
) {
  return await asSystem(fixture.database.dataSource, account.accountId, async (tx) =>
    reportChannelTrouble(tx, id, { state, providerCode }),
  );
}

test("a withdrawn token is found by the hourly check, and the admins are told once", async () => {
  const { account, id } = await connect();
  fixture.accounts.number.trouble = { expiresAt: Math.floor(Date.now() / 1_000) - 5 };
  await fixture.check(account);
  await fixture.check(account);
  expect(await show(account, id)).toMatchObject({
    state: "needs_reauth",
    reason: "token_expired",
    provider_message: "Session has expired",
    // Facts of the check before stay.
    facts: { quality_rating: "GREEN" },
  });
  const params = { channel_account_id: id, reason: "token_expired", state: "needs_reauth" };
  expect(await notices(account)).toMatchObject([{ kind: "channel_trouble", params }]);
  delete fixture.accounts.number.trouble;
  await fixture.check(account);
  expect(await show(account, id)).toMatchObject({ state: "connected", reason: null });
  fixture.accounts.number.trouble = { scopes: [] };
  await fixture.check(account);
  expect(await notices(account)).toMatchObject([{}, { params: { reason: "scope_missing" } }]);
});

test("a report of a send holds the channel at once, and 50 reports are one notification", async () => {
  const { account, id } = await connect();
  fixture.accounts.number.trouble = { scopes: [] };
  const changed = await Promise.all(Array.from({ length: 50 }, () => report(account, id, "190")));
  expect(changed.filter(Boolean)).toHaveLength(1);
  expect(await show(account, id)).toMatchObject({ state: "needs_reauth", reason: "token_invalid" });
  expect(await notices(account)).toEqual([]);
  const [due] = await fixture.query(
    "SELECT check_at <= UTC_TIMESTAMP(3) AS due FROM channel_accounts WHERE id = ?",
    [id],
  );
  expect(Number(due?.["due"])).toBe(1);
  await fixture.check(account);
  expect(await notices(account)).toMatchObject([{ params: { reason: "scope_missing" } }]);
});

test("a check that finds nothing connects the channel again, and a second report needs no check", async () => {
  const { account, id } = await connect();
  await report(account, id, "190");
  await fixture.check(account);
  expect(await show(account, id)).toMatchObject({ state: "connected", reason: null });
  expect(await notices(account)).toEqual([]);
  for (let n = 0; n < 3; n += 1) {
    await report(account, id, "190");
    expect(await show(account, id)).toMatchObject({ reason: "token_invalid" });
    await fixture.check(account);
  }
  expect(await notices(account)).toHaveLength(1);
});

test("a missing permission that a check has just found leaves the channel up, and is checked again", async () => {
  const { account, id } = await connect();
  expect(await report(account, id, "10/33", "degraded")).toBe(true);
  await fixture.check(account);
  expect(await show(account, id)).toMatchObject({ state: "connected" });
  expect(await report(account, id, "10/33", "degraded")).toBe(false);
  expect(await show(account, id)).toMatchObject({ state: "connected", reason: null });
  const [row] = await fixture.query(
    "SELECT TIMESTAMPDIFF(SECOND, checked_at, check_at) AS seconds FROM channel_accounts WHERE id = ?",
    [id],
  );
  expect(Number(row?.["seconds"])).toBe(60);
  // The permission is gone now.
  fixture.accounts.number.trouble = { scopes: [] };
  await fixture.check(account);
  expect(await show(account, id)).toMatchObject({ reason: "scope_missing" });
  delete fixture.accounts.number.trouble;
  await fixture.check(account);
  await fixture.query(
    "UPDATE channel_accounts SET doubted_at = doubted_at - INTERVAL 1 HOUR WHERE id = ?",
    [id],
  );
  expect(await report(account, id, "10/33", "degraded")).toBe(true);
  expect(await show(account, id)).toMatchObject({ state: "degraded", reason: "scope_missing" });
});

test("without a subcode a missing permission holds the channel, also after a check", async () => {
  const { account, id } = await connect();
  await report(account, id, "10", "degraded");
  await fixture.check(account);
  expect(await report(account, id, "10", "degraded")).toBe(true);
  expect(await show(account, id)).toMatchObject({ state: "degraded", reason: "scope_missing" });
  expect(await notices(account)).toHaveLength(1);
});

test("a limit of messages shows for a day, and the channel goes on sending", async () => {
  const { account, id } = await connect();
  await report(account, id, "131048", "degraded");
  await fixture.check(account);
  const shown = { state: "degraded", reason: "messages_limited" };
  expect(await show(account, id)).toMatchObject(shown);
  expect(await notices(account)).toHaveLength(1);
  // A worse trouble replaces it.
  await report(account, id, "131031", "degraded");
  expect(await show(account, id)).toMatchObject({ reason: "account_restricted" });
  await fixture.check(account);
  await report(account, id, "131048", "degraded");
  await fixture.query(
    "UPDATE channel_accounts SET state_at = state_at - INTERVAL 25 HOUR WHERE id = ?",
    [id],
  );
  await fixture.check(account);
  expect(await show(account, id)).toMatchObject({ state: "connected" });
});

test("a blocked number is degraded with Meta's words and its solution", async () => {
  const { account, id } = await connect();
  fixture.accounts.number.trouble = { blockedFor: "Policy violation" };
  await fixture.check(account);
  expect(await show(account, id)).toMatchObject({
    state: "degraded",
    reason: "account_restricted",
    provider_message: "Policy violation",
    facts: {
      can_send: "BLOCKED",
      problems: [
        { code: "141006", text: "Policy violation", solution: "Appeal in the security centre." },
      ],
    },
  });
});

test("a lost subscription is made again", async () => {
  const { account, id, webhookUrl } = await connect();
  const { number } = fixture.accounts;
  const path = `/v26.0/${number.parentId}/subscribed_apps`;
  const url = new URL(`${fixture.meta.url}${path}`);
  url.searchParams.set("appsecret_proof", appSecretProof(metaApp.secret, number.token));
  const headers = { authorization: `Bearer ${number.token}` };
  const deleted = await fetch(url, { method: "DELETE", headers });
  expect(await deleted.json()).toEqual({ success: true });
  await fixture.check(account);
  expect(fixture.meta.subscriptions()).toContainEqual([number.parentId, webhookUrl, []]);
  expect(await show(account, id)).toMatchObject({
    state: "connected",
    facts: { is_subscribed: true },
  });
});

test("a subscription that Meta refuses leaves the channel degraded, and it sends all the same", async () => {
  const { account, id } = await connect();
  await fixture.query("DELETE FROM channel_app_secrets WHERE kind = 'verify' AND account_id = ?", [
    account.accountId,
  ]);
  await fixture.query("UPDATE channel_apps SET slug = REVERSE(slug) WHERE account_id = ?", [
    account.accountId,
  ]);
  await fixture.check(account);
  expect(await show(account, id)).toMatchObject({
    state: "degraded",
    reason: "callback_not_reached",
    facts: { is_subscribed: false },
  });
});

test("while Meta is away a check changes nothing, and follows an hour later", async () => {
  const { account, id } = await connect();
  fixture.line.mode = "away";
  await fixture.check(account);
  expect(await show(account, id)).toMatchObject({ state: "connected" });
  const [row] = await fixture.query(
    "SELECT TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(3), check_at) AS minutes FROM channel_accounts WHERE id = ?",
    [id],
  );
  expect(Number(row?.["minutes"])).toBeGreaterThanOrEqual(58);
});

test("while Meta is away a channel that a refused send has stopped is checked each minute", async () => {
  const { account, id } = await connect();
  await report(account, id, "190");
  fixture.line.mode = "away";
  await fixture.check(account);
  expect(await show(account, id)).toMatchObject({ state: "needs_reauth", reason: "token_invalid" });
  const [row] = await fixture.query(
    "SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(3), check_at) AS seconds FROM channel_accounts WHERE id = ?",
    [id],
  );
  expect(Number(row?.["seconds"])).toBeLessThanOrEqual(60);
});

test.each([
  [13.5, 14],
  [2.5, 3],
  [0.5, 1],
])("a token that ends in %d days is told of once, as %d days", async (left, days) => {
  const { account, id } = await connect();
  const expiresAt = Math.floor((Date.now() + left * dayMs) / 1_000);
  fixture.accounts.number.trouble = { expiresAt };
  await fixture.check(account);
  await fixture.check(account);
  expect(await notices(account)).toMatchObject([
    {
      kind: "channel_token_expiring",
      params: {
        channel_account_id: id,
        days,
        expires_at: new Date(expiresAt * 1_000).toISOString(),
      },
    },
  ]);
  expect((await show(account, id)).token.expires_at).toBe(
    new Date(expiresAt * 1_000).toISOString(),
  );
});

test("a token with 15 days left is no news", async () => {
  const { account } = await connect();
  fixture.accounts.number.trouble = { expiresAt: Math.floor((Date.now() + 15 * dayMs) / 1_000) };
  await fixture.check(account);
  expect(await notices(account)).toEqual([]);
});

async function endOfToken(id: number): Promise<number> {
  const [row] = await fixture.query<{ expires_at: Date }>(
    "SELECT expires_at FROM channel_account_tokens WHERE channel_account_id = ?",
    [id],
  );
  return ((row?.expires_at.getTime() ?? 0) - Date.now()) / dayMs;
}

async function ageToken(id: number, left: number): Promise<void> {
  await fixture.query(
    "UPDATE channel_account_tokens SET expires_at = ? WHERE channel_account_id = ?",
    [new Date(Date.now() + left * dayMs), id],
  );
}

test("a token of Instagram Login is renewed from day 50, and told of only if that fails", async () => {
  const { account, id } = await connect(fixture.accounts.login);
  await ageToken(id, 10.5);
  await fixture.check(account);
  expect(await endOfToken(id)).toBeCloseTo(10.5, 1);
  fixture.accounts.login.trouble = { isYoung: true };
  await ageToken(id, 9.5);
  await fixture.check(account);
  expect(await endOfToken(id)).toBeCloseTo(9.5, 1);
  expect(await notices(account)).toEqual([]);
  await ageToken(id, 2.5);
  await fixture.check(account);
  expect(await notices(account)).toMatchObject([{ params: { days: 3 } }]);
  delete fixture.accounts.login.trouble;
  await fixture.check(account);
  expect(await endOfToken(id)).toBeCloseTo(60, 1);
});

test("findings are void if the channel was disconnected during the check", async () => {
  const { account, id } = await connect();
  const { dataSource } = fixture.database;
  const { publicUrl } = fixture.api.deps.config;
  const inAccount = async <T>(work: (tx: Tx) => Promise<T>) =>
    await asSystem(dataSource, account.accountId, work);
  const check = await inAccount((tx) => readCheck(tx, testSecretBox, id, publicUrl));
  if (check === null) throw new Error("The channel has a token.");
  const findings = await checkStoredChannel(fixture.api.deps.graph, check.channel);
  await inAccount((tx) => disconnectChannelAccount(tx, id, false));
  expect(await inAccount((tx) => storeFindings(tx, testSecretBox, check, findings))).toBe(null);
  expect(await show(account, id)).toMatchObject({ state: "disconnected", token: null });
  expect(await inAccount((tx) => readCheck(tx, testSecretBox, id, publicUrl))).toBe(null);
});
