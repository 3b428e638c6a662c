import { beforeEach, expect, test } from "vitest";
import { at, openFrom } from "../support/appointments.ts";
import { expectFocus, findBarriers } from "../support/browser.ts";
import { setUpOwnAgenda } from "../support/own-accounts.ts";

/** One account per test, with an agenda. */
const own = setUpOwnAgenda();
const { call, open } = own;

beforeEach(async () => {
  await call("PATCH", `/resources/${own.agenda.resourceId}`, {
    weekly_hours: openFrom("08:00", "18:00"),
  });
});

test("a booking link is switched off, changed and deleted", async () => {
  await call("POST", "/booking-links", { title: "Old", resource_id: own.agenda.resourceId });
  const page = await open("/appointments/links");
  await page.getByRole("switch", { name: "Old is in use" }).click({ force: true });
  await expect.poll(async () => (await call("GET", "/booking-links"))[0].enabled).toBe(false);
  await page.getByRole("button", { name: "Actions for Old" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title of the page").fill("New");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Actions for New" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await dialog.getByRole("heading", { name: "Delete New?" }).waitFor();
  await dialog.getByRole("button", { name: "Keep it" }).waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No booking link yet").waitFor();
  expect(await call("GET", "/booking-links")).toEqual([]);
});

test("a new title of a booking link keeps what a colleague saved meanwhile", async () => {
  const { resourceId: resource_id } = own.agenda;
  const cut = await call("POST", "/services", { name: "Cut", duration_minutes: 30 });
  const { id } = await call("POST", "/booking-links", { title: "Old", resource_id });
  const page = await open("/appointments/links");
  await page.getByRole("button", { name: "Actions for Old" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title of the page").fill("New");
  const theirs = { own_slug: "sonrisa-centro", service_id: cut.id, resource_id: null };
  await call("PATCH", `/booking-links/${id}`, theirs);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const [stored] = await call("GET", "/booking-links");
  expect(stored).toMatchObject({ ...theirs, title: "New" });
});

test("a new name of an agenda or a service keeps what a colleague saved meanwhile", async () => {
  const agenda = `/resources/${own.agenda.resourceId}`;
  const cut = await call("POST", "/services", { name: "Cut", duration_minutes: 30 });
  const service = `/services/${cut.id}`;
  const page = await open("/appointments/setup");
  const rename = async (path: string, before: string, theirs: object) => {
    await page.getByRole("button", { name: `Actions for ${before}` }).click();
    await page.getByRole("menuitem", { name: `Edit ${before}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Renamed");
    await call("PATCH", path, theirs);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await call("GET", path)).toMatchObject({ ...theirs, name: "Renamed" });
  };
  await rename(agenda, "Dr. Lucía Peña", { weekly_hours: openFrom("10:00", "12:00") });
  await rename(service, "Cut", { duration_minutes: 45, resource_ids: [own.agenda.resourceId] });
});

test("an agenda is closed for a time and opened again; its hours say what they leave outside; in use it is archived", async () => {
  await own.agenda.book();
  const page = await open("/appointments/setup");
  await page.getByRole("button", { name: "Closures" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Closed from", { exact: true }).fill("05/03/2030 15:00");
  await dialog.getByLabel("Until", { exact: true }).fill("05/03/2030 17:00");
  await dialog.getByLabel("Reason").fill("Fair");
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.getByText("1 appointment to come lies outside").waitFor();
  const path = `/resources/${own.agenda.resourceId}/closures`;
  expect((await call("GET", path))[0]).toMatchObject({
    start_time: at("15:00").toISOString(),
    end_time: at("17:00").toISOString(),
    reason: "Fair",
  });
  await dialog.getByRole("button", { name: /Open again/ }).click();
  await dialog.getByText("No closure to come.").waitFor();
  expect(await call("GET", path)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Actions for Dr. Lucía Peña" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("It is in use, so it was archived.").waitFor();
  await page.getByText("No calendar yet.").waitFor();
  await expectFocus(page.getByRole("region", { name: "Calendars" }));
  await page.getByRole("switch", { name: "Archived" }).first().click({ force: true });
  await page.getByRole("button", { name: "Bring back" }).click();
  await expect.poll(async () => (await call("GET", "/resources")).length).toBe(1);
});

test("a feed of an agenda shows its address once, works until it is revoked, and hides names on request", async () => {
  const page = await open("/appointments/setup");
  await page.getByRole("button", { name: "Private feeds" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("No feed yet.").waitFor();
  await dialog.getByRole("switch", { name: "Times only" }).click({ force: true });
  await dialog.getByRole("button", { name: "Create feed" }).click();
  await dialog.getByText("Copy the address now. It is shown only once.").waitFor();
  const address = await dialog.getByRole("group", { name: "Address of the feed" }).innerText();
  expect(address).toMatch(/\/feeds\/\w+\.ics$/u);
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Private feeds" }).click();
  expect(await dialog.getByText(address).count()).toBe(0);
  await dialog.getByText("Times only · Created").waitFor();
  await dialog.getByRole("button", { name: "Revoke the feed of" }).click();
  const warning = page.getByRole("dialog", { name: "Revoke this feed?" });
  await warning.getByRole("button", { name: "Keep it" }).waitFor();
  await warning.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("The feed is revoked.").waitFor();
  await dialog.getByText("No feed yet.").waitFor();
  const [feed] = await call("GET", `/resources/${own.agenda.resourceId}/feeds`);
  expect(feed).toMatchObject({ times_only: true, revoked_at: expect.any(String) });
});

test("an appointment is downloaded as a calendar file", async () => {
  const { id } = await own.agenda.book();
  const page = await open(`/appointments?view=day&date=2030-03-05&appointment=${id}`);
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Add to calendar" }).click();
  expect((await coming).suggestedFilename()).toBe(`appointment-${id}.ics`);
  const { content } = await call("GET", `/appointments/${id}/calendar-file`);
  expect(content).toContain("SUMMARY:Ana Torres");
  expect(content).toContain(`UID:appointment-${id}@`);
});

test("of 150 calendars and 120 services the last ones are listed and can be chosen", async () => {
  const { dataSource } = own.fixture.database;
  const numbers = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, index) => index + 1));
  await dataSource.query(
    `INSERT INTO resources (account_id, name, time_zone, weekly_hours)
     SELECT r.account_id, CONCAT('Room ', n.number), r.time_zone, r.weekly_hours
       FROM resources r
       JOIN JSON_TABLE(?, '$[*]' COLUMNS (number INT PATH '$')) n
      WHERE r.id = ?`,
    [numbers(149), own.agenda.resourceId],
  );
  await dataSource.query(
    `INSERT INTO services (account_id, name, duration_minutes)
     SELECT ?, CONCAT('Service ', n.number), 30
       FROM JSON_TABLE(?, '$[*]' COLUMNS (number INT PATH '$')) n`,
    [own.account.accountId, numbers(120)],
  );
  const page = await open("/appointments/setup");
  await page.getByRole("group", { name: "Room 149", exact: true }).waitFor();
  await page.getByRole("group", { name: "Service 120", exact: true }).waitFor();
  await page.goto(`${own.fixture.api.url}/appointments?view=day&date=2030-03-05`);
  await page.getByRole("button", { name: "New appointment" }).click();
  const dialog = page.getByRole("dialog");
  const choose = async (label: string, name: string) => {
    await dialog.getByRole("combobox", { name: label }).fill(name);
    await page.getByRole("option", { name, exact: true }).click();
  };
  await choose("Service", "Service 120");
  await choose("Calendar", "Room 149");
  const calendar = dialog.getByRole("combobox", { name: "Calendar" });
  expect(await calendar.inputValue()).toBe("Room 149");
});
