import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { startGoogleStandIn } from "../../dev/stand-in/google-server.ts";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { createTestResource } from "../support/appointments.ts";
import { findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

/** The Dashboard of an installation with an app at Google, for which a server stands in. */
async function startWithGoogle() {
  const google = await startGoogleStandIn();
  const dashboard = await startDashboard((url) => ({ ...google.settings, PUBLIC_URL: url }));
  return {
    ...dashboard,
    google,
    async stop() {
      await dashboard.stop();
      await google.close();
    },
  };
}

const fixture = useFixture(startWithGoogle);
const path = "/settings/calendars";

/** The page of a new account with one agenda. */
async function openNew(
  options: Parameters<typeof fixture.open>[1] = {},
): Promise<{ page: Page; account: TestAccount }> {
  const { dataSource } = fixture.database;
  const account = await createTestAccount(dataSource);
  await createTestResource(dataSource, account.accountId);
  const body = { locale: options.locale === "es-MX" ? "es" : "en" };
  await fixture.api.call("PATCH", "/dashboard/api/me", { cookie: account.cookie, body });
  const { page } = await fixture.open(path, { ...options, as: account.cookie });
  return { page, account };
}

/** Goes to Google from the empty page, which the keyboard does too. */
async function goToGoogle(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Google Calendar/u }).focus();
  await page.keyboard.press("Enter");
  await page.getByText(/7 days|7 días/u).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("button", { name: /Continue to Google|Continuar a Google/u }).click();
  await page.getByRole("heading", { name: "Choose an account" }).waitFor();
}

