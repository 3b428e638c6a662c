import type { Page, Route } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { at, createTestResource, openFrom } from "../support/appointments.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
const day = "/appointments?view=day&date=2030-03-05";

beforeAll(async () => {
  const { database, account } = fixture;
  const weeklyHours = openFrom("09:00", "17:00");
  const id = await createTestResource(database.dataSource, account.accountId, { weeklyHours });
  const closure = { start_time: at("12:00"), end_time: at("13:00"), reason: "Lunch" };
  await fixture.call("POST", `/resources/${id}/closures`, closure);
});

/** Holds calls of a page. @returns a function that ends the hold and answers all calls. */
async function holdCalls(page: Page, url: string) {
  const held: Route[] = [];
  let answer = (route: Route): unknown => held.push(route);
  await page.route(url, async (route) => void (await answer(route)));
  return async (next: (route: Route) => Promise<void>): Promise<void> => {
    answer = next;
    await Promise.all(held.splice(0).map(next));
  };
}

/** Opens the day and holds its opening times. */
async function openHeld(options: { width?: number } = {}) {
  const { page } = await fixture.open("/appointments/links", options);
  const answerOpenings = await holdCalls(page, "**/dashboard/api/opening-times?*");
  await page.goto(fixture.api.url + day);
  return { page, answerOpenings };
}

test("a calendar says Closed only once its opening times are known, and a failure can be retried", async () => {
  const { page, answerOpenings } = await openHeld();
  const column = page.getByRole("region", { name: "Dr. Lucía Peña 2030-03-05" });
  await column.waitFor();
  expect(await column.getByText("Closed").count()).toBe(0);
  const error = { code: "internal", message: "No.", details: null };
  let failures = 0;
  await answerOpenings(async (route) => {
    failures += 1;
    await route.fulfill({ status: 500, json: { error } });
  });
  const told = page.getByRole("alert").filter({ hasText: "This could not be loaded" });
  await told.waitFor();
  expect(await column.getByText("Closed").count()).toBe(0);
  const before = failures;
  await told.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => failures).toBeGreaterThan(before);
  await answerOpenings(async (route) => await route.continue());
  // A change of the agenda may have the page read again before the click.
  const lunch = column.getByText("Closed: Lunch");
  await told.getByRole("button", { name: "Try again" }).or(lunch).click({ force: true });
  await lunch.waitFor();
  expect(await told.count()).toBe(0);
});

test("another day on a phone is neither closed nor empty before it is read", async () => {
  const { page, answerOpenings } = await openHeld({ width: 390 });
  const nothing = page.getByText("No appointments on this day.");
  await nothing.waitFor();
  const closed = page.getByText("Closed all day.");
  expect(await closed.count()).toBe(0);
  const answerLists = await holdCalls(page, "**/dashboard/api/appointments?*");
  await page.getByRole("button", { name: "Later" }).click();
  await page.waitForURL(/date=2030-03-06/);
  await page.getByRole("status", { name: "Loading" }).waitFor();
  expect(await nothing.count()).toBe(0);
  await answerLists(async (route) => await route.continue());
  await nothing.waitFor();
  expect(await closed.count()).toBe(0);
  await answerOpenings(async (route) => await route.continue());
  await page.getByText("Open 9:00–17:00").waitFor();
});
