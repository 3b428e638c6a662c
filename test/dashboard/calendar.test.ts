import { readFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { listFiles } from "../../core/source-hash.ts";
import { dashboardBuild } from "../../dev/build/dashboard-build.ts";
import {
  at,
  createTestAgenda,
  createTestResource,
  createTestService,
  openFrom,
} from "../support/appointments.ts";
import { bookAppointment } from "../../core/services/appointments/appointments.ts";
import { asSystem, createTestAccount } from "../support/accounts.ts";
import { findBarriers, styleOf } from "../support/browser.ts";
import { freshPhone } from "../support/contact-load.ts";
import { hueOf } from "../../dashboard/src/lib/hues.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
const day = "/appointments?view=day&date=2030-03-05";
const hourPx = 60;

beforeAll(async () => {
  const { database, account } = fixture;
  const weeklyHours = openFrom("09:00", "17:00");
  const id = await createTestResource(database.dataSource, account.accountId, { weeklyHours });
  const closure = { start_time: at("12:00"), end_time: at("13:00"), reason: "Lunch" };
  await fixture.call("POST", `/resources/${id}/closures`, closure);
});

/** A day of the calendar and its parts: closed hours are the ground of the whole day. */
async function openDay(theme: "light" | "dark") {
  const { page } = await fixture.open(day, { theme });
  const column = page.getByRole("region", { name: "Dr. Lucía Peña 2030-03-05" });
  await column.getByText("Closed: Lunch").waitFor();
  const part = (name: string): Locator => column.locator(`[class*="_${name}_"]`).first();
  return { closed: part("body"), open: part("open"), closure: part("closure") };
}

test.each([
  { theme: "light", closedGround: "rgb(244, 244, 247)", openGround: "rgb(255, 255, 255)" },
  { theme: "dark", closedGround: "rgb(19, 20, 24)", openGround: "rgb(23, 24, 28)" },
] as const)(
  "closed hours and closures have a ground of their own, $theme",
  async ({ theme, closedGround, openGround }) => {
    const { closed, open, closure } = await openDay(theme);
    expect(await styleOf(closed, "background-color")).toBe(closedGround);
    expect(await styleOf(open, "background-color")).toBe(openGround);
    expect(await styleOf(closure, "background-image")).toContain(closedGround);
  },
);

test("the build reads no colour that nothing defines", () => {
  const files = listFiles(dashboardBuild).filter((file) => file.endsWith(".css"));
  expect(files.length).toBeGreaterThan(0);
  // The minifier replaces light-dark() by two variables of its own, and our colour schemes set neither.
  const lost = files.filter((file) => readFileSync(file, "utf8").includes("--lightningcss-"));
  expect(lost).toEqual([]);
});

test("a week that opens at midnight is scrolled to the first working hour", async () => {
  const { dataSource } = fixture.database;
  const account = await createTestAccount(dataSource);
  const weeklyHours = openFrom("09:00", "17:00");
  const resourceId = await createTestResource(dataSource, account.accountId, { weeklyHours });
  await asSystem(dataSource, account.accountId, (tx) =>
    bookAppointment(tx, {
      resourceId,
      startTime: at("00:30"),
      durationMinutes: 30,
      customer: { contact: { phone: freshPhone(), name: "Ana Torres" } },
      outsideHours: true,
      source: "panel",
    }),
  );
  const { page } = await fixture.open("/appointments?date=2030-03-05", {
    as: account.cookie,
    height: 600,
  });
  const calendar = page.getByRole("region", { name: "Calendar" });
  const nine = calendar.getByText("9:00", { exact: true });
  await nine.waitFor();
  // The line of nine stands right below the head of the columns, which takes 48 px.
  const distance = async () => {
    const [label, area] = await Promise.all([nine.boundingBox(), calendar.boundingBox()]);
    return Math.round((label?.y ?? 0) - (area?.y ?? 0));
  };
  await expect.poll(distance).toBeLessThan(60);
  expect(await distance()).toBeGreaterThanOrEqual(48);
});

test("buffers are drawn, and a drop into one is refused by that name", async () => {
  const buffers = { bufferBeforeMinutes: 15, bufferAfterMinutes: 30 };
  const { dataSource } = fixture.database;
  const agenda = await createTestAgenda(dataSource);
  const serviceId = await createTestService(dataSource, agenda.account.accountId, buffers);
  const { id } = await agenda.book();
  await agenda.book({
    serviceId,
    startTime: at("11:00"),
    durationMinutes: undefined,
    customer: { contact: { phone: "5215511112222", name: "Benito" } },
  });
  const { page } = await fixture.open(day, { as: agenda.account.cookie });
  await page.getByRole("link", { name: /Benito/ }).waitFor();
  const column = page.getByRole("region", { name: "Dr. Lucía Peña 2030-03-05" });
  // The opening hours make the day longer, which moves its appointments.
  await column.locator('[class*="_open_"]').waitFor();
  const drawn = column.getByTitle("Buffer of the appointment of Benito");
  const heights = await Promise.all(
    (await drawn.all()).map(async (one) => (await one.boundingBox())?.height),
  );
  expect(heights).toEqual([hourPx / 4, hourPx / 2]);
  expect(await styleOf(drawn.first(), "background-image")).toContain("rgb(236, 238, 242)");
  // A quarter of an hour below the end of Benito's.
  const ana = page.getByRole("link", { name: /Ana Torres/ });
  await ana.dragTo(drawn.last(), {
    sourcePosition: { x: 20, y: 4 },
    targetPosition: { x: 60, y: 18 },
  });
  const told = page.getByRole("alert").filter({ hasText: "Ana Torres stays at" });
  await told.getByText("This time lies in the buffer").waitFor();
  expect((await agenda.read(id)).startTime).toEqual(at("16:00"));
});

test("the day is as long as its last buffer; a phone's list names the times, from 768 px on there is a grid", async () => {
  const { dataSource } = fixture.database;
  const agenda = await createTestAgenda(dataSource);
  const { accountId, cookie } = agenda.account;
  const weeklyHours = openFrom("09:00", "17:00");
  const resourceId = await createTestResource(dataSource, accountId, { weeklyHours });
  const serviceId = await createTestService(dataSource, accountId, { bufferAfterMinutes: 30 });
  const startTime = at("17:30");
  await agenda.book({
    resourceId,
    serviceId,
    startTime,
    durationMinutes: undefined,
    outsideHours: true,
  });
  const path = `${day}&agenda=${resourceId}`;
  const { page } = await fixture.open(path, { as: cookie, width: 768 });
  const column = page.getByRole("region", { name: "Dr. Lucía Peña 2030-03-05" });
  await column.getByTitle("Buffer of the appointment of Ana Torres").waitFor();
  // Read at once, since the opening hours scroll the day.
  const [body, buffer] = await column
    .locator('[class*="_body_"], [class*="_buffer_"]')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom));
  expect(Number(buffer)).toBeLessThanOrEqual(Number(body));
  await page.setViewportSize({ width: 767, height: 900 });
  await page.getByText("Buffer: 18:00–18:30").waitFor();
  expect(await column.count()).toBe(0);
});

