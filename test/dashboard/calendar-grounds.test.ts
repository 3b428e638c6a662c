import { readFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listFiles } from "../../core/source-hash.ts";
import { dashboardBuild } from "../../dev/dashboard-build.ts";
import { at, createTestResource, openFrom } from "../support/appointments.ts";
import { styleOf } from "../support/browser.ts";
import { startDashboard, type DashboardScene } from "../support/dashboard.ts";

let scene: DashboardScene;

beforeAll(async () => {
  scene = await startDashboard();
  const { database, account } = scene;
  const weeklyHours = openFrom("09:00", "17:00");
  const id = await createTestResource(database.dataSource, account.accountId, { weeklyHours });
  const closure = { start_time: at("12:00"), end_time: at("13:00"), reason: "Lunch" };
  await scene.call("POST", `/resources/${id}/closures`, closure);
});

afterAll(async () => await scene.stop());

/** A day of the calendar and its parts: closed hours are the ground of the whole day. */
async function openDay(theme: "light" | "dark") {
  const { page } = await scene.open("/appointments?view=day&date=2030-03-05", { theme });
  const day = page.getByRole("region", { name: "Dr. Lucía Peña 2030-03-05" });
  await day.getByText("Closed: Lunch").waitFor();
  const part = (name: string): Locator => day.locator(`[class*="_${name}_"]`).first();
  return { closed: part("body"), open: part("open"), closure: part("closure") };
}

test.each([
  { theme: "light", closedGround: "rgb(240, 240, 244)", openGround: "rgb(255, 255, 255)" },
  { theme: "dark", closedGround: "rgb(15, 16, 19)", openGround: "rgb(23, 24, 28)" },
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
