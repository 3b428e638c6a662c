import { expect, test } from "vitest";
import { findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);

test("an installation without an app at Google names the settings, and the address to copy", async () => {
  const { page } = await fixture.open("/settings/calendars?connect=google");
  const dialog = page.getByRole("dialog", { name: "Connect Google Calendar" });
  await dialog.getByText("This installation has no Google app yet").waitFor();
  await dialog.getByText("GOOGLE_CLIENT_ID", { exact: true }).waitFor();
  await dialog.getByText("GOOGLE_CLIENT_SECRET", { exact: true }).waitFor();
  await dialog.getByText(/\/integrations\/google\/callback$/u).waitFor();
  await dialog.getByRole("button", { name: "Copy: Redirect URI" }).waitFor();
  expect(await dialog.getByRole("button", { name: "Continue to Google" }).count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
});
