import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestAccount } from "../support/accounts.ts";
import {
  at,
  createTestResource,
  createTestService,
  letBegin,
  openFrom,
} from "../support/appointments.ts";
import { contentOf, expectFocus } from "../support/browser.ts";
import { setUpOwnAgenda } from "../support/own-accounts.ts";
import { createNamespace, startTestWorker, type TestWorker } from "../support/worker.ts";

const own = setUpOwnAgenda();
const { call, open } = own;
let worker: TestWorker;
const day = "/appointments?view=day&date=2030-03-05";
const hourPx = 60;
const headPx = 48;

beforeAll(async () => {
  worker = await startTestWorker(own.fixture.database, await createNamespace());
});

beforeEach(async () => {
  await call("PATCH", `/resources/${own.agenda.resourceId}`, {
    weekly_hours: openFrom("08:00", "18:00"),
  });
});

afterAll(async () => {
  await worker.stop();
});

/** What receivers were told of, in order. */
async function events(): Promise<{ event_type: string; data: Record<string, unknown> }[]> {
  const rows = await own.fixture.database.dataSource.query<{ body: Buffer }[]>(
    "SELECT body FROM events WHERE account_id = ? AND type LIKE 'appointment.%' ORDER BY id",
    [own.agenda.account.accountId],
  );
  return rows.map(({ body }) => JSON.parse(body.toString()));
}

const block = (page: Page, name: string) => page.getByRole("link", { name: new RegExp(name) });
const column = (page: Page, name = "Dr. Lucía Peña") =>
  page.getByRole("region", { name: `${name} 2030-03-05` });

/** Drags a block so that it begins at an hour of a column, taken a quarter of an hour below its top. */
async function dragTo(block_: Locator, to: Locator, hour: number): Promise<void> {
  const y = headPx + (hour - 8) * hourPx + hourPx / 4;
  await block_.dragTo(to, {
    sourcePosition: { x: 20, y: hourPx / 4 },
    targetPosition: { x: 60, y },
  });
}

test("an appointment is dragged to another time, and to another agenda, by the workflow that moves it", async () => {
  const room = await createTestResource(
    own.fixture.database.dataSource,
    own.agenda.account.accountId,
    {
      name: "Room 2",
      weeklyHours: openFrom("08:00", "18:00"),
    },
  );
  const { id } = await own.agenda.book();
  const page = await open(day);
  await block(page, "16:00 Ana Torres").waitFor();
  await dragTo(block(page, "Ana Torres"), column(page), 11);
  await page.getByText(/Ana Torres is now at .*11:00/).waitFor();
  expect((await own.agenda.read(id)).startTime).toEqual(at("11:00"));
  await dragTo(block(page, "11:00 Ana Torres"), column(page, "Room 2"), 9);
  await column(page, "Room 2")
    .getByRole("link", { name: /9:00 Ana Torres/ })
    .waitFor();
  await page.getByText(/Ana Torres is now at .*9:00/).waitFor();
  expect(await own.agenda.read(id)).toMatchObject({ startTime: at("09:00"), resourceId: room });
  const moves = await call("GET", `/appointments/${id}/reschedules`);
  expect(moves.map(({ state }: { state: string }) => state)).toEqual(["committed", "committed"]);
  expect(
    (await events()).map(({ event_type: type, data }) => [
      type,
      data["start_time"],
      data["source"],
    ]),
  ).toEqual([
    ["appointment.created", at("16:00").toISOString(), "enlace"],
    ["appointment.rescheduled", at("11:00").toISOString(), "panel"],
    ["appointment.rescheduled", at("09:00").toISOString(), "panel"],
  ]);
});

