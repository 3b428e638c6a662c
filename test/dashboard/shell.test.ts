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

test("the sidebar is folded to its icons and unfolded, and is so after a reload", async () => {
  const page = await open();
  await expectWidth(page, 240);
  const fold = page.getByRole("button", { name: "Fold the sidebar" });
  expect(await fold.getAttribute("aria-expanded")).toBe("true");
  await fold.click();
  const unfold = page.getByRole("button", { name: "Unfold the sidebar" });
  await unfold.waitFor();
  await page.reload();
  expect(await unfold.getAttribute("aria-expanded")).toBe("false");
  await expectWidth(page, 64);
  // Icons alone still say where they lead, to whoever listens and to whoever points.
  const contacts = page.getByRole("link", { name: "Contacts" });
  expect(await contacts.innerText()).toBe("");
  await contacts.hover();
  await page.getByRole("tooltip", { name: "Contacts" }).waitFor();
  await contacts.click();
  await page.waitForURL("**/contacts");

  await unfold.click();
  await fold.waitFor();
  await page.reload();
  await page.getByRole("link", { name: "Contacts" }).getByText("Contacts").waitFor();
  await expectWidth(page, 240);
});

test("on a phone the menu is opened and closed, and a page that it leads to comes without it", async () => {
  const page = await open({ width: 390, height: 844 });
  const menu = page.getByRole("navigation", { name: "Pages", includeHidden: true });
  const inView = async (): Promise<boolean> => {
    const box = await menu.boundingBox();
    return box !== null && box.x >= 0 && box.x + box.width <= 390;
  };
  expect(await inView()).toBe(false);
  await page.getByRole("button", { name: "Open the menu" }).click();
  await expect.poll(inView).toBe(true);
  await page.getByRole("button", { name: "Close the menu" }).click();
  await expect.poll(inView).toBe(false);

  await page.getByRole("button", { name: "Open the menu" }).click();
  await expect.poll(inView).toBe(true);
  await menu.getByRole("link", { name: "Contacts" }).click();
  await page.waitForURL("**/contacts");
  await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
  await expect.poll(inView).toBe(false);
});

test("on a phone the menu is worked by keyboard; closed, nothing in it is reached or read out", async () => {
  const page = await open({ width: 390, height: 844 });
  const menu = page.getByRole("button", { name: "Open the menu" });
  const close = page.getByRole("button", { name: "Close the menu" });
  const contacts = page.getByRole("link", { name: "Contacts" });
  expect([await close.count(), await contacts.count()]).toEqual([0, 0]);
  expect(await menu.getAttribute("aria-expanded")).toBe("false");
  await menu.press("Enter");
  // What is behind it is neither reached nor read out.
  await expectFocus(close);
  expect(await page.locator("header[inert], main[inert]").count()).toBe(2);
  expect(await menu.getAttribute("aria-expanded")).toBe("true");
  await page.keyboard.press("Shift+Tab");
  await expectFocus(page.getByRole("link").last());
  await page.keyboard.press("Tab");
  await expectFocus(close);
  await page.keyboard.press("Escape");
  await expectFocus(menu);
  expect([await close.count(), await contacts.count()]).toEqual([0, 0]);
  await page.keyboard.press("Enter");
  await close.press("Enter");
  await expectFocus(menu);
  expect([await close.count(), await contacts.count()]).toEqual([0, 0]);
  await page.keyboard.press("Enter");
  await contacts.press("Enter");
  await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
  await expect.poll(async () => await contacts.count()).toBe(0);
  await expectFocus(menu);
});

test("the theme is chosen in the person's menu: dark, light, like the system; it is kept", async () => {
  const page = await open({ theme: "dark" });
  const shown = page.locator("html");
  const choose = async (name: string): Promise<void> => {
    await page.getByRole("button", { name: /Your menu/ }).click();
    await page.getByRole("menuitem", { name }).click();
  };
  const expectScheme = async (scheme: string): Promise<void> => {
    const now = async () => await shown.getAttribute("data-mantine-color-scheme");
    await expect.poll(now).toBe(scheme);
    await page.reload();
    await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
    expect(await now()).toBe(scheme);
  };
  await expectScheme("dark");
  await choose("Light");
  await expectScheme("light");
  await page.getByRole("button", { name: /Your menu/ }).click();
  const chosen = page.getByRole("menuitem", { name: "Light" });
  expect(await chosen.getAttribute("aria-current")).toBe("true");
  await page.keyboard.press("Escape");
  await choose("Dark");
  await expectScheme("dark");
  await choose("Like the system");
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
