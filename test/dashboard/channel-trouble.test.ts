import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { findBarriers } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";
import { accountsByDriver, metaApp, startConnectFixture } from "./connect-fixture.ts";

/** Each step of connecting that can fail: Meta's words, the next move, and what was typed. */
const fixture = useFixture(startConnectFixture);
let account: TestAccount;

const whatsapp = accountsByDriver.whatsapp_cloud;
const messenger = accountsByDriver.messenger;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  fixture.meta.script("normal");
});

async function call(method: string, path: string, body?: unknown) {
  const cookie = account.cookie;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text]);
  return answer.json.data;
}

const go = async (page: Page, name: string): Promise<void> =>
  await page.getByRole("button", { name, exact: true }).click();

const tokenField = (page: Page) => page.getByLabel("Access token", { exact: true });
const done = async (page: Page): Promise<void> =>
  await page.getByRole("heading", { name: "Your channel is there" }).waitFor();

/** The step of token and ids, with an app that is known already. */
async function openToken(network: string, secret = metaApp.secret): Promise<Page> {
  await call("POST", "/channel-apps", { app_id: metaApp.id, app_secret: secret });
  const { page } = await fixture.open("/channels/connect", { as: account.cookie });
  await page.getByRole("radio", { name: network }).click();
  await go(page, "Continue");
  await page.getByRole("radio", { name: `App ${metaApp.id}` }).click();
  await go(page, "Continue");
  await page.getByRole("heading", { name: "Token and account" }).waitFor();
  return page;
}

/** Outcome of each check, as the page says it. */
async function outcomes(page: Page): Promise<string[]> {
  const list = page.getByRole("list", { name: "Checks" });
  await expect.poll(async () => await list.innerText()).not.toContain("Checking…");
  return (await list.locator("small").allInnerTexts()).map((text) => text.trim());
}

async function countChannels(): Promise<number> {
  const rows: { driver: string }[] = await call("GET", "/channel-accounts");
  return rows.filter(({ driver }) => driver !== "sandbox").length;
}

test("a token that Meta refuses: its words and the next move, and a right token goes on", async () => {
  const page = await openToken("Messenger");
  await page.getByLabel("Page ID").fill(messenger.id);
  await tokenField(page).fill("a-token-that-nobody-knows");
  await go(page, "Check and connect");
  await page.getByText("Meta refuses the token.").waitFor();
  await page.getByText("Create a new token at Meta, and re-authenticate.").waitFor();
  await page.getByText("Invalid OAuth access token.").waitFor();
  expect(await outcomes(page)).toEqual(["Failed", "Not checked", "Not checked"]);
  await expect.poll(async () => await findBarriers(page)).toEqual([]);
  expect(await countChannels()).toBe(0);

  await go(page, "Change token and ids");
  expect(await tokenField(page).inputValue()).toBe("a-token-that-nobody-knows");
  expect(await page.getByLabel("Page ID").inputValue()).toBe(messenger.id);
  await tokenField(page).fill(messenger.token);
  await go(page, "Check and connect");
  await done(page);
  expect(await countChannels()).toBe(1);
});

test("the id of another Page fails at the account, and the token passes", async () => {
  const page = await openToken("Messenger");
  await page.getByLabel("Page ID").fill("999");
  await tokenField(page).fill(messenger.token);
  await go(page, "Check and connect");
  await page.getByText("The token belongs to another account.").waitFor();
  expect(await outcomes(page)).toEqual(["Passed", "Failed", "Not checked"]);
  // The Back button of the browser does the same as the button.
  await page.goBack();
  expect(await page.getByLabel("Page ID").inputValue()).toBe("999");
  expect(await tokenField(page).inputValue()).toBe(messenger.token);
  await page.getByLabel("Page ID").fill("");
  await go(page, "Check and connect");
  await done(page);
});

