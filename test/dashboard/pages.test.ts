import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { eventTypes } from "../../core/model/event-types.ts";
import { en } from "../../dashboard/src/locales/en/index.ts";
import { ensureWidget } from "../../dev/build/widget-build.ts";
import type { TestAccount } from "../support/accounts.ts";
import { findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { looksAt } from "../support/looks.ts";
import { flattenTexts } from "../support/texts.ts";
import { createPageAccounts, fillings, type Filling } from "./page-accounts.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(async () => {
  // The preview of a web chat is a frame of the same installation.
  await ensureWidget(() => undefined);
  return await startDashboard((url) => ({ PUBLIC_URL: url }));
});
let accounts: Record<Filling, TestAccount>;

beforeAll(async () => {
  accounts = await createPageAccounts(fixture);
});

/** A phone shows one day of the calendar, in short words beside the button. */
const phoneDay = { en: /^Tue,? 5 Mar 2030$/, es: /^mar,? 5 mar 2030$/ };

/** Every page, with who opens it and the heading that it has in English and in Spanish. */
const pages = [
  {
    path: "/login",
    loggedIn: false,
    headings: { en: "Welcome back", es: "Hola de nuevo" },
  },
  {
    path: "/link#token=none",
    loggedIn: false,
    headings: { en: "This link opens nothing", es: "Este enlace no abre nada" },
  },
  { path: "/inbox", loggedIn: true, headings: { en: "Inbox", es: "Bandeja" } },
  { path: "/inbox/1?view=all", loggedIn: true, headings: { en: "Wolfe", es: "Wolfe" } },
  // The last conversation has a draft of the AI agent.
  { path: "/inbox/10?view=all", loggedIn: true, headings: { en: "Ana Ruiz", es: "Ana Ruiz" } },
  { path: "/contacts", loggedIn: true, headings: { en: "Contacts", es: "Contactos" } },
  { path: "/contacts/1", loggedIn: true, headings: { en: "Wolfe", es: "Wolfe" } },
  { path: "/pipelines", loggedIn: true, headings: { en: "Pipelines", es: "Embudos" } },
  {
    path: "/appointments?date=2030-03-05&all=1",
    loggedIn: true,
    headings: { en: /^4 – 10 March 2030$/, es: /^4–10 de marzo de 2030$/ },
    phoneHeadings: phoneDay,
  },
  {
    path: "/appointments?view=day&date=2030-03-05&appointment=1&move=1",
    loggedIn: true,
    headings: { en: /^Tuesday,? 5 March 2030$/, es: /^martes,? 5 de marzo de 2030$/ },
    phoneHeadings: phoneDay,
  },
  {
    path: "/appointments/links",
    loggedIn: true,
    headings: { en: "Booking links", es: "Enlaces de reserva" },
  },
  {
    path: "/appointments/setup",
    loggedIn: true,
    headings: { en: "Services and calendars", es: "Servicios y agendas" },
  },
  ...[
    "/agent",
    "/agent/setup",
    "/agent/knowledge",
    "/agent/playground",
    "/agent/cases",
    "/agent/cases?case=1",
    "/agent/turns",
    "/agent/turns?turn=1",
    "/agent/usage",
    "/agent/quality",
  ].map((path) => ({
    path,
    loggedIn: true,
    headings: { en: "AI agent", es: "Agente de IA" },
  })),
  { path: "/channels", loggedIn: true, headings: { en: "Channels", es: "Canales" } },
  ...["/channels/connect", "/channels/connect?driver=whatsapp_cloud&step=app"].map((path) => ({
    path,
    loggedIn: true,
    headings: { en: "Connect a channel", es: "Conectar un canal" },
  })),
  {
    path: "/channels/connect?channel=901",
    loggedIn: true,
    headings: { en: "Re-authenticate", es: "Volver a autenticar" },
  },
  ...["/channels/900", "/channels/900?tab=parked", "/channels/900?tab=app"].map((path) => ({
    path,
    loggedIn: true,
    headings: { en: "Sonrisa Dental", es: "Sonrisa Dental" },
  })),
  { path: "/channels/web", loggedIn: true, headings: { en: "Web chat", es: "Chat web" } },
  ...[
    "/channels/web/1",
    "/channels/web/1?tab=look",
    "/channels/web/1?tab=chat",
    "/channels/web/1?tab=identity",
  ].map((path) => ({ path, loggedIn: true, headings: { en: "Wolfe", es: "Wolfe" } })),
  { path: "/api-keys", loggedIn: true, headings: { en: "API keys", es: "Claves de API" } },
  { path: "/webhooks", loggedIn: true, headings: { en: "Webhooks", es: "Webhooks" } },
  { path: "/inbound", loggedIn: true, headings: { en: "Inbound", es: "Entrantes" } },
  ...["/inbound/1", "/inbound/1?tab=try", "/inbound/1?tab=code", "/inbound/1?tab=settings"].map(
    (path) => ({ path, loggedIn: true, headings: { en: "CRM", es: "CRM" } }),
  ),
  ...[
    "/webhooks/1",
    "/webhooks/1?delivery=1",
    "/webhooks/1?replay=new",
    "/webhooks/1?tab=events",
    "/webhooks/1?tab=verification",
    "/webhooks/1?tab=settings",
  ].map((path) => ({
    path,
    loggedIn: true,
    headings: { en: "hooks.example.com", es: "hooks.example.com" },
  })),
  { path: "/settings/users", loggedIn: true, headings: { en: "People", es: "Personas" } },
  { path: "/notifications", loggedIn: true, headings: { en: "Notifications", es: "Avisos" } },
  {
    path: "/settings/account",
    loggedIn: true,
    headings: { en: "Settings", es: "Configuración" },
  },
  ...["/settings/calendars", "/settings/calendars?connect=google"].map((path) => ({
    path,
    loggedIn: true,
    headings: { en: "Calendars", es: "Calendarios" },
  })),
  {
    path: "/settings/imports",
    loggedIn: true,
    headings: { en: "Imports", es: "Importaciones" },
  },
  ...["/settings/imports/new", "/settings/imports/new?kind=chat"].map((path) => ({
    path,
    loggedIn: true,
    headings: { en: "New import", es: "Nueva importación" },
  })),
  ...["/settings/imports/1", "/settings/imports/3", "/settings/imports/4"].map((path) => ({
    path,
    loggedIn: true,
    headings: { en: "clientes.csv", es: "clientes.csv" },
  })),
  {
    path: "/settings/imports/2",
    loggedIn: true,
    headings: { en: /^Chat de WhatsApp con/, es: /^Chat de WhatsApp con/ },
  },
  {
    path: "/settings/exports",
    loggedIn: true,
    headings: { en: "Exports", es: "Exportaciones" },
  },
  { path: "/system", loggedIn: true, headings: { en: "System", es: "Sistema" } },
  { path: "/settings/profile", loggedIn: true, headings: { en: "Your profile", es: "Tu perfil" } },
  {
    path: "/inbox/nothing/here",
    loggedIn: true,
    headings: { en: "There is no page here", es: "Aquí no hay ninguna página" },
  },
] as const;

