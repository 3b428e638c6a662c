import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { bookVisit } from "../../dev/stand-in/calendly-customer.ts";
import { at } from "../support/appointments.ts";
import { findBarriers } from "../support/browser.ts";
import { useFixture } from "../support/use-fixture.ts";
import { startWithCalendly } from "./calendly-fixture.ts";

const fixture = useFixture(async () => await startWithCalendly(true));
const phone = { width: 390, height: 844, locale: "es-MX" } as const;

async function widthBeyond(page: Page): Promise<number> {
  return await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
}

/** Goes from the empty page to Calendly's consent screen. */
async function goToCalendly(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Calendly/u }).click();
  await page.getByRole("button", { name: /Continue to Calendly|Continuar a Calendly/u }).click();
  await page.getByRole("heading", { name: "Authorize Parley" }).waitFor();
}

test("an admin signs in at Calendly, and a token stays possible", async () => {
  const { page } = await fixture.openNew();
  await page.getByRole("button", { name: /^Calendly/u }).click();
  const dialog = page.getByRole("dialog", { name: "Connect Calendly" });
  await dialog.getByRole("button", { name: "Continue to Calendly" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Use a personal access token instead" }).click();
  await dialog.getByRole("textbox", { name: "Personal access token" }).waitFor();
  await page.keyboard.press("Escape");
  await goToCalendly(page);
  await page.getByRole("button", { name: "Allow access" }).click();
  await page.getByText("Calendly is connected", { exact: true }).waitFor();
  const card = page.getByRole("region", { name: "lucia@clinic.example Calendly" });
  await card.getByText("Connected", { exact: true }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

test("a consent that ended at Calendly has a cause and a way back", async () => {
  const { page, account } = await fixture.openNew();
  await goToCalendly(page);
  await page.getByRole("button", { name: "Allow access" }).click();
  await page.getByText("Calendly is connected", { exact: true }).waitFor();
  const sql = `UPDATE calendar_connections SET state = 'disconnected', error_code = 'grant_revoked',
    error_at = UTC_TIMESTAMP(3) WHERE account_id = ?`;
  await fixture.database.dataSource.query(sql, [account.accountId]);
  await page.goto(`${fixture.api.url}/settings/calendars`);
  await page.getByText("Calendly no longer accepts our access").waitFor();
  await page.getByRole("button", { name: "Connect again" }).click();
  await page.getByRole("button", { name: "Continue to Calendly" }).click();
  await page.getByRole("button", { name: "Allow access" }).click();
  await page.getByText("Calendly is connected", { exact: true }).waitFor();
  await page.getByText("Connected", { exact: true }).waitFor();
  expect(await page.getByText("no longer accepts our access").count()).toBe(0);
});

test("in Spanish on a phone a denial at Calendly leaves nothing, says why, and leads back", async () => {
  const { page } = await fixture.openNew(phone);
  await goToCalendly(page);
  await page.getByRole("button", { name: "Deny" }).click();
  const notice = page.getByRole("alert").filter({ hasText: "No se conectó nada: no diste acceso" });
  await notice.getByText("Elegiste Denegar en Calendly.").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  expect(await widthBeyond(page)).toBe(0);
  await notice.getByRole("button", { name: "Conectar de nuevo" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Continuar a Calendly" }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("in Spanish on a phone bookings are taken in, and their drawer leads to Calendly", async () => {
  const { page, account } = await fixture.openNew(phone);
  await goToCalendly(page);
  await page.getByRole("button", { name: "Allow access" }).click();
  await page.getByText("Calendly está conectado", { exact: true }).waitFor();
  const visit = { startTime: at("10:00"), name: "Ana Torres", email: "ana@example.com" };
  await bookVisit(fixture.standIn.world, visit);
  await fixture.readBookings(account);
  await page.goto(`${fixture.api.url}/settings/calendars`);
  const card = page.getByRole("region", { name: "lucia@clinic.example Calendly" });
  await card.getByText("1 reserva espera una agenda").waitFor();
  await card.getByText("Toda la organización").waitFor();
  expect(await widthBeyond(page)).toBe(0);
  await card.getByRole("button", { name: "Asignar e importar" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Lucía Peña" }).click();
  await page.getByRole("option", { name: "Dr. Lucía Peña" }).click();
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Asignar e importar" }).click();
  await card.getByText("1 de 2 personas tienen agenda").waitFor();
  await page.goto(`${fixture.api.url}/appointments?view=day&date=2030-03-05`);
  await page.getByRole("button", { name: /Ana Torres.*Calendly/u }).click();
  const link = dialog.getByRole("link", { name: "Reprogramar en Calendly" });
  expect(await link.getAttribute("href")).toMatch(/^https:/u);
  expect(await findBarriers(page)).toEqual([]);
  expect(await widthBeyond(page)).toBe(0);
});
