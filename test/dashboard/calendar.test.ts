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
import { styleOf } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
const day = "/appointments?view=day&date=2030-03-05";
const hourPx = 56;

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
  const drawn = column.getByTitle("Buffer of the appointment of Benito");
  const heights = await Promise.all(
    (await drawn.all()).map(async (one) => (await one.boundingBox())?.height),
  );
  expect(heights).toEqual([hourPx / 4, hourPx / 2]);
  expect(await styleOf(drawn.first(), "background-image")).toContain("rgb(210, 212, 220)");
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
  const bottomOf = async (part: string) => {
    const box = await column.locator(`[class*="_${part}_"]`).last().boundingBox();
    return Number(box?.y) + Number(box?.height);
  };
  await column.getByTitle("Buffer of the appointment of Ana Torres").waitFor();
  expect(await bottomOf("buffer")).toBeLessThanOrEqual(await bottomOf("body"));
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
  await page.getByRole("combobox", { name: "Calendar" }).click();
  await page.getByRole("option", { name: "Room 2" }).click();
  const other = page.getByRole("region", { name: "Dr. Lucía Peña 2030-03-06" });
  await other.waitFor({ state: "detached" });
  expect(await start()).toEqual(["06/03/2030", "Room 2"]);
  // A day that is over has no times to book.
  await page.goto(`${fixture.api.url}/appointments?view=day&date=2020-03-05`);
  const today = new Date().toISOString().slice(0, 10).split("-").toReversed().join("/");
  expect((await start())[0]).toBe(today);
});
