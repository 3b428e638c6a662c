import { expect, test } from "vitest";
import { createTestAccount, testPassword, type TestAccount } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);

async function readAccount({ cookie }: TestAccount) {
  const { data } = (await fixture.api.call("GET", "/dashboard/api/account", { cookie })).json;
  return { time_zone: data.time_zone, locale: data.locale };
}

/** Logs in with a browser of Mexico City. */
async function logIn(account: TestAccount, label: RegExp): Promise<void> {
  const mexican = { locale: "es-MX", timeZone: "America/Mexico_City" };
  const { page } = await fixture.open("/login", { as: null, ...mexican });
  await page.getByRole("textbox", { name: label }).first().fill(account.email);
  await page.locator("input[type=password]").fill(testPassword);
  await page.locator("button[type=submit]").click();
  await page.waitForURL("**/inbox");
}

test("a new account takes time zone and language from the browser of its first admin", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  await logIn(account, /Correo/);
  expect(await readAccount(account)).toEqual({ time_zone: "America/Mexico_City", locale: "es" });
});

test("what somebody has set stays, as does what an agent's browser has", async () => {
  const { dataSource } = fixture.database;
  const set = await createTestAccount(dataSource);
  const { cookie } = set;
  await fixture.api.call("PATCH", "/dashboard/api/account", { cookie, body: { name: "Clinic" } });
  await logIn(set, /Correo/);
  expect(await readAccount(set)).toEqual({ time_zone: "UTC", locale: "en" });
  const agent = await createTestAccount(dataSource, { role: "agent" });
  await logIn(agent, /Correo/);
  expect(await readAccount(agent)).toEqual({ time_zone: "UTC", locale: "en" });
});