test("a new appointment begins with the day and the agenda on the screen", async () => {
  const agenda = await createTestAgenda(fixture.database.dataSource);
  const { accountId, cookie } = agenda.account;
  await createTestResource(fixture.database.dataSource, accountId, { name: "Room 2" });
  const { page } = await fixture.open(`${day}&agenda=${agenda.resourceId}`, { as: cookie });
  const drawer = page.getByRole("dialog");
  const start = async (): Promise<string[]> => {
    await page.getByRole("button", { name: "New appointment" }).click();
    const fields = [
      drawer.getByLabel("Date", { exact: true }),
      drawer.getByLabel("Calendar", { exact: true }),
    ];
    const shown = await Promise.all(fields.map(async (field) => await field.inputValue()));
    await page.keyboard.press("Escape");
    return shown;
  };
  expect(await start()).toEqual(["05/03/2030", "Dr. Lucía Peña"]);
  await page.getByRole("button", { name: "Later" }).click();
  await page.getByRole("heading", { name: /^Wednesday,? 6 March 2030$/ }).waitFor();
  await page.getByRole("button", { name: "All calendars" }).click();
  await page.getByRole("button", { name: "Room 2" }).click();
  const other = page.getByRole("region", { name: "Dr. Lucía Peña 2030-03-06" });
  await other.waitFor({ state: "detached" });
  expect(await start()).toEqual(["06/03/2030", "Room 2"]);
  // A day that is over has no times to book.
  await page.goto(`${fixture.api.url}/appointments?view=day&date=2020-03-05`);
  const today = new Date().toISOString().slice(0, 10).split("-").toReversed().join("/");
  expect((await start())[0]).toBe(today);
});