test("a drop on a taken time goes back with the reason, and leads to the times that are free", async () => {
  const { id } = await own.agenda.book();
  await own.agenda.book({
    startTime: at("11:00"),
    customer: { contact: { phone: "5215511112222", name: "Benito" } },
  });
  const page = await open(day);
  await block(page, "Benito").waitFor();
  await dragTo(block(page, "Ana Torres"), column(page), 11);
  const told = page.getByRole("alert").filter({ hasText: "Ana Torres stays at" });
  await told.getByText("Another appointment has this time.").waitFor();
  await block(page, "16:00 Ana Torres").waitFor();
  expect((await own.agenda.read(id)).startTime).toEqual(at("16:00"));
  await told.getByRole("button", { name: "Choose another time" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("10:30", { exact: true }).click();
  expect(await drawer.getByRole("radio", { name: "11:00" }).count()).toBe(0);
  await drawer.getByRole("button", { name: "Move", exact: true }).click();
  await expect.poll(async () => (await own.agenda.read(id)).startTime).toEqual(at("10:30"));
  expect(
    (await events()).map(({ event_type: type }) => type).filter((type) => /resch/.test(type)),
  ).toHaveLength(1);
});

test("by keyboard: m on an appointment, a free time, Enter; and closed hours on purpose alone", async () => {
  const { id } = await own.agenda.book();
  const page = await open(day);
  await block(page, "Ana Torres").focus();
  await page.keyboard.press("m");
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("radio", { name: "8:00", exact: true }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await block(page, "8:30 Ana Torres").waitFor();
  await expect.poll(async () => (await own.agenda.read(id)).startTime).toEqual(at("08:30"));
  await drawer.getByRole("button", { name: "Move…" }).click();
  await drawer.getByLabel("Another time").fill("07:15");
  await drawer.getByRole("button", { name: "Move", exact: true }).click();
  await drawer.getByText("It is closed at this time.").waitFor();
  expect((await own.agenda.read(id)).startTime).toEqual(at("08:30"));
  await drawer.getByRole("button", { name: "Book outside opening hours" }).click();
  await expect.poll(async () => (await own.agenda.read(id)).startTime).toEqual(at("07:15"));
});

test("a move that takes longer than the answer is followed until it ends, and shown meanwhile", async () => {
  const { id } = await own.agenda.book();
  await worker.stop();
  const page = await open(day);
  await block(page, "Ana Torres").waitFor();
  const slow = page.waitForResponse((answer) => answer.status() === 202);
  await dragTo(block(page, "Ana Torres"), column(page), 11);
  await block(page, "11:00 Ana Torres.*Moving…").waitFor();
  await slow;
  expect((await own.agenda.read(id)).startTime).toEqual(at("16:00"));
  // Whoever opens the page meanwhile sees it on its way too.
  const other = await open(day);
  await block(other, "11:00 Ana Torres.*Moving…").waitFor();
  worker = await startTestWorker(own.fixture.database, await createNamespace());
  await page.getByText(/Ana Torres is now at .*11:00/).waitFor();
  await block(other, "11:00 Ana Torres.*Confirmed").waitFor();
  expect((await own.agenda.read(id)).startTime).toEqual(at("11:00"));
});

test("an appointment is replaced, cancelled with a reason, confirmed again, completed and missed", async () => {
  const { id } = await own.agenda.book();
  const page = await open(`${day}&appointment=${id}`);
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "Move…" }).click();
  await drawer.getByText("9:00", { exact: true }).click();
  await drawer.getByLabel("As a new appointment").click({ force: true });
  await drawer.getByRole("button", { name: "Move", exact: true }).click();
  await drawer.getByRole("link", { name: /took its place/ }).click();
  await drawer.getByText(`It replaces appointment ${id}`).waitFor();
  const { replacedByAppointmentId } = await own.agenda.read(id);
  const next = Number(replacedByAppointmentId);
  expect(await own.agenda.read(next)).toMatchObject({
    status: "confirmed",
    startTime: at("09:00"),
  });

  await drawer.getByRole("button", { name: "Cancel…" }).click();
  await drawer.getByLabel("Reason").fill("Ill");
  await drawer.getByRole("button", { name: "Cancel the appointment" }).click();
  await drawer.getByText("Cancelled: Ill").waitFor();
  expect(await own.agenda.read(next)).toMatchObject({ status: "cancelled", cancelReason: "Ill" });
  await drawer.getByRole("button", { name: "Confirm again" }).click();
  await expect.poll(async () => (await own.agenda.read(next)).status).toBe("confirmed");
  for (const name of ["Completed", "No show"])
    expect(await drawer.getByRole("button", { name }).isDisabled()).toBe(true);
  await drawer.getByText("after it has begun").waitFor();
  await letBegin(own.fixture.database.dataSource, next);
  await page.reload();
  await drawer.getByRole("button", { name: "Completed" }).click();
  await expect.poll(async () => (await own.agenda.read(next)).status).toBe("completed");
  await drawer.getByRole("button", { name: "No show" }).click();
  await expect.poll(async () => (await own.agenda.read(next)).status).toBe("no_show");
  expect((await events()).map(({ event_type: type }) => type)).toEqual([
    "appointment.created",
    "appointment.created",
    "appointment.rescheduled",
    "appointment.cancelled",
    "appointment.created",
  ]);
});

test("a cancelled appointment whose time went to another one is not confirmed again, and says why", async () => {
  const { id } = await own.agenda.book();
  await call("POST", `/appointments/${id}/cancel`, {});
  await own.agenda.book();
  const page = await open(`${day}&appointment=${id}`);
  await page.getByRole("dialog").getByRole("button", { name: "Confirm again" }).click();
  await page.getByText("The appointment stays as before").waitFor();
  await page.getByText("Another appointment has this time.").waitFor();
  expect((await own.agenda.read(id)).status).toBe("cancelled");
});

test("a booking of somebody new, at a free time; where it has just gone, others are offered", async () => {
  const service = await createTestService(
    own.fixture.database.dataSource,
    own.agenda.account.accountId,
  );
  const page = await open(day);
  await page.getByRole("button", { name: "New appointment" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "A new customer" }).click();
  await drawer.getByLabel("Name").fill("Carla");
  await drawer.getByLabel("Phone").fill("+52 1 55 3333 4444");
  await drawer.getByLabel("Date", { exact: true }).fill("05/03/2030");
  await drawer.getByText("10:00", { exact: true }).click();
  // Somebody else is quicker by a moment.
  let quicker: Promise<unknown> | null = null;
  await page.route("**/dashboard/api/appointments", async (route) => {
    quicker ??= own.agenda.book({ startTime: at("10:00") });
    await quicker;
    await route.continue();
  });
  await drawer.getByRole("button", { name: "Book", exact: true }).click();
  await drawer.getByText("Another appointment has this time. Choose another one.").waitFor();
  await drawer.getByText("10:00", { exact: true }).waitFor({ state: "detached" });
  await drawer.getByText("10:30", { exact: true }).click();
  await drawer.getByRole("button", { name: "Book", exact: true }).click();
  await block(page, "10:30 Carla.*Consultation").waitFor();
  const [row] = await call("GET", "/appointments?from=2030-03-05T10:20:00Z&limit=5&order=desc");
  expect(row).toMatchObject({
    customer_name: "Carla",
    service_id: service,
    source: "panel",
    start_time: at("10:30").toISOString(),
  });
});

test("what others book, cancel and close appears by itself", async () => {
  const page = await open(day);
  await column(page).waitFor();
  const { id } = await own.agenda.book();
  await block(page, "Ana Torres.*Confirmed").waitFor();
  await call("POST", `/appointments/${id}/cancel`, {});
  await block(page, "Ana Torres").waitFor({ state: "detached" });
  await call("POST", `/appointments/${id}/reactivate`, {});
  await call("POST", `/resources/${own.agenda.resourceId}/closures`, {
    start_time: at("12:00"),
    end_time: at("13:00"),
    reason: "Lunch",
  });
  await column(page).getByText("Closed: Lunch").waitFor();
  // Appointments are read apart from closures.
  await block(page, "Ana Torres").waitFor();
  expect(await block(page, "Ana Torres").count()).toBe(1);
});

test("the calendar is turned by its buttons and lives in the URL; on a phone it is a list of the day", async () => {
  await own.agenda.book();
  const page = await open(day);
  await page.getByRole("button", { name: "Later" }).click();
  await page.waitForURL(/date=2030-03-06/);
  await expect.poll(async () => await block(page, "Ana Torres").count()).toBe(0);
  await page.getByText("Week", { exact: true }).click();
  await block(page, "Ana Torres").waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByRole("heading", { name: /^Tuesday,? 5 March 2030$/ }).waitFor();
  await block(page, "Ana Torres").click();
  await page.waitForURL(/appointment=\d+/);
  await page.getByRole("dialog").getByRole("button", { name: "Move…" }).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.url()).not.toMatch(/appointment=/);
  const phone = await open("/appointments?date=2030-03-05", { width: 390 });
  await phone.getByRole("button", { name: /Ana Torres/ }).click();
  await phone.getByRole("dialog").getByRole("button", { name: "Move…" }).waitFor();
});