/** A list is looked at however much it holds; what names one thing, only where that thing is. */
const cases = pages.flatMap((one, place) =>
  fillings.flatMap((filling, index) => {
    const isList = one.loggedIn && !/\d/.test(one.path);
    if (filling !== "as in use" && !isList) return [];
    // A sample looks at each page once, and at each list once more: at the first one empty, and so on.
    const count = filling === "as in use" ? 1 : Number(place % 3 === index - 1);
    return looksAt(place, count).map((look) => ({ ...one, filling, ...look }));
  }),
);

test.each(cases)(
  "$path ($filling) in $language, $theme, at $width px: nothing overflows, nothing is untranslated, nobody is kept out",
  async ({ path, loggedIn, filling, language, ...given }) => {
    const { headings, ...look } = given;
    const phoneHeadings = "phoneHeadings" in given ? given.phoneHeadings : headings;
    const { cookie } = accounts[filling];
    const body = { locale: language };
    await fixture.api.call("PATCH", "/dashboard/api/me", { cookie, body });
    const locale = language === "es" ? "es-MX" : "en-US";
    const who = { as: loggedIn ? cookie : null };
    const { page, faults } = await fixture.open(path, { ...look, ...who, locale });
    const name = (look.width < 768 ? phoneHeadings : headings)[language];
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await untranslated(page)).toEqual([]);
    expect(await findBarriers(page)).toEqual([]);
    // A browser writes down what is refused: the look at who is logged in, the link of nothing.
    expect(faults.filter((fault) => !/401|404/.test(fault) || loggedIn)).toEqual([]);
  },
);

async function overflow(page: Page): Promise<number> {
  return await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
}

/** Types of events read like keys and stay as they are. */
const types = new Set<string>(eventTypes);
const keys = new Set(flattenTexts(en).flatMap(([key]) => (types.has(key) ? [] : [key])));

/** Keys that stand where their text should. */
async function untranslated(page: Page): Promise<string[]> {
  const words = (await page.locator("body").innerText()).match(/[\w.]+/g) ?? [];
  return words.filter((word) => keys.has(word));
}
