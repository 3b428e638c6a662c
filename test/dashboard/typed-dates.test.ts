import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestAgenda } from "../support/appointments.ts";
import { startDashboard, type DashboardScene } from "../support/dashboard.ts";

let scene: DashboardScene;

beforeAll(async () => {
  scene = await startDashboard();
});

afterAll(async () => await scene.stop());

test("a year is typed into a date field, on the calendar and where a time is chosen", async () => {
  const agenda = await createTestAgenda(scene.database.dataSource);
  const { page, faults } = await scene.open("/appointments?view=day&date=2030-03-05", {
    as: agenda.account.cookie,
  });
  /** The field stands on the month at first, and goes on to the day and the year. */
  const type = async (field: Locator, date: string): Promise<void> => {
    await field.focus();
    await page.keyboard.type(date);
  };
  const date = page.getByLabel("Date", { exact: true });
  await type(date, "04092031");
  await page.getByRole("heading", { name: /^Wednesday,? 9 April 2031$/ }).waitFor();
  expect(new URL(page.url()).searchParams.get("date")).toBe("2031-04-09");
  await page.getByRole("button", { name: "Earlier" }).click();
  await expect.poll(async () => await date.inputValue()).toBe("2031-04-08");

  await page.getByRole("button", { name: "New appointment" }).click();
  const drawer = page.getByRole("dialog");
  await type(drawer.getByLabel("Date"), "04102031");
  await expect.poll(async () => await drawer.getByLabel("Date").inputValue()).toBe("2031-04-10");
  await drawer.getByText("8:00", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});
