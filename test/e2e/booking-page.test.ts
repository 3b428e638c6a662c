import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestLink, weekOf, type TestLink } from "../api/booking/booking-fixture.ts";
import { startApiFixture, type ApiFixture } from "../api/api-fixture.ts";
import { startBrowser, type TestBrowser } from "../support/browser.ts";
import { createNamespace, startTestWorker, type TestWorker } from "../support/worker.ts";
import { shortWaits } from "./delivery-fixture.ts";

let fixture: ApiFixture;
let browser: TestBrowser;
let worker: TestWorker;
const timeZone = "America/Tijuana";
const phone = { width: 390, height: 844 };

beforeAll(async () => {
  [fixture, browser] = await Promise.all([
    startApiFixture({ TRUST_PROXY: "true" }),
    startBrowser(),
  ]);
  worker = await startTestWorker(fixture.database, await createNamespace(), {
    waitsMs: shortWaits,
  });
});

afterAll(async () => {
  await browser.stop();
  await worker.stop();
  await fixture.stop();
});

async function createClinic(): Promise<TestLink> {
  return await createTestLink(fixture, {
    timeZone,
    weeklyHours: weekOf([
      { from: "09:00", to: "14:00" },
      { from: "16:00", to: "19:00" },
    ]),
  });
}

async function fill(page: Page, who: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(who)) await page.getByLabel(label).fill(text);
}

/** Nothing sticks out at the side, and everything to touch is large enough for a thumb. */
async function requireFits(page: Page): Promise<void> {
  const scrolls = await page.evaluate("document.documentElement.scrollWidth > window.innerWidth");
  expect(scrolls).toBe(false);
  const touched = "main button, .button, .field input:not([type=hidden]), .slots a, .slots label";
  // The times of the other days of the week are hidden.
  for (const one of await page.locator(touched).filter({ visible: true }).all()) {
    expect((await one.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
}

/** Clicks, and waits for the page behind it. */
async function follow(page: Page, place: Locator): Promise<void> {
  const loaded = page.waitForEvent("load");
  await place.click();
  await loaded;
}

/** A failure shows the heading of the page that came instead. */
async function requireHeading(page: Page, text: string): Promise<void> {
  const heading = page.getByRole("heading", { level: 1 });
  await expect.poll(async () => await heading.textContent(), { timeout: 30_000 }).toBe(text);
}

test("on a phone a customer books, moves and cancels an appointment", async () => {
  const link = await createClinic();
  const { page, faults } = await browser.openPage({ ...phone, locale: "en-US", timeZone });
  await page.goto(`${fixture.api.url}/book/${link.slug}`);
  await requireFits(page);
  const time = page.locator(".slots a:visible").first();
  const label = (await time.textContent())?.trim() ?? "";
  await follow(page, time);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Your details");
  await requireFits(page);

  await fill(page, { Name: "Ana Torres", Email: "ana@" });
  await page.getByRole("button", { name: "Book this time" }).click();
  await page.getByText("Use an email address such as").waitFor();
  await requireFits(page);
  expect(await page.getByLabel("Name").inputValue()).toBe("Ana Torres");

  await fill(page, { Phone: "+52 664 123 4567", Email: "ana@example.com" });
  await page.getByRole("button", { name: "Book this time" }).click();
  await requireHeading(page, "You are booked");
  await requireFits(page);
  expect(await page.locator("dl").textContent()).toContain(label);
  expect(page.url()).toMatch(/\/a\/[0-9A-Za-z]{26}$/);
  expect(await link.appointments()).toMatchObject([{ status: "confirmed", source: "enlace" }]);

  const [{ id } = { id: 0 }] = await link.appointments();
  await follow(page, page.getByRole("link", { name: "Move" }));
  await requireFits(page);
  const next = page.locator(".slots a:visible").last();
  const nextLabel = (await next.textContent())?.trim() ?? "";
  await follow(page, next);
  await requireFits(page);
  await page.getByRole("button", { name: "Move it" }).click();
  await requireHeading(page, "You are booked");
  expect(await page.locator("dl").textContent()).toContain(nextLabel);
  expect(await link.appointments()).toMatchObject([{ id, status: "confirmed" }]);
  expect(await link.events()).toEqual([
    "contact.created",
    "appointment.created",
    "appointment.rescheduled",
  ]);

  await follow(page, page.getByRole("link", { name: "Cancel the appointment" }));
  await requireFits(page);
  expect(await link.appointments()).toMatchObject([{ status: "confirmed" }]);
  await page.getByRole("button", { name: "Yes, cancel it" }).click();
  await requireHeading(page, "This appointment is cancelled");
  expect(await link.appointments()).toMatchObject([{ status: "cancelled" }]);
  // The browser notes the answer to the email that was wrong.
  expect(faults).toEqual([expect.stringContaining("status of 400")]);
});

test("a customer whose time is taken meanwhile chooses another one and types nothing again", async () => {
  const link = await createClinic();
  const { page, faults } = await browser.openPage({ ...phone, locale: "es-MX", timeZone });
  await page.goto(`${fixture.api.url}/book/${link.slug}`);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Elige una hora");
  await follow(page, page.locator(".slots a:visible").first());
  await fill(page, { Nombre: "Luis Peña", Teléfono: "6641234567" });
  await link.book();
  await page.getByRole("button", { name: "Reservar esta hora" }).click();
  await page.getByText("Esa hora ya no está libre.").waitFor();
  await requireFits(page);
  expect(await page.getByLabel("Nombre").inputValue()).toBe("Luis Peña");
  await page.getByRole("radio").first().check();
  await page.getByRole("button", { name: "Reservar esta hora" }).click();
  await requireHeading(page, "Tu cita está confirmada");
  expect(await link.appointments()).toHaveLength(2);
  expect(faults).toEqual([expect.stringContaining("status of 409")]);
});
