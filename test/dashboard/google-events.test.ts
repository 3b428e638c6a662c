import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { createGoogleCalendar } from "../../activities/calendars/google.ts";
import { startGoogleStandIn } from "../../dev/stand-in/google-server.ts";
import { createTestAccount } from "../support/accounts.ts";
import { createTestResource, openFrom } from "../support/appointments.ts";
import { findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { googleOptions } from "../support/google-calendar.ts";
import { useFixture } from "../support/use-fixture.ts";
import { createNamespace, startTestWorker } from "../support/worker.ts";

const publicUrl = "https://parley.example";

/** A Dashboard with its worker, and a stand-in of Google that pushes to it. */
async function startWithPushes() {
  let apiUrl = "";
  const route = (address: string) => address.replace(publicUrl, apiUrl);
  const google = await startGoogleStandIn({ route, retryMs: 100 });
  const dashboard = await startDashboard((url) => ({ ...google.settings, PUBLIC_URL: url }));
  apiUrl = dashboard.api.url;
  const port = createGoogleCalendar(googleOptions(google));
  const calendarPorts = { google: port };
  const worker = await startTestWorker(dashboard.database, await createNamespace(), {
    calendarPorts,
    publicUrl,
  });
  return {
    ...dashboard,
    google,
    async stop() {
      await worker.stop();
      await port.close();
      await dashboard.stop();
      await google.close();
    },
  };
}

const fixture = useFixture(startWithPushes);
const hourPx = 60;
const headPx = 48;
const date = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
const at = (clock: string): string => `${date}T${clock}:00.000Z`;

/** The calendars page of a new account, whose agenda is kept on a calendar from now on. */
async function connect(
  { calendarId, calendarName }: { calendarId: string; calendarName: string },
  options: Parameters<typeof fixture.open>[1] = {},
): Promise<Page> {
  const { dataSource } = fixture.database;
  const { accountId, cookie } = await createTestAccount(dataSource);
  await createTestResource(dataSource, accountId, { weeklyHours: openFrom("08:00", "18:00") });
  const body = { locale: options.locale === "es-MX" ? "es" : "en" };
  await fixture.api.call("PATCH", "/dashboard/api/me", { cookie, body });
  const { page } = await fixture.open("/settings/calendars", { ...options, as: cookie });
  await page.getByRole("button", { name: /^Google Calendar/u }).click();
  await page.getByRole("button", { name: /Continue to Google|Continuar a Google/u }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: /^(Choose calendars|Elegir calendarios)$/u }).click();
  const dialog = page.getByRole("dialog");
  const row = dialog.getByRole("group", { name: calendarName });
  await row.getByRole("combobox").first().click();
  await page.getByRole("option", { name: "Dr. Lucía Peña", exact: true }).click();
  await dialog.getByRole("button", { name: /^(Save|Guardar)$/u }).click();
  await dialog.waitFor({ state: "detached" });
  const isWatched = () => fixture.google.channels().some((one) => one.calendarId === calendarId);
  await eventually(() => expect(isWatched()).toBe(true));
  return page;
}

/** Opens the day of the event, and waits for the stream of changes. */
async function openDay(page: Page): Promise<void> {
  await page.goto(`${fixture.api.url}/appointments?view=day&date=${date}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

function insertVisit(calendarId: string): string {
  const attendees = [{ email: "eva@example.com", displayName: "Eva Luna" }];
  const times = { start: { dateTime: at("15:00") }, end: { dateTime: at("16:00") } };
  return fixture.google.insert(calendarId, { summary: "Check-up", attendees, ...times }).id;
}

/** Drags a block so that it begins at an hour of a column. */
async function dragTo(block: Locator, column: Locator, hour: number): Promise<void> {
  const y = headPx + (hour - 8) * hourPx + hourPx / 4;
  const sourcePosition = { x: 20, y: hourPx / 4 };
  await block.dragTo(column, { sourcePosition, targetPosition: { x: 60, y } });
}

const timeThere = (calendarId: string, id: string): string =>
  new Date(fixture.google.find(calendarId, id)?.start.dateTime ?? 0).toISOString();

test("an event of Google appears in the open agenda, is dragged there, and moves at Google", async () => {
  const calendarId = "c_room2@group.calendar.google.example";
  const page = await connect({ calendarId, calendarName: "Consultorio 2" });
  await openDay(page);
  const column = page.getByRole("region", { name: `Dr. Lucía Peña ${date}` });
  await column.waitFor();
  const id = insertVisit(calendarId);
  await column.getByRole("link", { name: /15:00 Eva Luna/u }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await dragTo(column.getByRole("link", { name: /Eva Luna/u }), column, 11);
  await column.getByRole("link", { name: /11:00 Eva Luna/u }).waitFor();
  await expect.poll(() => timeThere(calendarId, id)).toBe(at("11:00"));
  fixture.google.remove(calendarId, id);
  await column.getByRole("link", { name: /11:00 Eva Luna/u }).waitFor({ state: "detached" });
});

test("in Spanish on a phone it appears in the list of the day, and follows a move there", async () => {
  const calendarId = "ada@google.example";
  const phone = { width: 390, height: 844, locale: "es-MX" };
  const page = await connect({ calendarId, calendarName: "Ada Ortega" }, phone);
  await openDay(page);
  const id = insertVisit(calendarId);
  await page.getByText("Eva Luna").first().waitFor();
  await page.getByText(/15:00/u).first().waitFor();
  const times = { start: { dateTime: at("10:30") }, end: { dateTime: at("11:30") } };
  fixture.google.change(calendarId, id, times);
  await page.getByText(/10:30/u).first().waitFor();
  expect(await findBarriers(page)).toEqual([]);
});
