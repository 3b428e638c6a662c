import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus, expectFocusIn, findBarriers } from "../support/browser.ts";
import { useFixture } from "../support/use-fixture.ts";
import { accountsByDriver, metaApp, startConnectFixture } from "./connect-fixture.ts";

const fixture = useFixture(startConnectFixture);
let account: TestAccount;
/** A number of WhatsApp that is connected. */
let channelId: number;
let appId: number;

const whatsapp = accountsByDriver.whatsapp_cloud;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  fixture.meta.script("normal");
  const app = { app_id: metaApp.id, app_secret: metaApp.secret };
  ({ id: appId } = await call("POST", "/channel-apps", app));
  ({ id: channelId } = await call("POST", "/channel-accounts", {
    driver: "whatsapp_cloud",
    channel_app_id: appId,
    external_id: whatsapp.id,
    parent_id: whatsapp.parentId,
    token: whatsapp.token,
  }));
});

async function call(method: string, path: string, body?: unknown) {
  const cookie = account.cookie;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text]);
  return answer.json.data;
}

async function query(sql: string, values: unknown[]) {
  return await fixture.database.dataSource.query<unknown[]>(sql, values);
}

async function open(path = `/channels/${channelId}`): Promise<Page> {
  return (await fixture.open(path, { as: account.cookie })).page;
}

async function setState(state: string, reason: string | null): Promise<void> {
  const sql = "UPDATE channel_accounts SET state = ?, state_reason = ? WHERE id = ?";
  await query(sql, [state, reason, channelId]);
}

async function park(reason: string): Promise<void> {
  await query(
    `INSERT INTO channel_items SET account_id = ?, channel_app_id = ?, webhook_id = 0,
       channel_account_id = ?, network = 'whatsapp', external_id = ?, customer = '',
       kind = 'message', key_hash = UNHEX(SHA2(?, 256)), payload = ?, state = 'parked',
       attempts = 5, reason = ?, due_at = UTC_TIMESTAMP(3), created_at = UTC_TIMESTAMP(3)`,
    [
      account.accountId,
      appId,
      channelId,
      whatsapp.id,
      reason,
      JSON.stringify({ kind: "message", text: "Hola & adiós <b>" }),
      reason,
    ],
  );
}

test("the list says the state of each channel, and the fix of a trouble as it comes", async () => {
  const page = await open("/channels");
  const row = page.getByRole("row", { name: /Clínica de prueba/ });
  await row.getByText("Connected", { exact: true }).waitFor();
  const sandbox = page.getByRole("row", { name: /Sandbox: WhatsApp/ });
  await sandbox.getByText("Nothing leaves Parley.").waitFor();
  expect(await sandbox.getByRole("link").count()).toBe(0);
  await setState("needs_reauth", "token_expired");
  await row.getByText("Needs a new token").waitFor();
  await row.getByText("Create a new token at Meta, and re-authenticate.").waitFor();
  await page.getByRole("link", { name: "Channels A channel needs you" }).waitFor();
  await row.getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: "Clínica de prueba" }).waitFor();
  await page.getByText("The token has expired.").first().waitFor();
});

test("items of a number that nobody has connected are told of above the list", async () => {
  await park("group");
  await query(
    "UPDATE channel_items SET state = 'unrouted', channel_account_id = NULL WHERE account_id = ?",
    [account.accountId],
  );
  const page = await open("/channels");
  const notice = page.getByText("1 item came for a number or Page that is not connected");
  await notice.waitFor();
  await query("DELETE FROM channel_items WHERE account_id = ?", [account.accountId]);
  await notice.waitFor({ state: "detached" });
  expect(await page.getByRole("table").count()).toBe(1);
});

test("an agent is told that the page is for admins, and finds no way there", async () => {
  const agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  for (const path of ["/channels", "/channels/connect", `/channels/${channelId}`]) {
    const { page } = await fixture.open(path, { as: agent.cookie });
    await page.getByText("Only an admin may do this.").waitFor();
    await page.getByRole("link", { name: "AI agent" }).waitFor();
    expect(await page.getByRole("navigation").getByRole("link", { name: "Channels" }).count()).toBe(
      0,
    );
  }
});