/** An agenda with a service in teal and an appointment of it from 11:00 to 11:30. */
async function openTeal(options: { theme?: "light" | "dark"; query?: string; width?: number }) {
  const { dataSource } = fixture.database;
  const agenda = await createTestAgenda(dataSource);
  const { accountId, cookie } = agenda.account;
  const serviceId = await createTestService(dataSource, accountId, { bufferAfterMinutes: 30 });
  const patch = { cookie, body: { hue: "teal" } };
  await fixture.api.call("PATCH", `/dashboard/api/services/${serviceId}`, patch);
  await agenda.book({ serviceId, startTime: at("11:00"), durationMinutes: undefined });
  const { query = "", ...look } = options;
  const opened = await fixture.open(day + query, { as: cookie, ...look });
  const block = opened.page.getByRole("link", { name: /Ana Torres/ });
  await block.waitFor();
  return { ...opened, agenda, block };
}

test.each([
  { theme: "light", soft: "rgb(223, 244, 241)" },
  { theme: "dark", soft: "rgb(15, 45, 43)" },
] as const)(
  "an appointment and its buffer have the colour of the service, $theme",
  async ({ theme, soft }) => {
    const { page, block, faults } = await openTeal({ theme });
    expect(await styleOf(block, "background-color")).toBe(soft);
    const buffer = page.getByTitle("Buffer of the appointment of Ana Torres");
    expect(await styleOf(buffer, "background-image")).toContain(soft);
    await page.getByRole("listitem").filter({ hasText: "Consultation" }).first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
  },
);

test("colours come from the agenda where the person asks for it, and the URL keeps it", async () => {
  const { page, block, agenda } = await openTeal({});
  await page.getByRole("button", { name: "View options" }).click();
  await page.getByRole("radiogroup", { name: "Colour by" }).getByText("Calendar").click();
  await page.waitForURL(/colour=agenda/);
  const hue = async () => await block.getAttribute("data-hue");
  await expect.poll(hue).toBe(hueOf(agenda.resourceId));
  expect(await findBarriers(page)).toEqual([]);
  await page.reload();
  expect(await block.getAttribute("data-hue")).toBe(hueOf(agenda.resourceId));
});

