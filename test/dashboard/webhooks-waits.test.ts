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
