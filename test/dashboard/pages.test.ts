import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { en } from "../../dashboard/src/locales/en/index.ts";
import { createTestSubscription } from "../support/accounts.ts";
import { at, createTestResource, createTestService, openFrom } from "../support/appointments.ts";
import { findBarriers, type PageOptions } from "../support/browser.ts";
import { startDashboard, type DashboardScene } from "../support/dashboard.ts";
import { flattenTexts } from "../support/texts.ts";

let scene: DashboardScene;

beforeAll(async () => {
  scene = await startDashboard();
  await scene.call("POST", "/invitations", { email: "luis@example.com", role: "agent" });
  const url = "https://hooks.example.com/parley";
  await createTestSubscription(scene.database.dataSource, scene.account.accountId, { url });
  const { accountId } = scene.account;
  const weekdaysOnly = { ...openFrom("09:00", "17:00"), sunday: [] };
  const resource = await createTestResource(scene.database.dataSource, accountId, {
    weeklyHours: weekdaysOnly,
  });
  await createTestService(scene.database.dataSource, accountId);
  const from = "5215512345678";
  const board = { name: "Sales", stages: ["New", "Won"], default: true };
  await scene.call("POST", "/pipelines", board);
  const name = `${"Wolfeschlegelsteinhausenbergerdorff ".repeat(5)}😀`;
  for (const text of ["Hello", "مرحبا، هل لديكم طاولة؟", "x".repeat(300)]) {
    await scene.call("POST", "/sandbox/messages", { channel: "whatsapp", from, name, text });
  }
  await scene.call("POST", `/resources/${resource}/closures`, {
    start_time: at("12:00"),
    end_time: at("13:00"),
    reason: "Lunch",
  });
  await scene.call("POST", "/booking-links", { title: "Book a visit", resource_id: resource });
  const booking = { resource_id: resource, contact_id: 1, duration_minutes: 45 };
  for (const time of ["09:00", "10:30"]) {
    await scene.call("POST", "/appointments", { ...booking, start_time: at(time) });
  }
  await scene.call("POST", "/appointments/2/cancel", { reason: "Ill" });
  await scene.call("POST", "/conversations/1/notes", { text: "Prefers the terrace" });
  await scene.call("POST", "/conversations/1/messages", { content: "Good evening!" });
  await scene.call("POST", "/sandbox/messages", { channel: "web", from: "visitor-7", text: "Hi" });
});

afterAll(async () => await scene.stop());

/** Every page, with who opens it and the heading that it has in English and in Spanish. */
const pages = [
  {
    path: "/login",
    loggedIn: false,
    headings: { en: "Log in to Parley", es: "Inicia sesión en Parley" },
  },
  {
    path: "/link#token=none",
    loggedIn: false,
    headings: { en: "This link opens nothing", es: "Este enlace no abre nada" },
  },
  { path: "/inbox", loggedIn: true, headings: { en: "Inbox", es: "Bandeja" } },
  { path: "/inbox/1?view=all", loggedIn: true, headings: { en: "Wolfe", es: "Wolfe" } },
  { path: "/contacts", loggedIn: true, headings: { en: "Contacts", es: "Contactos" } },
  { path: "/contacts/1", loggedIn: true, headings: { en: "Wolfe", es: "Wolfe" } },
  { path: "/pipelines", loggedIn: true, headings: { en: "Pipelines", es: "Embudos" } },
  {
    path: "/appointments?date=2030-03-05&all=1",
    loggedIn: true,
    headings: { en: "Appointments", es: "Citas" },
  },
  {
    path: "/appointments?view=day&date=2030-03-05&appointment=1&move=1",
    loggedIn: true,
    headings: { en: "Appointments", es: "Citas" },
  },
  {
    path: "/appointments/links",
    loggedIn: true,
    headings: { en: "Booking links", es: "Enlaces de reserva" },
  },
  {
    path: "/appointments/setup",
    loggedIn: true,
    headings: { en: "What can be booked", es: "Qué se puede reservar" },
  },
  { path: "/api-keys", loggedIn: true, headings: { en: "API keys", es: "Claves de API" } },
  { path: "/webhooks", loggedIn: true, headings: { en: "Webhooks", es: "Webhooks" } },
  {
    path: "/webhooks/1?delivery=1",
    loggedIn: true,
    headings: { en: "hooks.example.com", es: "hooks.example.com" },
  },
  { path: "/settings/users", loggedIn: true, headings: { en: "People", es: "Personas" } },
  { path: "/settings/profile", loggedIn: true, headings: { en: "Your profile", es: "Tu perfil" } },
  {
    path: "/inbox/nothing/here",
    loggedIn: true,
    headings: { en: "There is no page here", es: "Aquí no hay ninguna página" },
  },
] as const;

const looks = [
  { language: "en", theme: "light", width: 1440, height: 900 },
  { language: "es", theme: "dark", width: 1440, height: 900 },
  { language: "es", theme: "light", width: 820, height: 1180 },
  { language: "es", theme: "light", width: 390, height: 844 },
  { language: "en", theme: "dark", width: 390, height: 844 },
] as const satisfies (PageOptions & { language: "en" | "es" })[];

const cases = pages.flatMap((one) => looks.map((look) => ({ ...one, ...look })));

test.each(cases)(
  "$path in $language, $theme, at $width px: nothing overflows, nothing is untranslated, nobody is kept out",
  async ({ path, loggedIn, headings, language, ...look }) => {
    await scene.call("PATCH", "/me", { locale: language });
    const locale = language === "es" ? "es-MX" : "en-US";
    const who = loggedIn ? {} : { as: null };
    const { page, faults } = await scene.open(path, { ...look, ...who, locale });
    await page.getByRole("heading", { name: headings[language], level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await untranslated(page)).toEqual([]);
    expect(await findBarriers(page)).toEqual([]);
    // A browser writes down what is refused: the look at who is logged in, the link of nothing.
    expect(faults.filter((fault) => !/401|404/.test(fault) || loggedIn)).toEqual([]);
    await page.context().close();
  },
);

async function overflow(page: Page): Promise<number> {
  return await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
}

const keys = flattenTexts(en).map(([key]) => key);

/** Keys that stand where their text should. */
async function untranslated(page: Page): Promise<string[]> {
  const text = await page.locator("body").innerText();
  return keys.filter((key) => text.includes(key));
}
