import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { expectFocus } from "../support/browser.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

/** Clicks that the main tasks of the inbox take, from an open conversation. */
const own = setUpOwnAccounts();
const { call } = own;
let conversation: number;

beforeEach(async () => {
  const body = { channel: "web", from: "ana", name: "Ana", text: "Is the blue chair in stock?" };
  conversation = Number((await call("POST", "/sandbox/messages", body)).conversation_id);
});

/** The conversation in the inbox, and the clicks since then. */
async function open(): Promise<{ page: Page; clicks: () => Promise<number> }> {
  const page = await own.open(`/inbox/${conversation}`);
  await page.getByRole("log", { name: "Messages" }).getByText("blue chair").waitFor();
  // A list closes on the press, before there is a click. A key presses no pointer.
  await page.evaluate(
    'window.clicks = 0; addEventListener("pointerdown", () => (clicks += 1), true)',
  );
  return { page, clicks: async () => await page.evaluate<number>("clicks") };
}

const stored = async () => await call("GET", `/conversations/${conversation}`);

test("one click assigns a conversation to me", async () => {
  const { page, clicks } = await open();
  await page.getByRole("button", { name: "Assign to me" }).click();
  await expect.poll(async () => (await stored()).assigned_to_user_id).toBe(own.account.userId);
  expect(await clicks()).toBe(1);
});

test("two clicks start a conversation", async () => {
  const { page, clicks } = await open();
  await page.getByRole("button", { name: "New conversation" }).click();
  await expectFocus(page.getByRole("textbox", { name: "Phone" }));
  await page.keyboard.type("+52 55 1234 5678");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.waitForURL(
    (url) => /\/inbox\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${conversation}`),
  );
  await page.getByRole("textbox", { name: "Reply" }).waitFor();
  expect(await clicks()).toBe(2);
});

test("two clicks set a conversation to waiting", async () => {
  const { page, clicks } = await open();
  await page.getByRole("button", { name: "Snooze" }).click();
  await page.getByRole("menuitem", { name: /^Tomorrow/ }).click();
  await expect.poll(async () => (await stored()).snoozed_until).not.toBeNull();
  expect(await clicks()).toBe(2);
  await page.goto(`${own.fixture.api.url}/inbox?view=waiting`);
  await page.getByRole("link", { name: /Ana/ }).waitFor();
});

test("two clicks insert a canned answer", async () => {
  await call("POST", "/canned-answers", { shortcut: "mapa", text: "Reforma 222." });
  const { page, clicks } = await open();
  await page.getByRole("button", { name: "Canned answers" }).click();
  await page.getByRole("option", { name: "/mapa" }).click();
  expect(await page.getByRole("textbox", { name: "Reply" }).inputValue()).toBe("Reforma 222.");
  expect(await clicks()).toBe(2);
});

test("a key and typing find a conversation by what was said in it, without a click", async () => {
  for (const name of ["Benito", "Carla"]) {
    await call("POST", "/sandbox/messages", { channel: "web", from: name, name, text: "Hello" });
  }
  const { page, clicks } = await open();
  await page.keyboard.press("u");
  await page.waitForURL("**/inbox");
  await page.keyboard.press("/");
  await page.keyboard.type("blue chair");
  const rows = page.getByRole("region", { name: "Conversations" }).locator("a[href^='/inbox/']");
  const paths = async () =>
    await rows.evaluateAll((all) => all.map((row) => row.getAttribute("href")?.split("?")[0]));
  // The first letters alone find another conversation.
  await expect.poll(paths).toEqual([`/inbox/${conversation}`]);
  expect(await clicks()).toBe(0);
});