test("the form of an appointment shows its status; cancelled ones stay behind their filter", async () => {
  const { page, agenda, block } = await openTeal({});
  const book = async (time: string, name: string) =>
    await agenda.book({
      startTime: at(time),
      customer: { contact: { phone: freshPhone(), name } },
    });
  const rows = [
    await book("13:00", "Carmen"),
    await book("14:00", "Nora"),
    await book("15:00", "Zoe"),
  ];
  for (const [index, status] of ["completed", "no_show", "cancelled"].entries()) {
    await fixture.database.dataSource.query("UPDATE appointments SET status = ? WHERE id = ?", [
      status,
      rows[index]?.id,
    ]);
  }
  await page.reload();
  const named = (name: string) => page.getByRole("link", { name: new RegExp(name) });
  await named("Carmen").waitFor();
  const panel = "rgb(255, 255, 255)";
  expect(await styleOf(block, "background-color")).not.toBe(panel);
  expect(await styleOf(named("Carmen"), "background-color")).toBe(panel);
  expect(await styleOf(named("Nora").locator("b"), "text-decoration-line")).toBe("line-through");
  expect(await named("Zoe").count()).toBe(0);
  await page.getByRole("button", { name: "View options" }).click();
  await page.getByRole("switch", { name: "Cancelled ones too" }).click({ force: true });
  await named("Zoe").waitFor();
});

test("a week shows one agenda, some or all of them, side by side where they overlap", async () => {
  const { page, agenda } = await openTeal({});
  const { accountId } = agenda.account;
  const room = await createTestResource(fixture.database.dataSource, accountId, { name: "Room 2" });
  await agenda.book({
    resourceId: room,
    startTime: at("11:00"),
    customer: { contact: { phone: freshPhone(), name: "Benito" } },
  });
  await page.goto(`${fixture.api.url}/appointments?date=2030-03-05`);
  const chips = page.getByRole("group", { name: "Calendars" });
  const chip = (name: string) => chips.getByRole("button", { name, exact: true });
  const pressed = async (name: string) => await chip(name).getAttribute("aria-pressed");
  const benito = page.getByRole("link", { name: /Benito/ });
  const ana = page.getByRole("link", { name: /Ana Torres/ });
  await ana.waitFor();
  expect([await pressed("Dr. Lucía Peña"), await benito.count()]).toEqual(["true", 0]);
  await chip("Room 2").focus();
  await page.keyboard.press("Enter");
  await benito.waitFor();
  // Read at once, since the opening hours move both.
  const boxes = await ana.or(benito).evaluateAll((all) =>
    all.map((it) => {
      const { top, left, right } = it.getBoundingClientRect();
      return { top, left, right };
    }),
  );
  const [one, other, ...more] = boxes.toSorted((a, b) => a.left - b.left);
  expect(more).toEqual([]);
  expect(one?.top).toBe(other?.top);
  expect(Number(one?.right)).toBeLessThanOrEqual(Number(other?.left));
  await page.waitForURL(/agenda=all/);
  expect(await pressed("All calendars")).toBe("true");
  await chip("Room 2").click();
  await ana.waitFor({ state: "detached" });
  expect(await benito.count()).toBe(1);
  expect(await findBarriers(page)).toEqual([]);
});

test("the pointer shows the free time, cut where the next appointment begins; a click books it", async () => {
  const { page } = await openTeal({});
  const column = page.getByRole("region", { name: "Dr. Lucía Peña 2030-03-05" });
  const body = column.locator('[class*="_body_"]');
  const free = column.locator('[class*="_free_"]');
  let x = 60;
  // The pointer moves again until the time is there: a column that loads or scrolls moves under it.
  const expectFree = async (hour: number, time: string): Promise<void> => {
    await expect
      .poll(async () => {
        await body.hover({ position: { x: (x += 1), y: hour * hourPx + 1 } });
        return await free.getByText(time).count();
      })
      .toBe(1);
  };
  await expectFree(9.25, "9:15 – 9:45");
  await free.getByText("Click to book").waitFor();
  await expectFree(10.75, "10:45 – 11:00");
  await body.hover({ position: { x: 60, y: 11.6 * hourPx } });
  await free.waitFor({ state: "detached" });
  await expectFree(12, "12:00 – 12:30");
  await body.click({ position: { x: 60, y: 12 * hourPx + 1 } });
  const drawer = page.getByRole("dialog");
  expect(await drawer.getByLabel("Another time").inputValue()).toBe("12:00");
});

