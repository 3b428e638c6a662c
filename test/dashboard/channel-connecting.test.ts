import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus, findBarriers, openClipboard } from "../support/browser.ts";
import { useFixture } from "../support/use-fixture.ts";
import { accountsByDriver, metaApp, startConnectFixture } from "./connect-fixture.ts";

const fixture = useFixture(startConnectFixture);
/** One account per test, so that each starts without an app. */
let account: TestAccount;

const whatsapp = accountsByDriver.whatsapp_cloud;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  fixture.meta.script("normal");
});

async function call(method: string, path: string, body?: unknown) {
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, {
    cookie: account.cookie,
    body,
  });
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text]);
  return answer.json.data;
}

async function open(path: string) {
  return await fixture.open(path, { as: account.cookie });
}

async function fillApp(page: Page, secret = metaApp.secret): Promise<void> {
  await page.getByLabel("App ID").fill(metaApp.id);
  await page.getByLabel("App secret", { exact: true }).fill(secret);
  await page.getByRole("button", { name: "Save the app" }).click();
  await page.getByRole("group", { name: "Callback URL" }).waitFor();
}

const go = async (page: Page, name: string): Promise<void> =>
  await page.getByRole("button", { name, exact: true }).click();

/** The steps up to the token, for a network. */
async function toToken(page: Page, network: string): Promise<void> {
  await page.getByRole("radio", { name: network }).click();
  await go(page, "Continue");
  await fillApp(page);
  await go(page, "Continue");
  await page.getByRole("heading", { name: "Token and account" }).waitFor();
}

async function channels() {
  const rows: { driver: string }[] = await call("GET", "/channel-accounts");
  return rows.filter(({ driver }) => driver !== "sandbox");
}

test("a number of WhatsApp is connected step by step, and no secret stays in the browser", async () => {
  const { page, faults } = await open("/channels");
  await page.getByText("No channel is connected").waitFor();
  await page.getByRole("button", { name: "WhatsApp A number of the Cloud API" }).click();

  const heading = page.getByRole("heading", { name: "Which Meta app receives the messages?" });
  await heading.waitFor();
  await fillApp(page);
  const [app] = await call("GET", "/channel-apps");
  const read = await openClipboard(page);
  await page.getByRole("button", { name: "Copy: Callback URL" }).click();
  expect(await read()).toBe(app.webhook_url);
  await page.getByRole("button", { name: "Copy: Verify token" }).click();
  expect(await read()).toBe(app.verify_token);
  await page.getByText("message_template_status_update").waitFor();
  await go(page, "Continue");

  await expectFocus(page.getByRole("heading", { name: "Token and account" }));
  await page.getByLabel("WhatsApp Business Account ID").fill(whatsapp.parentId);
  await page.getByLabel("Access token", { exact: true }).fill(whatsapp.token);
  await go(page, "Find the numbers");
  await page.getByRole("radio", { name: /\+1 555 078 3881/ }).click();
  await go(page, "Check and connect");

  await page.getByRole("heading", { name: "Your channel is there" }).waitFor();
  await page.getByText("Connected", { exact: true }).waitFor();
  await expect.poll(async () => await findBarriers(page)).toEqual([]);
  expect(await channels()).toMatchObject([
    { driver: "whatsapp_cloud", external_id: whatsapp.id, state: "connected", reason: null },
  ]);
  const stored = await page.evaluate<string>(
    "JSON.stringify([localStorage, sessionStorage, history.state, document.cookie, location.href])",
  );
  const shown = await page.content();
  for (const secret of [whatsapp.token, metaApp.secret]) {
    expect(stored).not.toContain(secret);
    expect(shown).not.toContain(secret);
  }
  expect(faults).toEqual([]);
});

test.each([
  { network: "Messenger", driver: "messenger" },
  { network: "Instagram through a Page", driver: "instagram_page" },
] as const)("$network is connected by the token of its Page", async ({ network, driver }) => {
  const own = accountsByDriver[driver];
  const { page } = await open("/channels/connect");
  await toToken(page, network);
  if (driver === "instagram_page") await page.getByLabel("Page ID").fill(own.parentId);
  await page.getByLabel("Access token", { exact: true }).fill(own.token);
  await go(page, "Check and connect");
  await page.getByRole("heading", { name: "Your channel is there" }).waitFor();
  expect(await channels()).toMatchObject([
    { driver, external_id: own.id, state: "connected", reason: null },
  ]);
});

test("Instagram Login asks for its own secret, also for an app that is known already", async () => {
  const own = accountsByDriver.instagram_login;
  await call("POST", "/channel-apps", { app_id: metaApp.id, app_secret: metaApp.secret });
  const { page } = await open("/channels/connect?driver=instagram_login&step=app");
  await page.getByRole("radio", { name: `App ${metaApp.id}` }).click();
  await page.getByText("This app has no secret of Instagram yet.").waitFor();
  await page.getByLabel("App secret", { exact: true }).fill(metaApp.secret);
  await page.getByLabel("Instagram app secret").fill(metaApp.instagramSecret);
  await go(page, "Save the app");
  await go(page, "Continue");
  await page.getByLabel("Access token", { exact: true }).fill(own.token);
  await go(page, "Check and connect");
  await page.getByRole("heading", { name: "Your channel is there" }).waitFor();
  expect(await channels()).toMatchObject([{ driver: "instagram_login", external_id: own.id }]);
});
