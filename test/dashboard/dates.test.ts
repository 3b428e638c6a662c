import { beforeAll, expect, test } from "vitest";
import { createTestAgenda, type TestAgenda } from "../support/appointments.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let agenda: TestAgenda;
let bookedId: number;

beforeAll(async () => {
  agenda = await createTestAgenda(fixture.database.dataSource);
  bookedId = (await agenda.book()).id;
  const { cookie } = agenda.account;
  const body = { time_zone: "America/Mexico_City" };
  await fixture.api.call("PATCH", "/dashboard/api/account", { cookie, body });
});

test.each([
  { language: "en", when: "Tue 5 Mar 2030, 10:00–10:30 (Mexico City)", day: "5 March 2030" },
  { language: "es", when: "mar 5 mar 2030, 10:00–10:30 (Mexico City)", day: "5 de marzo de 2030" },
])("dates read the same way everywhere, $language", async ({ language, when, day }) => {
  const { cookie } = agenda.account;
  const body = { locale: language };
  await fixture.api.call("PATCH", "/dashboard/api/me", { cookie, body });
  const path = `/appointments?view=day&date=2030-03-05&appointment=${bookedId}`;
  // The browser's own language plays no part.
  const { page } = await fixture.open(path, { as: cookie, locale: "de-DE" });
  await page.getByRole("dialog").getByText(when, { exact: true }).waitFor();
  const heading = page.getByRole("heading", { name: new RegExp(`${day}$`), includeHidden: true });
  expect(await heading.count()).toBe(1);
  expect(await page.locator("body").innerText()).not.toContain("America/");
});
