import { beforeAll, expect, test } from "vitest";
import { styleOf } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";
import { fillAsInUse } from "./page-accounts.ts";
import { oddSizes } from "./type-sizes.ts";

/** The look that every page shares: sizes of type, and the colours of both themes. For a phone see touch.test.ts. */
const fixture = useFixture(startDashboard);

beforeAll(async () => {
  await fillAsInUse(fixture);
});

test.each([
  "/inbox/1?view=all",
  "/contacts",
  "/contacts/1",
  "/pipelines",
  "/appointments?date=2030-03-05&all=1",
  "/appointments/links",
  "/appointments/setup",
  "/agent",
  "/agent/setup",
  "/agent/knowledge",
  "/agent/playground",
  "/agent/cases",
  "/agent/cases?case=1",
  "/agent/turns",
  "/agent/turns?turn=1",
  "/agent/usage",
  "/agent/quality",
  "/channels",
  "/channels/connect",
  "/channels/connect?driver=whatsapp_cloud&step=app",
  "/channels/connect?channel=901",
  "/channels/900",
  "/channels/900?tab=parked",
  "/channels/900?tab=app",
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
])("%s has the six sizes of type and no other on a desk", async (path) => {
  const { page } = await fixture.open(path);
  await page
    .getByRole("heading", { level: 1, includeHidden: true })
    .first()
    .waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
  expect(await oddSizes(page)).toEqual([]);
});

test("the login has one larger title", async () => {
  const { page } = await fixture.open("/login", { as: null });
  await page.getByRole("heading", { name: "Welcome back", level: 1 }).waitFor();
  expect(await oddSizes(page)).toEqual(["28 px: Welcome back"]);
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