async function choose(page: Page, field: Locator, option: string): Promise<void> {
  await field.click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

test("an admin connects Google, gives a calendar an agenda, and disconnects; appointments' agenda stays", async () => {
  const { page, account } = await openNew();
  await page.getByText("No calendar connected yet").waitFor();
  await goToGoogle(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Google Calendar is connected").waitFor();
  const card = page.getByRole("region", { name: "ada@google.example Google Calendar" });
  await card.getByText("Connected", { exact: true }).waitFor();
  await card.getByText("No calendar chosen yet.").waitFor();
  expect(await findBarriers(page)).toEqual([]);

  await card.getByRole("button", { name: "Choose calendars" }).click();
  const dialog = page.getByRole("dialog");
  const room = dialog.getByRole("group", { name: "Consultorio 2" });
  await choose(page, room.getByRole("combobox", { name: "Calendar here" }), "Dr. Lucía Peña");
  await choose(page, room.getByRole("combobox", { name: "Direction" }), "Only to Google");
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. The first sync takes a moment.").waitFor();
  await card.getByText("Only to Google").waitFor();
  const { json } = await fixture.api.call("GET", "/dashboard/api/calendars", {
    cookie: account.cookie,
  });
  expect(json.data.connections[0].google.links).toMatchObject([
    { calendar_id: "c_room2@group.calendar.google.example", direction: "write_only" },
  ]);

  await card.getByRole("button", { name: "Actions for ada@google.example" }).click();
  await page.getByRole("menuitem", { name: "Disconnect…" }).click();
  await dialog.getByRole("heading", { name: "Disconnect ada@google.example?" }).waitFor();
  await dialog.getByText("All appointments stay, with their ids and history.").waitFor();
  await dialog.getByRole("button", { name: "Disconnect" }).click();
  await card.getByText("This calendar is disconnected").waitFor();
  await card.getByRole("button", { name: "Connect again" }).click();
  await dialog.getByRole("button", { name: "Continue to Google" }).waitFor();
});

test("an admin has a connection synced now", async () => {
  const { page, account } = await openNew();
  await goToGoogle(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Choose calendars" }).click();
  const dialog = page.getByRole("dialog");
  const room = dialog.getByRole("group", { name: "Consultorio 2" });
  await choose(page, room.getByRole("combobox", { name: "Calendar here" }), "Dr. Lucía Peña");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. The first sync takes a moment.").waitFor();
  const { dataSource } = fixture.database;
  await dataSource.query("UPDATE calendar_links SET dirty = 0 WHERE account_id = ?", [
    account.accountId,
  ]);
  await page.getByRole("button", { name: "Actions for ada@google.example" }).click();
  await page.getByRole("menuitem", { name: "Sync now" }).click();
  await page.getByText("The sync is under way.").waitFor();
  const links = await dataSource.query("SELECT dirty FROM calendar_links WHERE account_id = ?", [
    account.accountId,
  ]);
  expect(links).toEqual([{ dirty: 1 }]);
});

test("one calendar here has one Google calendar: the form says so before it is sent", async () => {
  const { page } = await openNew();
  await goToGoogle(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Choose calendars" }).click();
  const dialog = page.getByRole("dialog");
  for (const name of ["Ada Ortega", "Consultorio 2"]) {
    const field = dialog.getByRole("group", { name }).getByRole("combobox").first();
    await choose(page, field, "Dr. Lucía Peña");
  }
  await dialog.getByText("Dr. Lucía Peña is chosen twice.").first().waitFor();
  expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
});

test("in Spanish on a phone a refusal at Google leaves nothing, says why, and leads back", async () => {
  const { page, account } = await openNew({ width: 390, height: 844, locale: "es-MX" });
  await goToGoogle(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  const notice = page.getByRole("alert").filter({ hasText: "No se conectó nada: no diste acceso" });
  await notice.waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const { json } = await fixture.api.call("GET", "/dashboard/api/calendars", {
    cookie: account.cookie,
  });
  expect(json.data.connections).toEqual([]);
  await notice.getByRole("button", { name: "Conectar de nuevo" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Continuar a Google" }).waitFor();
  await page.keyboard.press("Escape");
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBe(0);
});

test("a permission without a tick is named, and the page's other results have words of their own", async () => {
  const { page } = await openNew();
  await goToGoogle(page);
  await page.getByRole("checkbox", { name: /edit events/u }).uncheck();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Nothing was connected: a permission is missing").waitFor();
  await page.goto(`${fixture.api.url}${path}?google=of-tomorrow`);
  await page.getByText("Nothing was connected: Google did not finish the sign-in").waitFor();
  await page.getByRole("button", { name: "Hide this notice" }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("");
});

test("a connection that Google has ended names the cause and the remedy", async () => {
  const { page, account } = await openNew();
  await goToGoogle(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Google Calendar is connected").waitFor();
  const sql = `UPDATE calendar_connections SET state = 'disconnected', error_code = 'testing_expired',
    error_at = UTC_TIMESTAMP(3) WHERE account_id = ?`;
  await fixture.database.dataSource.query(sql, [account.accountId]);
  await page.goto(fixture.api.url + path);
  await page.getByText("Google ended the access after 7 days").waitFor();
  await page.getByRole("button", { name: "Connect again" }).click();
  await page.getByRole("button", { name: "Continue to Google" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Google Calendar is connected").waitFor();
  await page.getByText("Connected", { exact: true }).waitFor();
  expect(await page.getByText("Google ended the access").count()).toBe(0);
});

test("trouble that passes has words, and an API that is turned off has a link to it", async () => {
  const { page, account } = await openNew();
  await goToGoogle(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Google Calendar is connected").waitFor();
  for (const [code, title] of [
    ["http_403", "The provider limits our calls at the moment"],
    ["timeout", "The last sync got no answer"],
    ["api_disabled", "The Google Calendar API is turned off"],
  ] as const) {
    const sql = `UPDATE calendar_connections SET error_code = ?, error_at = UTC_TIMESTAMP(3)
                  WHERE account_id = ?`;
    await fixture.database.dataSource.query(sql, [code, account.accountId]);
    await page.goto(fixture.api.url + path);
    await page.getByText(title).waitFor();
  }
  const link = page.getByRole("link", { name: "Turn on the API" });
  expect(await link.getAttribute("href")).toMatch(/^https:\/\/console\.cloud\.google\.com\//u);
});

test("agents see who connects calendars, and no link to the page", async () => {
  const { dataSource } = fixture.database;
  const agent = await createTestAccount(dataSource, { role: "agent" });
  const { page } = await fixture.open(path, { as: agent.cookie });
  await page.getByRole("heading", { name: "Admins connect calendars" }).waitFor();
  expect(await page.getByRole("link", { name: "Calendars", exact: true }).count()).toBe(0);
});
