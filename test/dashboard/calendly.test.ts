import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { bookVisit } from "../../dev/stand-in/calendly-customer.ts";
import { calendlyScopes } from "../../dev/stand-in/calendly-world.ts";
import type { TestAccount } from "../support/accounts.ts";
import { at } from "../support/appointments.ts";
import { findBarriers } from "../support/browser.ts";
import { useFixture } from "../support/use-fixture.ts";
import { startWithCalendly } from "./calendly-fixture.ts";

const fixture = useFixture(async () => await startWithCalendly(false));

/** The page of a new account with one agenda, and the dialog for a token. */
async function openNew(): Promise<{ page: Page; account: TestAccount }> {
  const { page, account } = await fixture.openNew();
  await page.getByRole("button", { name: /^Calendly/u }).click();
  return { page, account };
}

async function connect(page: Page, token: string): Promise<void> {
  await page.getByRole("textbox", { name: "Personal access token" }).fill(token);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
}

test("a token without a scope is refused, and the scope is named; a whole one connects", async () => {
  const { world } = fixture.standIn;
  const scopes = calendlyScopes.filter((scope) => scope !== "event_types:read");
  world.tokens.set("narrow", { userId: "OWNER", scopes });
  const { page } = await openNew();
  expect(await page.getByRole("button", { name: "Continue to Calendly" }).count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await connect(page, "narrow");
  const refusal = page.getByRole("alert").filter({ hasText: "The token lacks these permissions" });
  await refusal.getByText("event_types:read", { exact: true }).waitFor();
  await connect(page, "unknown");
  await page.getByText("Calendly does not know this token.").waitFor();
  await connect(page, "owner-token");
  const card = page.getByRole("region", { name: "lucia@clinic.example Calendly" });
  await card.getByText("Checked every 5 minutes").waitFor();
  await card.getByText("Push needs an https address. Set PUBLIC_URL to one.").waitFor();
  await card.getByText("The whole organization").waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

test("a booking that waits is taken in with the agenda of its host, and only Calendly moves it", async () => {
  const { page, account } = await openNew();
  await connect(page, "owner-token");
  const card = page.getByRole("region", { name: "lucia@clinic.example Calendly" });
  await card.getByText("0 of 2 people have a calendar here").waitFor();
  const visit = { startTime: at("10:00"), name: "Ana Torres", email: "ana@example.com" };
  await bookVisit(fixture.standIn.world, visit);
  await fixture.readBookings(account);
  await page.reload();
  await card.getByText("1 booking waits for a calendar").waitFor();
  await card.getByRole("button", { name: "Map and import" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Ana Torres").waitFor();
  await dialog.getByRole("combobox", { name: "Lucía Peña" }).click();
  await page.getByRole("option", { name: "Dr. Lucía Peña" }).click();
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Map and import" }).click();
  await card.getByText("1 of 2 people have a calendar here").waitFor();
  expect(await card.getByText("waits for a calendar").count()).toBe(0);

  await page.goto(`${fixture.api.url}/appointments?view=day&date=2030-03-05`);
  await page.getByRole("link", { name: /Ana Torres.*Calendly/u }).click();
  const link = dialog.getByRole("link", { name: "Reschedule in Calendly" });
  expect(await link.getAttribute("href")).toMatch(/^https:/u);
  await dialog.getByText("This booking is moved on Calendly's page").waitFor();
  expect(await dialog.getByRole("button", { name: "Move…" }).count()).toBe(0);
});
