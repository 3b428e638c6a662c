import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus } from "../support/browser.ts";
import type { PageOptions } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

/** What stands around every page: sidebar, menu, theme, language. */
const fixture = useFixture(startDashboard);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function open(options: Omit<PageOptions, "cookie"> = {}): Promise<Page> {
  const { page } = await fixture.open("/api-keys", { as: account.cookie, ...options });
  await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
  return page;
}

/** How wide the sidebar is once it has stopped moving. */
async function expectWidth(page: Page, width: number): Promise<void> {
  const sidebar = page.getByRole("navigation", { name: "Pages" }).locator("..");
  await expect.poll(async () => Math.round((await sidebar.boundingBox())?.width ?? 0)).toBe(width);
}

/** Takes an entry of the person's menu. */
async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: /Your menu/ }).click();
  await page.getByRole("menuitem", { name }).click();
}

test("the sidebar is folded to its icons and unfolded, and is so after a reload", async () => {
  const page = await open();
  await expectWidth(page, 208);
  await choose(page, "Fold the sidebar");
  await expectWidth(page, 56);
  await page.reload();
  await expectWidth(page, 56);
  // Icons alone still say where they lead, to whoever listens and to whoever points.
  const contacts = page.getByRole("link", { name: "Contacts" });
  expect(await contacts.innerText()).toBe("");
  await contacts.hover();
  await page.getByRole("tooltip", { name: "Contacts" }).waitFor();
  await contacts.click();
  await page.waitForURL("**/contacts");

  await choose(page, "Unfold the sidebar");
  await expectWidth(page, 208);
  await page.reload();
  await page.getByRole("link", { name: "Contacts" }).getByText("Contacts").waitFor();
  await expectWidth(page, 208);
});

test.each([
  { width: 1180, side: 208 },
  { width: 1179, side: 56 },
])("at $width px the sidebar is $side px wide", async ({ width, side }) => {
  const page = await open({ width });
  await expectWidth(page, side);
  // A narrow window folds the sidebar, so the menu does not offer to fold it.
  await page.getByRole("button", { name: /Your menu/ }).click();
  await page.getByRole("menuitem", { name: "Log out" }).waitFor();
  const fold = page.getByRole("menuitem", { name: /^Fold|^Unfold/ });
  expect(await fold.count()).toBe(side === 208 ? 1 : 0);
});

test("on a phone a bar leads to the pages of the day, and More to all others", async () => {
  const page = await open({ width: 390, height: 844 });
  const bar = page.getByRole("navigation", { name: "Pages" });
  expect(await bar.getByRole("link").allInnerTexts()).toEqual([
    "Inbox",
    "Pipelines",
    "Appointments",
  ]);
  await bar.getByRole("link", { name: "Pipelines" }).click();
  await page.waitForURL("**/pipelines");
  await bar.getByRole("button", { name: "More" }).click();
  const more = page.getByRole("dialog", { name: "More" });
  await more.getByRole("link", { name: "Contacts" }).click();
  // The page comes without the dialog that leads to it.
  await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
  await expect.poll(async () => await more.count()).toBe(0);
});

test("on a phone More is worked by keyboard; closed, nothing in it is reached or read out", async () => {
  const page = await open({ width: 390, height: 844 });
  const menu = page.getByRole("button", { name: "More" });
  const close = page.getByRole("button", { name: "Close" });
  const contacts = page.getByRole("link", { name: "Contacts" });
  expect([await close.count(), await contacts.count()]).toEqual([0, 0]);
  expect(await menu.getAttribute("aria-expanded")).toBe("false");
  await menu.press("Enter");
  const more = page.getByRole("dialog", { name: "More" });
  await expectFocus(more.locator(":focus"));
  await page.keyboard.press("Escape");
  await expectFocus(menu);
  expect([await close.count(), await contacts.count()]).toEqual([0, 0]);
  await page.keyboard.press("Enter");
  await close.press("Enter");
  await expectFocus(menu);
  await page.keyboard.press("Enter");
  await contacts.press("Enter");
  await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
  await expect.poll(async () => await contacts.count()).toBe(0);
  await expectFocus(menu);
});

test("the theme is chosen in the person's menu: dark, light, like the system; it is kept", async () => {
  const page = await open({ theme: "dark" });
  const shown = page.locator("html");
  const expectScheme = async (scheme: string): Promise<void> => {
    const now = async () => await shown.getAttribute("data-mantine-color-scheme");
    await expect.poll(now).toBe(scheme);
    await page.reload();
    await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
    expect(await now()).toBe(scheme);
  };
  await expectScheme("dark");
  await choose(page, "Light");
  await expectScheme("light");
  await page.getByRole("button", { name: /Your menu/ }).click();
  const chosen = page.getByRole("menuitem", { name: "Light" });
  expect(await chosen.getAttribute("aria-current")).toBe("true");
  await page.keyboard.press("Escape");
  await choose(page, "Dark");
  await expectScheme("dark");
  await choose(page, "Like the system");
  await page.emulateMedia({ colorScheme: "light" });
  await expectScheme("light");
});

test("the language is changed in the palette: the page is in Spanish at once, and for the next login", async () => {
  const page = await open();
  const change = async (words: string): Promise<void> => {
    await page.keyboard.press("Control+k");
    await expectFocus(page.getByRole("dialog").getByRole("textbox"));
    await page.keyboard.type(words);
    await page.getByRole("button", { name: words }).waitFor();
    await page.keyboard.press("Enter");
  };
  const stored = async () => {
    const [row] = await fixture.database.dataSource.query<{ locale: string | null }[]>(
      "SELECT locale FROM users WHERE id = ?",
      [account.userId],
    );
    return row?.locale;
  };
  await change("Cambiar a español");
  await page.getByRole("heading", { name: "Claves de API", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Contactos" }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("es");
  expect(await stored()).toBe("es");
  const elsewhere = await fixture.open("/contacts", { as: account.cookie });
  await elsewhere.page.getByRole("heading", { name: "Contactos", level: 1 }).waitFor();

  await change("Switch to English");
  await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
  expect(await stored()).toBe("en");
});
