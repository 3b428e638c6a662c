import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  findBarriers,
  keepApart,
  startBrowser,
  type PageOptions,
  type TestBrowser,
} from "../../support/browser.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { createResource, createTestLink, weekOf, type TestLink } from "./booking-fixture.ts";

const fixture = useFixture(async () => await startApiFixture());
let browser: TestBrowser;
const hours = weekOf([{ from: "09:00", to: "18:00" }]);
const timeZone = "America/Mexico_City";

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(async () => await browser.stop());

/** A link of a company that has chosen a pale accent. */
async function createCompany(): Promise<TestLink> {
  const link = await createTestLink(fixture, { timeZone, weeklyHours: hours });
  const settings = {
    booking_name: "Sonrisa Dental",
    booking_address: "Av. Reforma 222, piso 4",
    booking_accent: "#ffcc00",
    reminder_hours_before: 24,
  };
  const { cookie } = link.account;
  await fixture.api.call("PATCH", "/dashboard/api/account", { cookie, body: { settings } });
  return link;
}

async function open(link: TestLink, options: PageOptions & { script?: boolean } = {}) {
  const { script = true, ...look } = options;
  const opened = await browser.openPage({ timeZone, ...look });
  keepApart(opened.page);
  const debug = await opened.page.context().newCDPSession(opened.page);
  const switchScript = async (on: boolean): Promise<void> => {
    await debug.send("Emulation.setScriptExecutionDisabled", { value: !on });
  };
  await switchScript(script);
  await opened.page.goto(`${fixture.api.url}/book/${link.slug}`);
  const requireClean = async (): Promise<void> => {
    // The checker is a script itself. A page that is there does not run its own later.
    await switchScript(true);
    expect(await overflow(opened.page)).toBeLessThanOrEqual(0);
    expect(await findBarriers(opened.page)).toEqual([]);
    await switchScript(script);
  };
  return { ...opened, requireClean };
}

const overflow = async (page: Page) =>
  await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");

/** The second day of the week that has free times, and its first time. */
async function chooseDay(page: Page) {
  await page.locator(".strip a").nth(1).click();
  return page.locator(".day:visible .slots a").first();
}

async function fillIn(page: Page): Promise<void> {
  await page.locator("#name").fill("Ana Torres");
  await page.locator("#email").fill("ana@example.com");
  await page.locator("form button").click();
}

test.each([
  { width: 390, theme: "light", locale: "es-MX", script: true },
  { width: 390, theme: "dark", locale: "en-US", script: false },
  { width: 1440, theme: "dark", locale: "es-MX", script: true },
  { width: 1440, theme: "light", locale: "en-US", script: false },
] as const)(
  "a customer chooses a day and a time, books and cancels: $width px, $theme, $locale, script $script",
  async (look) => {
    const link = await createCompany();
    await createResource(fixture, link.account.accountId, { resourceName: "Dr. Iván Ruiz" });
    const { page, faults, requireClean } = await open(link, look);
    await page.getByText("Sonrisa Dental").first().waitFor();
    expect(await page.locator(".day:visible").count()).toBe(1);
    await requireClean();
    const time = await chooseDay(page);
    expect(await page.locator(".day:visible").count()).toBe(1);
    expect(Number((await time.boundingBox())?.height)).toBeGreaterThanOrEqual(44);
    await time.click();
    await page.locator(".bar b").waitFor();
    expect(await page.locator(".bar").innerText()).toContain("Dr. Lucía Peña");
    await requireClean();
    await fillIn(page);
    const confirmed = look.locale === "es-MX" ? "Tu cita está confirmada" : "You are booked";
    await page.getByRole("heading", { level: 1, name: confirmed }).waitFor();
    await page.getByText("Av. Reforma 222").first().waitFor();
    await requireClean();
    await page.locator(".under .bad").click();
    await page.locator("button.danger").click();
    await page.getByRole("heading", { level: 1, name: /cancelada|is cancelled/ }).waitFor();
    await requireClean();
    expect((await link.appointments()).map(({ status }) => status)).toEqual(["cancelled"]);
    expect(faults).toEqual([]);
  },
);

test("the script shows times in the visitor's zone, with a way to the company's and back", async () => {
  const link = await createCompany();
  const { page } = await open(link, { timeZone: "Asia/Tokyo" });
  await page.waitForURL(/tz=Asia%2FTokyo/);
  await page.getByText("(Tokyo)").waitFor();
  // Nine o'clock in Mexico City is midnight in Tokyo. The first day has begun, so it may lack it.
  expect(await (await chooseDay(page)).innerText()).toBe("12:00 AM");
  await page.getByRole("link", { name: "Show the times of Mexico City" }).click();
  await page.getByText("(Mexico City)").waitFor();
  expect(await (await chooseDay(page)).innerText()).toBe("9:00 AM");
  await page.getByRole("link", { name: "Show my local times" }).click();
  await page.getByText("(Tokyo)").waitFor();
});

test("without a script the times are those of the company's zone, which is named", async () => {
  const link = await createCompany();
  const { page } = await open(link, { timeZone: "Asia/Tokyo", script: false });
  await page.getByText("(Mexico City)").waitFor();
  expect(page.url()).not.toContain("tz=");
  expect(await page.getByText("Show my local times").isVisible()).toBe(false);
});

test("a time that somebody else takes meanwhile is told of, with other times and all that was typed", async () => {
  const link = await createCompany();
  const { page, faults } = await open(link, { width: 390 });
  await page.locator(".day:visible .slots a").first().click();
  await link.book();
  await fillIn(page);
  await page.getByRole("alert").getByText("no longer free").waitFor();
  expect(await page.locator("#name").inputValue()).toBe("Ana Torres");
  expect(await page.getByRole("radio").count()).toBeGreaterThan(0);
  expect(await findBarriers(page)).toEqual([]);
  // The browser writes down that the answer was a 409.
  expect(faults.filter((fault) => !fault.includes("409"))).toEqual([]);
});

test("a time that is over by now is told of in the same way", async () => {
  const link = await createCompany();
  const { page } = await open(link);
  await page.goto(
    `${fixture.api.url}/book/${link.slug}/new?service=${link.serviceId}&slot=${link.resourceId}-1600000000`,
  );
  await page.getByRole("alert").getByText("no longer free").waitFor();
  expect(await page.getByRole("radio").count()).toBeGreaterThan(0);
});
