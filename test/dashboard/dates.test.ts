import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestAgenda, type TestAgenda } from "../support/appointments.ts";
import { startDashboard, type DashboardScene } from "../support/dashboard.ts";

let scene: DashboardScene;
let agenda: TestAgenda;
let bookedId: number;

beforeAll(async () => {
  scene = await startDashboard();
  agenda = await createTestAgenda(scene.database.dataSource);
  bookedId = (await agenda.book()).id;
  const { cookie } = agenda.account;
  const body = { time_zone: "America/Mexico_City" };
  await scene.api.call("PATCH", "/dashboard/api/account", { cookie, body });
});

afterAll(async () => await scene.stop());

test.each([
  { language: "en", when: "Tue 5 Mar 2030, 10:00–10:30 (Mexico City)", day: "5 March 2030" },
  { language: "es", when: "mar 5 mar 2030, 10:00–10:30 (Mexico City)", day: "5 de marzo de 2030" },
])("dates read the same way everywhere, $language", async ({ language, when, day }) => {
  const { cookie } = agenda.account;
  const body = { locale: language };
  await scene.api.call("PATCH", "/dashboard/api/me", { cookie, body });
  const path = `/appointments?view=day&date=2030-03-05&appointment=${bookedId}`;
  // The browser's own language plays no part.
  const { page } = await scene.open(path, { as: cookie, locale: "de-DE" });
  await page.getByRole("dialog").getByText(when, { exact: true }).waitFor();
  const heading = page.getByRole("heading", { name: new RegExp(`${day}$`), includeHidden: true });
  expect(await heading.count()).toBe(1);
  expect(await page.locator("body").innerText()).not.toContain("America/");
});
