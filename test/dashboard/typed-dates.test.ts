import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { readWall, writtenWall } from "../../dashboard/src/lib/typed-wall.ts";
import { createTestAgenda, type TestAgenda } from "../support/appointments.ts";
import { expectFocus, findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let agenda: TestAgenda;

beforeAll(async () => {
  agenda = await createTestAgenda(fixture.database.dataSource);
});

test.each([
  ["date", "24/11/2026", "2026-11-24"],
  ["date", " 5.3.2030 ", "2030-03-05"],
  ["date", "2030-03-05", "2030-03-05"],
  ["date", "30/02/2030", null],
  ["date", "03/24/2030", null],
  ["date", "05/03/30", null],
  ["date", "", null],
  ["time", "7:15", "07:15"],
  ["time", "23.59", "23:59"],
  ["time", "24:00", null],
  ["time", "7:60", null],
  ["datetime", "05/03/2030 9:00", "2030-03-05T09:00"],
  ["datetime", "05/03/2030, 09:00", "2030-03-05T09:00"],
  ["datetime", "2030-03-05T09:00", "2030-03-05T09:00"],
  ["datetime", "05/03/2030", null],
] as const)("a written %s, %j, is read as %j", (kind, text, wall) => {
  expect(readWall(kind, text)).toBe(wall);
  expect(readWall(kind, writtenWall(wall ?? text))).toBe(wall);
});

/** Takes the place of what stands in the field, by keyboard alone. */
async function type(page: Page, field: Locator, text: string): Promise<void> {
  await field.focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(text);
}

test.each([
  {
    language: "en",
    form: "dd/mm/yyyy",
    options: "View options",
    label: "Date",
    day: "9 April 2031",
    back: "Earlier",
    heading: /^Wednesday,? 9 April 2031$/,
  },
  {
    language: "es",
    form: "dd/mm/aaaa",
    options: "Opciones de vista",
    label: "Fecha",
    day: "9 abril 2031",
    back: "Antes",
    heading: /^miércoles,? 9 de abril de 2031$/,
  },
])("a day is typed in the Dashboard's language, not the browser's, $language", async (words) => {
  const { cookie } = agenda.account;
  await fixture.api.call("PATCH", "/dashboard/api/me", {
    cookie,
    body: { locale: words.language },
  });
  const { page, faults } = await fixture.open("/appointments?view=day&date=2030-03-05", {
    as: cookie,
    locale: "en-US",
  });
  const options = page.getByRole("button", { name: words.options });
  await options.click();
  const date = page.getByRole("textbox", { name: words.label, exact: true });
  await expect.poll(async () => await date.inputValue()).toBe("05/03/2030");
  expect(await date.getAttribute("placeholder")).toBe(words.form);

  await type(page, date, "31/02/2031");
  await page.keyboard.press("Tab");
  expect(await date.getAttribute("aria-invalid")).toBe("true");
  const told = page.locator(`#${await date.getAttribute("aria-describedby")}`);
  expect(await told.innerText()).toContain(`${words.form}, `);

  // What cannot be read gives way to the day that is shown next.
  await page.getByRole("button", { name: words.back, exact: true }).click();
  await options.click();
  await expect.poll(async () => await date.inputValue()).toBe("04/03/2030");

  // The calendar always shows a day, so its field has one.
  await date.fill("");
  await page.keyboard.press("Tab");
  await expect.poll(async () => await date.inputValue()).toBe("04/03/2030");

  await type(page, date, "9/4/2031");
  await page.getByRole("heading", { name: words.heading }).waitFor();
  expect(await date.getAttribute("aria-invalid")).toBe(null);
  expect(new URL(page.url()).searchParams.get("date")).toBe("2031-04-09");
  await page.keyboard.press("Tab");
  expect(await date.inputValue()).toBe("09/04/2031");

  await page.keyboard.press("Enter");
  await expectFocus(page.getByRole("button", { name: words.day, exact: true }));
  expect(await findBarriers(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("a day of the calendar is picked by mouse; Escape closes first the days, then the options", async () => {
  const { cookie } = agenda.account;
  await fixture.api.call("PATCH", "/dashboard/api/me", { cookie, body: { locale: "en" } });
  const { page, faults } = await fixture.open("/appointments?view=day&date=2030-03-05", {
    as: cookie,
  });
  const options = page.getByRole("button", { name: "View options" });
  await options.click();
  const date = page.getByRole("textbox", { name: "Date", exact: true });
  const opener = page.getByRole("button", { name: "Open the calendar of “Date”" });
  await opener.click();
  await expectFocus(page.getByRole("button", { name: "5 March 2030", exact: true }));
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await page.getByRole("button", { name: "9 April 2030", exact: true }).click();
  await page.getByRole("heading", { name: /^Tuesday,? 9 April 2030$/ }).waitFor();
  expect(await date.inputValue()).toBe("09/04/2030");
  expect(await findBarriers(page)).toEqual([]);

  await opener.click();
  const chosen = page.getByRole("button", { name: "9 April 2030", exact: true });
  await expectFocus(chosen);
  await page.keyboard.press("Escape");
  await chosen.waitFor({ state: "detached" });
  await expectFocus(opener);
  expect(await date.isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  await date.waitFor({ state: "detached" });
  await expectFocus(options);
  expect(faults).toEqual([]);
});

test("a day is picked by keyboard; Escape closes the calendar alone; a time that is there stays", async () => {
  const { cookie } = agenda.account;
  await fixture.api.call("PATCH", "/dashboard/api/me", { cookie, body: { locale: "es" } });
  const { page, faults } = await fixture.open("/appointments/setup", {
    as: cookie,
    locale: "en-US",
    theme: "dark",
  });
  await page.getByRole("button", { name: "Cierres", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: /^Cierres de/ });
  const [from, until] = [
    dialog.getByLabel("Cerrado desde", { exact: true }),
    dialog.getByLabel("Hasta", { exact: true }),
  ];
  await type(page, from, "05/03/2030 9:00");
  await page.keyboard.press("Tab");
  await expect.poll(async () => await from.inputValue()).toBe("05/03/2030 09:00");

  // The focus is on the button of the calendar by now.
  const opener = dialog.getByRole("button", { name: "Abrir el calendario de «Cerrado desde»" });
  await page.keyboard.press("Enter");
  const chosen = page.getByRole("button", { name: "5 marzo 2030", exact: true });
  await expectFocus(chosen);
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await chosen.waitFor({ state: "detached" });
  await expectFocus(opener);
  expect(await dialog.isVisible()).toBe(true);

  await page.keyboard.press("Enter");
  await expectFocus(chosen);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(async () => await from.inputValue()).toBe("12/03/2030 09:00");
  await expectFocus(opener);

  // What cannot be read is not sent.
  await type(page, until, "12/03/2030");
  await page.keyboard.press("Enter");
  await dialog.getByText("dd/mm/aaaa hh:mm, por ejemplo 24/11/2026 16:30").waitFor();
  expect(await closures()).toEqual([]);
  expect(await findBarriers(page)).toEqual([]);
  await type(page, until, "12/03/2030 10:30");
  await page.keyboard.press("Enter");
  await expect
    .poll(closures)
    .toMatchObject([
      { start_time: "2030-03-12T09:00:00.000Z", end_time: "2030-03-12T10:30:00.000Z" },
    ]);
  expect(faults).toEqual([]);
});

test("the moment at which a key expires is typed, in the browser's time", async () => {
  const { cookie } = agenda.account;
  await fixture.api.call("PATCH", "/dashboard/api/me", { cookie, body: { locale: "en" } });
  const { page } = await fixture.open("/api-keys", { as: cookie });
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Passing");
  await dialog.getByLabel("List, search and read contacts").check();
  await type(page, dialog.getByLabel("Expires", { exact: true }), "05/03/2030 16:30");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Done" }).waitFor();
  const keys = (await fixture.api.call("GET", "/dashboard/api/api-keys", { cookie })).json.data;
  const expected = await page.evaluate(() => new Date("2030-03-05T16:30").toISOString());
  expect(keys).toContainEqual(expect.objectContaining({ name: "Passing", expires_at: expected }));
});

async function closures(): Promise<unknown> {
  const { cookie } = agenda.account;
  const path = `/dashboard/api/resources/${agenda.resourceId}/closures`;
  return (await fixture.api.call("GET", path, { cookie })).json.data;
}