test("closed hours offer no free time", async () => {
  const { page } = await fixture.open(day);
  const column = page.getByRole("region", { name: "Dr. Lucía Peña 2030-03-05" });
  await column.getByText("Closed: Lunch").waitFor();
  const body = column.locator('[class*="_body_"]');
  const free = column.locator('[class*="_free_"]');
  // A time is shown at a move of the pointer, and the first one may come before the hours.
  const freeAt = async (hour: number, x: number): Promise<number> => {
    await body.hover({ position: { x, y: hourPx * hour } });
    return await free.count();
  };
  let x = 60;
  await expect.poll(async () => await freeAt(2, (x += 1))).toBe(1);
  await expect.poll(async () => await freeAt(4.5, (x += 1))).toBe(0);
});

test("a line shows the present time", async () => {
  const agenda = await createTestAgenda(fixture.database.dataSource);
  const { page } = await fixture.open("/appointments", { as: agenda.account.cookie });
  await page.locator('[class*="_now_"]').waitFor();
  expect(await page.locator('[aria-current="date"]').innerText()).toBe(
    String(new Date().getUTCDate()),
  );
});

test("the sidebar counts the appointments of the day, live, without cancelled ones", async () => {
  const agenda = await createTestAgenda(fixture.database.dataSource);
  const { page } = await fixture.open("/contacts", { as: agenda.account.cookie });
  const link = page.getByRole("link", { name: /^Appointments/ });
  await link.waitFor();
  expect(await link.innerText()).toBe("Appointments");
  const now = new Date();
  const startTime = new Date(now.getTime() + 60_000);
  const { id } = await agenda.book({ startTime, outsideHours: true });
  await link.getByText("1 appointment today").waitFor();
  const cancel = { cookie: agenda.account.cookie, body: {} };
  await fixture.api.call("POST", `/dashboard/api/appointments/${id}/cancel`, cancel);
  await link.getByText("1 appointment today").waitFor({ state: "detached" });
});

test("the colour of a service is chosen in its dialog, by keyboard", async () => {
  const { page, agenda } = await openTeal({});
  await page.goto(`${fixture.api.url}/appointments/setup`);
  await page.getByRole("button", { name: "Actions for Consultation" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog");
  const colours = dialog.getByRole("radiogroup", { name: "Colour" });
  expect(await colours.getByRole("radio").count()).toBe(9);
  await colours.getByRole("radio", { name: "Teal" }).focus();
  await page.keyboard.press("ArrowRight");
  expect(await colours.getByRole("radio", { name: "Moss" }).isChecked()).toBe(true);
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const { cookie } = agenda.account;
  const services = await fixture.api.call("GET", "/dashboard/api/services", { cookie });
  expect(services.json.data[0].hue).toBe("moss");
});

test("on a phone the day is a list with colours, and targets of 44 px", async () => {
  const { dataSource } = fixture.database;
  const agenda = await createTestAgenda(dataSource);
  await agenda.book();
  const { cookie } = agenda.account;
  const { page } = await fixture.open(day, { as: cookie, width: 390, theme: "dark" });
  const row = page.getByRole("button", { name: /Ana Torres/ });
  await row.waitFor();
  expect(Number((await row.boundingBox())?.height)).toBeGreaterThanOrEqual(44);
  const later = page.getByRole("button", { name: "Later" });
  expect(Number((await later.boundingBox())?.height)).toBeGreaterThanOrEqual(44);
  expect(await findBarriers(page)).toEqual([]);
});

test("an agent books and looks, and is not offered to set up", async () => {
  const { cookie } = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const page = (await fixture.open("/appointments", { as: cookie })).page;
  await page.getByText("No calendar yet").waitFor();
  expect(await page.getByRole("link", { name: "Set up" }).count()).toBe(0);
  await page.getByRole("link", { name: "Booking links" }).click();
  await page.getByText("No booking link yet").waitFor();
  expect(await page.getByRole("button", { name: /New booking|first/ }).count()).toBe(0);
});