test("a URL that Meta does not reach fails at the webhooks; once it is reached, the same step passes", async () => {
  const page = await openToken("WhatsApp");
  await page.getByLabel("WhatsApp Business Account ID").fill(whatsapp.parentId);
  await tokenField(page).fill(whatsapp.token);
  await go(page, "Find the numbers");
  await page.getByRole("radio", { name: /\+1 555 078 3881/ }).click();
  const sql = `UPDATE channel_app_secrets SET valid_until = ? WHERE account_id = ? AND kind = 'verify'`;
  const setEnd = async (end: Date | null) =>
    await fixture.database.dataSource.query(sql, [end, account.accountId]);
  await setEnd(new Date(0));
  await go(page, "Check and connect");
  await page.getByText("Meta does not reach this installation.").waitFor();
  await page.getByText("(#2200) Callback verification failed").waitFor();
  expect(await outcomes(page)).toEqual(["Passed", "Passed", "Failed"]);
  await setEnd(null);
  const there = page.getByText("Your channel is there");
  const again = page.getByRole("button", { name: "Try again", exact: true, disabled: false });
  // The API reads a called app again after 5 s. A check that passes late leaves nothing to try.
  await eventually(async () => {
    await again.or(there).click();
    await there.waitFor({ timeout: 1_000 });
  });
});

test("numbers that Meta does not give: the reason, and the ids stay", async () => {
  const page = await openToken("WhatsApp");
  await page.getByLabel("WhatsApp Business Account ID").fill("5550001");
  await tokenField(page).fill(whatsapp.token);
  await go(page, "Find the numbers");
  await page.getByText("The token does not reach this account.").waitFor();
  await page.getByText("Object with ID '5550001' does not exist").waitFor();
  await page.getByLabel("WhatsApp Business Account ID").fill(whatsapp.parentId);
  expect(await tokenField(page).inputValue()).toBe(whatsapp.token);
  await go(page, "Find the numbers");
  await page.getByRole("radio", { name: /\+1 555 078 3881/ }).waitFor();
});

test("a wrong secret of the app leads back to the app", async () => {
  const page = await openToken("Messenger", "another-secret");
  await tokenField(page).fill(messenger.token);
  await go(page, "Check and connect");
  await page.getByText("Meta does not take id and secret of the app.").waitFor();
  await go(page, "Change the app");
  await page.getByRole("heading", { name: "Which Meta app receives the messages?" }).waitFor();
  await page.getByRole("radio", { name: "Another app" }).click();
  await page.getByLabel("App ID").fill(metaApp.id);
  await page.getByLabel("App secret", { exact: true }).fill(metaApp.secret);
  await go(page, "Save the app");
  await go(page, "Continue");
  expect(await tokenField(page).inputValue()).toBe(messenger.token);
  await go(page, "Check and connect");
  await done(page);
});

test("an app that the API refuses keeps the id and the secret that were typed", async () => {
  const { page } = await fixture.open("/channels/connect?driver=messenger&step=app", {
    as: account.cookie,
  });
  await page.getByLabel("App ID").fill("not digits");
  await page.getByLabel("App secret", { exact: true }).fill("typed-secret");
  await go(page, "Save the app");
  await page.getByText("Use the digits that Meta shows.").waitFor();
  await go(page, "Back");
  await go(page, "Continue");
  expect(await page.getByLabel("App ID").inputValue()).toBe("not digits");
  expect(await page.getByLabel("App secret", { exact: true }).inputValue()).toBe("typed-secret");
});

test("a new token for another Page is refused, and the channel keeps its own", async () => {
  const { id: channel_app_id } = await call("POST", "/channel-apps", {
    app_id: metaApp.id,
    app_secret: metaApp.secret,
  });
  const body = { driver: "messenger", channel_app_id, token: messenger.token };
  const { id } = await call("POST", "/channel-accounts", body);
  const { page } = await fixture.open(`/channels/${id}`, { as: account.cookie });
  await page.getByRole("link", { name: "Re-authenticate" }).click();
  await tokenField(page).fill(accountsByDriver.instagram_page.token);
  await go(page, "Check and connect");
  await page.getByText(/lacks permissions|belongs to another account/).waitFor();
  await go(page, "Change token and ids");
  await tokenField(page).fill(messenger.token);
  await go(page, "Check and connect");
  await done(page);
  expect(await call("GET", "/channel-accounts")).toContainEqual(
    expect.objectContaining({ id, external_id: messenger.id, state: "connected" }),
  );
});

// The last test: it stops the stand-in.
test("while Meta is away the channel is there, receives, and says that the check follows", async () => {
  const page = await openToken("Messenger");
  await page.getByLabel("Page ID").fill(messenger.id);
  await tokenField(page).fill(messenger.token);
  await fixture.meta.close();
  await go(page, "Check and connect");
  await done(page);
  await page.getByText("Meta could not be asked about it yet.").waitFor();
  await page.getByText("The check is repeated by itself.").waitFor();
  expect(await countChannels()).toBe(1);
});
