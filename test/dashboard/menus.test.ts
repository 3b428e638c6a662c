import { beforeAll, expect, test } from "vitest";
import { findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";
import { fillAsInUse } from "./page-accounts.ts";

const fixture = useFixture(startDashboard);

beforeAll(async () => {
  await fillAsInUse(fixture);
});

test.each([
  ["actions of a row", "/api-keys", /^Actions for/],
  ["actions of a card", "/pipelines", /^Actions for/],
  ["pages behind a name", "/pipelines", /^Pipeline Sales/],
  ["a choice of one, and actions", "/inbox", /^List options/],
  ["moments under a title", "/inbox/1?view=all", "Snooze"],
  ["actions with their keys", "/inbox/1?view=all", "More actions"],
  ["a person's own", "/api-keys", /Your menu/],
])("a menu with %s stands open without a barrier", async (_kind, path, button) => {
  for (const theme of ["light", "dark"] as const) {
    const { page } = await fixture.open(path, { theme });
    await page.getByRole("button", { name: button }).first().click();
    await page.getByRole("menu").waitFor();
    expect(await findBarriers(page)).toEqual([]);
  }
});