test("times are those of the account's zone, wherever the browser is", async () => {
  await call("PATCH", "/account", { time_zone: "Asia/Tokyo" });
  await own.agenda.book({ startTime: new Date("2030-03-04T22:30:00Z"), outsideHours: true });
  const page = await open(day);
  await block(page, "7:30 Ana Torres").click();
  const time = page.getByRole("dialog").locator("time").first();
  expect(await time.getAttribute("title")).toContain("2030-03-04 22:30:00.000 UTC");
});

test("an empty account is led to its first agenda and its first service", async () => {
  own.account = await createTestAccount(own.fixture.database.dataSource);
  const page = await open("/appointments");
  await page.getByText("No calendar yet").waitFor();
  await page.getByRole("link", { name: "Set up appointments" }).click();
  await page.getByRole("button", { name: "New calendar" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Dr. Ruiz");
  await dialog.getByRole("button", { name: "Add hours on Saturday" }).click();
  await dialog.getByLabel("Saturday to").fill("00:00");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saturday 09:00–24:00").waitFor();
  const [resource] = await call("GET", "/resources");
  expect(resource).toMatchObject({
    name: "Dr. Ruiz",
    time_zone: "UTC",
    weekly_hours: { saturday: [{ from: "09:00", to: "24:00" }], sunday: [] },
  });
  await page.getByRole("link", { name: "Calendar" }).click();
  await page.getByText("Next: say what can be booked").waitFor();
  await page.getByRole("link", { name: "Add a service" }).click();
  await page.getByRole("button", { name: "New service" }).click();
  await dialog.getByLabel("Name").fill("First visit");
  await dialog.getByLabel("Minutes it takes").fill("45");
  await dialog.getByLabel("Minutes free after").fill("15");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("45 min · Every calendar").waitFor();
  const [service] = await call("GET", "/services");
  expect(service).toMatchObject({
    duration_minutes: 45,
    buffer_after_minutes: 15,
    step_minutes: null,
  });
});

test("with a service the calendar leads on to a booking link, whose preview is the customers' page", async () => {
  const service = await createTestService(
    own.fixture.database.dataSource,
    own.agenda.account.accountId,
  );
  const page = await open("/appointments");
  await page.getByRole("link", { name: "Make a booking link" }).click();
  await page.getByRole("button", { name: "Add the first one" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title of the page").fill("Book a visit");
  await dialog.getByRole("combobox", { name: "Service" }).click();
  await page.getByRole("option", { name: "Consultation" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Consultation · Every calendar that offers the service").waitFor();
  // What opened the dialog went as the list had its first row.
  await expectFocus(contentOf(page));
  const [link] = await call("GET", "/booking-links");
  expect(link).toMatchObject({ title: "Book a visit", service_id: service, enabled: true });
  const preview = page.getByRole("link", { name: "Preview" });
  expect(await preview.getAttribute("href")).toBe(link.url);
  // The API of a test is not at its public URL.
  const customers = await open(new URL(link.url).pathname);
  await customers.locator("p", { hasText: "Book a visit" }).waitFor();
  expect(await customers.getByRole("heading", { level: 1 }).count()).toBe(1);
});