test("an item that was set aside shows what Meta sent, and is applied again by keyboard", async () => {
  await park("no_sender");
  const page = await open();
  await page.getByRole("tab", { name: "Set aside 1" }).click();
  await page.getByText("It names no sender.").waitFor();
  await page.getByRole("button", { name: "Message", exact: true }).press("Enter");
  const drawer = page.getByRole("dialog");
  await expectFocusIn(drawer);
  await drawer.getByText('"text": "Hola & adiós <b>"').waitFor();
  await expect.poll(async () => await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expectFocus(page.getByRole("button", { name: "Message", exact: true }));
  await page.getByRole("button", { name: "Retry: Message" }).press("Enter");
  await page.getByText("Nothing is set aside").waitFor();
  const sql = "SELECT state, attempts FROM channel_items WHERE account_id = ?";
  expect(await query(sql, [account.accountId])).toMatchObject([{ state: "pending", attempts: 0 }]);
});

test("a check asks Meta now: a token that was withdrawn turns the channel red, with Meta's words", async () => {
  const page = await open();
  await page.getByText("Connected", { exact: true }).waitFor();
  fixture.meta.script("token");
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("Needs a new token").waitFor();
  await page.getByText("Invalid OAuth access token.").waitFor();
  // The admins are told, and the notification leads here.
  const told = await open("/notifications");
  await told.getByText("The channel Clínica de prueba needs you").waitFor();
  await told.getByRole("link", { name: "Open the channel" }).click();
  await told.getByRole("heading", { level: 1, name: "Clínica de prueba" }).waitFor();
  fixture.meta.script("normal");
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("Connected", { exact: true }).waitFor();
  expect(await page.getByText("Invalid OAuth access token.").count()).toBe(0);
});

test("the hours of a channel are told to a mouse and to a screen reader", async () => {
  for (const [direction, status, hoursAgo] of [
    ["inbound", "received", 0],
    ["outbound", "sent", 0],
    ["outbound", "failed", 0],
    ["inbound", "received", 5],
    ["inbound", "received", 25],
  ]) {
    await query(
      `INSERT INTO messages SET account_id = ?, conversation_id = 1, contact_id = 1,
         channel_account_id = ?, channel = 'whatsapp', direction = ?, type = 'text',
         sender_type = 'api', status = ?, created_at = UTC_TIMESTAMP(3) - INTERVAL ? HOUR`,
      [account.accountId, channelId, direction, status, hoursAgo],
    );
  }
  const page = await open();
  const section = page.getByRole("region", { name: "Messages of the last 24 hours" });
  const label = "Last 24 hours: 2 outgoing, 2 incoming, 1 failed. At most 288,000 outgoing an hour";
  await section.getByText("288,000 an hour", { exact: true }).waitFor();
  await section.getByText("At most 4,800 outgoing", { exact: true }).waitFor();
  await section.getByRole("img", { name: label }).waitFor();
  await section.getByText("2 outgoing", { exact: true }).waitFor();
  await section.getByText("1 incoming", { exact: true }).waitFor();
  const rows = section.getByRole("table", { name: "Messages by hour" }).getByRole("row");
  expect(await rows.count()).toBe(25);
  expect(await rows.nth(0).innerText()).toMatch(/Hour\s+Outgoing\s+Incoming\s+Failed/);
  expect(await rows.nth(24).getByRole("cell").allInnerTexts()).toEqual(["2", "1", "1"]);
  expect(await rows.nth(19).getByRole("cell").allInnerTexts()).toEqual(["0", "1", "0"]);
  await expect.poll(async () => await findBarriers(page)).toEqual([]);
  await section.locator("svg g").nth(23).hover();
  await page.getByText(/: 2 outgoing, 1 incoming, 1 failed$/).waitFor();
});

test("an admin changes the name and who answers; a number of WhatsApp has no 7 days", async () => {
  const page = await open();
  await page.getByRole("button", { name: /^Actions for/ }).press("Enter");
  await page.getByRole("menuitem", { name: "Edit" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Edit Clínica de prueba" });
  await expectFocusIn(dialog);
  const save = dialog.getByRole("button", { name: "Save" });
  expect(await save.isDisabled()).toBe(true);
  expect(await dialog.getByLabel("People may answer for 7 days").count()).toBe(0);
  await expect.poll(async () => await findBarriers(page)).toEqual([]);
  await dialog.getByLabel("Name").fill("Recepción");
  await dialog.getByLabel("The AI agent answers new conversations").press("Space");
  await dialog.getByLabel("Name").press("Enter");
  await page.getByRole("heading", { level: 1, name: "Recepción" }).waitFor();
  await expectFocus(page.getByRole("button", { name: /^Actions for/ }));
  expect(await call("GET", "/channel-accounts")).toContainEqual(
    expect.objectContaining({ id: channelId, name: "Recepción", bot_default: false }),
  );
});

test("the 7 days of a Page are switched on, and a refusal keeps the dialog open", async () => {
  const { id: pageId } = await call("POST", "/channel-accounts", {
    driver: "messenger",
    channel_app_id: appId,
    token: accountsByDriver.messenger.token,
  });
  const page = await open(`/channels/${pageId}`);
  const edit = async () => {
    await page.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
  };
  await edit();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Meta has approved the feature Human Agent").waitFor();
  await dialog.getByLabel("People may answer for 7 days").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const read = async () => {
    const all: { id: number }[] = await call("GET", "/channel-accounts");
    return all.find((one) => one.id === pageId);
  };
  expect(await read()).toMatchObject({ human_agent: true, bot_default: true });

  await edit();
  expect(await dialog.getByLabel("People may answer for 7 days").isChecked()).toBe(true);
  await dialog.getByLabel("Name").fill("   ");
  await dialog.getByLabel("People may answer for 7 days").uncheck();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").waitFor();
  expect(await read()).toMatchObject({ human_agent: true });
});

test("disconnecting says what stays and what goes, and a token connects the channel again", async () => {
  const page = await open();
  await page.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Disconnect" }).click();
  const dialog = page.getByRole("dialog", { name: "Disconnect Clínica de prueba?" });
  await dialog.getByText("The token is deleted").waitFor();
  await dialog.getByText("Conversations, contacts and settings stay.").waitFor();
  await dialog.getByRole("button", { name: "Keep it" }).click();
  expect(await call("GET", "/channel-accounts")).toContainEqual(
    expect.objectContaining({ id: channelId, state: "connected" }),
  );
  await page.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Disconnect" }).click();
  await dialog.getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("An admin disconnected it.").waitFor();
  const tokens = "SELECT id FROM channel_account_tokens WHERE channel_account_id = ?";
  expect(await query(tokens, [channelId])).toEqual([]);

  await page.getByRole("link", { name: "Connect again" }).click();
  await page.getByLabel("Access token", { exact: true }).fill(whatsapp.token);
  await page.getByRole("button", { name: "Check and connect" }).click();
  await page.getByRole("heading", { name: "Your channel is there" }).waitFor();
  await page.getByRole("link", { name: "Open the channel" }).click();
  await page.getByText("Connected", { exact: true }).waitFor();
});

test("a number that is not registered is registered with a PIN of six digits", async () => {
  await setState("degraded", "not_registered");
  const page = await open();
  const pin = page.getByLabel("PIN of six digits");
  await pin.fill("12");
  const register = page.getByRole("button", { name: "Register" });
  expect(await register.isDisabled()).toBe(true);
  await pin.pressSequentially("ab3456");
  expect(await pin.inputValue()).toBe("123456");
  await pin.press("Enter");
  await page.getByText("Connected", { exact: true }).waitFor();
  expect(await page.content()).not.toContain("123456");
});

test("new secrets of the app are stored and forgotten by the form", async () => {
  const page = await open(`/channels/${channelId}?tab=app`);
  await page.getByRole("group", { name: "Verify token" }).waitFor();
  await page.getByLabel("App secret", { exact: true }).fill("a-new-secret-1");
  await page.getByRole("button", { name: "Save the app" }).click();
  await page.getByText("The app is saved").waitFor();
  expect(await page.getByLabel("App secret", { exact: true }).inputValue()).toBe("");
  const sql = `SELECT COUNT(*) AS n FROM channel_app_secrets WHERE channel_app_id = ? AND kind = 'app'`;
  expect(await query(sql, [appId])).toMatchObject([{ n: 2 }]);
});

test("a webhook that nobody could read shows its text, and is read once more", async () => {
  await query(
    `INSERT INTO channel_webhooks SET account_id = ?, channel_app_id = ?, body = ?, state = 'parked',
       attempts = 5, reason = 'not_json', received_at = UTC_TIMESTAMP(3)`,
    [account.accountId, appId, Buffer.from('{"broken": <script>')],
  );
  const page = await open(`/channels/${channelId}?tab=app`);
  const section = page.getByRole("region", { name: "Webhooks that nobody could read" });
  await section.getByText("19 bytes").waitFor();
  await section.getByRole("button", { name: "Raw" }).press("Enter");
  await section.getByText('{"broken": <script>').waitFor();
  await section.getByRole("button", { name: "Retry" }).press("Enter");
  await section.waitFor({ state: "detached" });
  const sql = "SELECT state FROM channel_webhooks WHERE account_id = ?";
  expect(await query(sql, [account.accountId])).toMatchObject([{ state: "pending" }]);
});
