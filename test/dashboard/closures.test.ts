import { expect, test } from "vitest";
import { at, createTestResource } from "../support/appointments.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);

test("closures are entered and listed in the agenda's own time zone, which stands beside them", async () => {
  const { database, account } = fixture;
  const given = { name: "Tokio", timeZone: "Asia/Tokyo" };
  const id = await createTestResource(database.dataSource, account.accountId, given);
  const { page } = await fixture.open("/appointments/setup");
  await page.getByRole("button", { name: "Closures" }).click();
  const dialog = page.getByRole("dialog", { name: "Closures of Tokio" });
  await dialog.getByLabel("Closed from", { exact: true }).fill("05/03/2030 09:00");
  await dialog.getByLabel("Until", { exact: true }).fill("05/03/2030 10:00");
  expect(await dialog.getByText(/^Tokyo /).count()).toBe(2);
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await dialog.getByText("Tue 5 Mar 2030, 9:00 – Tue 5 Mar 2030, 10:00 (Tokyo)").waitFor();
  expect((await fixture.call("GET", `/resources/${id}/closures`)).json.data).toMatchObject([
    { start_time: at("00:00").toISOString(), end_time: at("01:00").toISOString() },
  ]);
});
