import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { styleOf } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";
import { createPageAccounts } from "./page-accounts.ts";

/** The look that every page shares: sizes of type, and the colours of both themes. */
const fixture = useFixture(startDashboard);

beforeAll(async () => {
  await createPageAccounts(fixture);
});

/** The type scale in px. The login may use 28 px once. */
const sizes = [11, 12, 13, 14, 16, 22];

/** Sizes of shown text that are not in the scale, with the text. Initials are no text of the page. */
async function oddSizes(page: Page, allowed: number[]): Promise<string[]> {
  return await page.evaluate((known) => {
    interface Node {
      parentElement: Shown;
      textContent: string;
    }
    interface Shown {
      checkVisibility: () => boolean;
      closest: (selector: string) => unknown;
    }
    const { document, getComputedStyle } = globalThis as unknown as {
      document: {
        createTreeWalker: (of: unknown, what: number) => { nextNode: () => Node | null };
      } & {
        body: unknown;
      };
      getComputedStyle: (of: unknown) => { fontSize: string };
    };
    const walker = document.createTreeWalker(document.body, 4);
    const odd: string[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const on = node.parentElement;
      const text = node.textContent.trim();
      if (text === "" || !on.checkVisibility() || on.closest("noscript") !== null) continue;
      const size = parseFloat(getComputedStyle(on).fontSize);
      if (!known.includes(size)) odd.push(`${size} px: ${text}`);
    }
    return odd;
  }, allowed);
}

test.each([
  "/inbox/1?view=all",
  "/contacts",
  "/contacts/1",
  "/pipelines",
  "/appointments?date=2030-03-05&all=1",
  "/appointments/links",
  "/appointments/setup",
  "/webhooks",
  "/webhooks/1?delivery=1",
  "/webhooks/1?tab=verification",
  "/inbound",
  "/inbound/1",
  "/api-keys?new=1",
  "/notifications",
  "/settings/account",
  "/settings/users",
  "/settings/profile",
  "/system",
])("%s has the six sizes of type and no other", async (path) => {
  for (const width of [1440, 390]) {
    const { page } = await fixture.open(path, { width });
    await page
      .getByRole("heading", { level: 1, includeHidden: true })
      .first()
      .waitFor({ state: "attached" });
    await page.waitForLoadState("networkidle");
    expect(await oddSizes(page, sizes)).toEqual([]);
  }
});

test("the login has one larger title", async () => {
  const { page } = await fixture.open("/login", { as: null });
  await page.getByRole("heading", { name: "Welcome back", level: 1 }).waitFor();
  expect(await oddSizes(page, sizes)).toEqual(["28 px: Welcome back"]);
});

test.each([
  {
    theme: "light",
    ground: "rgb(246, 246, 248)",
    panel: "rgb(255, 255, 255)",
    ink: "rgb(23, 24, 28)",
    filled: ["rgb(91, 91, 214)", "rgb(255, 255, 255)"],
    selected: "rgb(238, 238, 252)",
  },
  {
    theme: "dark",
    ground: "rgb(15, 16, 19)",
    panel: "rgb(23, 24, 28)",
    ink: "rgb(236, 236, 241)",
    filled: ["rgb(142, 142, 240)", "rgb(11, 12, 14)"],
    selected: "rgb(37, 37, 74)",
  },
] as const)("the $theme theme has its own colours", async (colors) => {
  const { page } = await fixture.open("/contacts", { theme: colors.theme });
  const title = page.getByRole("heading", { name: "Contacts", level: 1 });
  await title.waitFor();
  const pages = page.getByRole("navigation", { name: "Pages" });
  const add = page.getByRole("button", { name: "New contact" });
  expect(await styleOf(pages.locator(".."), "background-color")).toBe(colors.ground);
  expect(await styleOf(page.getByRole("main"), "background-color")).toBe(colors.panel);
  expect(await styleOf(title, "color")).toBe(colors.ink);
  expect([await styleOf(add, "background-color"), await styleOf(add, "color")]).toEqual(
    colors.filled,
  );
  const here = pages.getByRole("link", { name: "Contacts" });
  expect(await styleOf(here, "background-color")).toBe(colors.selected);
});
