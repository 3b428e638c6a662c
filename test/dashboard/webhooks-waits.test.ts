import { expect, test } from "vitest";
import { createTestSubscription } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(
  async () => await startDashboard({ RETRY_WAITS_MS: "1000,2000,5000,10000,60000,120000" }),
);

test("the timeline of a delivery shows the waits that the installation is set up with", async () => {
  const { database, account } = fixture;
  const url = "https://hooks.example/";
  const { id } = await createTestSubscription(database.dataSource, account.accountId, { url });
  await fixture.call("POST", "/contacts", { email: "ana@example.com" });
  const [delivery] = (await fixture.call("GET", `/deliveries?subscription_id=${id}`)).json.data;
  const { page } = await fixture.open(`/webhooks/${id}?delivery=${delivery.id}`);
  const timeline = page.getByRole("list", { name: "Attempts and the waits between them" });
  await timeline.getByRole("img", { name: "Attempt 1: to come" }).waitFor();
  const waits = (await timeline.getByRole("listitem").allInnerTexts()).filter((text) =>
    / (s|min|h)$/.test(text.trim()),
  );
  expect(waits.map((text) => text.trim())).toEqual(["1 s", "2 s", "5 s", "10 s", "1 min", "2 min"]);
});

test("a next try that is overdue is due now, and so is a discard", async () => {
  const { database, account } = fixture;
  const url = "https://late.example/";
  const { id } = await createTestSubscription(database.dataSource, account.accountId, { url });
  await fixture.call("POST", "/contacts", { email: "eva@example.com" });
  await database.dataSource.query(
    `UPDATE deliveries SET state = 'waiting', next_attempt_at = UTC_TIMESTAMP(3) - INTERVAL 1 MINUTE
      WHERE subscription_id = ?`,
    [id],
  );
  const { page } = await fixture.open(`/webhooks/${id}`);
  await page.getByText("next try due now", { exact: true }).waitFor();
  await database.dataSource.query(
    `UPDATE deliveries SET discard_at = next_attempt_at, next_attempt_at = NULL
      WHERE subscription_id = ?`,
    [id],
  );
  await page.reload();
  await page.getByText("fails now", { exact: true }).waitFor();
  await fixture.call("PATCH", "/me", { locale: "es" });
  await page.reload();
  await page.getByText("falla ahora", { exact: true }).waitFor();
  const log = page.getByRole("region", { name: "Entregas" });
  expect(await log.getByText("0:00").count()).toBe(0);
});
