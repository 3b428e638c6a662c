import { beforeEach, expect, test } from "vitest";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;
let contactId: number;
let conversationId: number;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  const { contact_id, conversation_id } = await write("Do you have a table?");
  contactId = contact_id;
  conversationId = conversation_id;
});

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

const write = async (text: string) =>
  await call("POST", "/sandbox/messages", { channel: "web", from: "visitor-7", name: "Ana", text });
const open = async (path: string) => (await fixture.open(path, { as: account.cookie })).page;

test("what happens with a contact appears in the timeline by itself, with the way to its deliveries", async () => {
  const page = await open(`/contacts/${contactId}`);
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByText("Do you have a table?").waitFor();
  const { dataSource } = fixture.database;
  const url = "https://hooks.example.com/parley";
  const subscription = await createTestSubscription(dataSource, account.accountId, { url });
  await write("At eight, please.");
  await timeline.getByText("At eight, please.").waitFor();
  await call("PATCH", `/contacts/${contactId}`, { email: "ana@example.com" });
  await timeline.getByText("Contact changed").waitFor();
  const { stages } = await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Won"] });
  await call("POST", `/contacts/${contactId}/stage`, { stage_id: stages[1].id });
  await timeline.getByText("Sales: Won").waitFor();
  const items = timeline.getByRole("listitem");
  expect((await items.allInnerTexts()).map((text) => text.split("\n")[0])).toEqual([
    "Moved to another stage",
    "Contact changed",
    "The customer wrote",
    "The customer wrote",
    "Conversation opened",
    "Contact created",
  ]);
  const [delivery] = await call("GET", `/deliveries?subscription_id=${subscription.id}`);
  await items
    .first()
    .getByRole("link", { name: /hooks\.example\.com/ })
    .click();
  await page.waitForURL(`**/webhooks/${subscription.id}?delivery=${delivery.id}`);
});

test("the state of a delivery changes in the timeline while one looks at it", async () => {
  const { dataSource } = fixture.database;
  const url = "https://hooks.example.com/parley";
  await createTestSubscription(dataSource, account.accountId, { url });
  await write("At eight, please.");
  const page = await open(`/contacts/${contactId}`);
  const first = page.getByRole("region", { name: "Timeline" }).getByRole("listitem").first();
  await first.getByText("Queued").waitFor();
  // As a worker does where the first attempt arrives: no change is told of it.
  await dataSource.query("UPDATE deliveries SET state = 'delivered' WHERE account_id = ?", [
    account.accountId,
  ]);
  await first.getByText("Delivered").waitFor();
  expect(await first.getByText("Queued").count()).toBe(0);
});

test("older events are read a page at a time, down to the first one", async () => {
  for (let number = 1; number <= 35; number += 1) await write(`Message ${number}`);
  const page = await open(`/contacts/${contactId}`);
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByText("Message 35").waitFor();
  expect(await timeline.getByRole("listitem").count()).toBe(30);
  await timeline.getByRole("button", { name: "Show older events" }).click();
  await timeline.getByText("Contact created").waitFor();
  expect(await timeline.getByRole("listitem").count()).toBe(38);
  await timeline.getByText("Events are kept for 90 days").waitFor();
  await write("The newest one");
  await timeline.getByText("The newest one").waitFor();
  expect(await timeline.getByRole("listitem").count()).toBeGreaterThanOrEqual(38);
});

test("beside a conversation the person's events are read once they are asked for, by keyboard too", async () => {
  const asked: string[] = [];
  const page = await open(`/inbox/${conversationId}`);
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const panel = page.getByRole("region", { name: "Contact", exact: true });
  const button = panel.getByRole("button", { name: "Activity" });
  await button.waitFor();
  expect(await button.getAttribute("aria-expanded")).toBe("false");
  await write("At eight, please.");
  await page.getByRole("log").getByText("At eight, please.").waitFor();
  const path = `/dashboard/api/contacts/${contactId}/timeline`;
  expect(asked).not.toContain(path);
  await button.focus();
  await page.keyboard.press("Enter");
  const events = panel.getByRole("region", { name: "Activity" });
  await events.getByText("Conversation opened").waitFor();
  expect(asked).toContain(path);
  await call("PATCH", `/conversations/${conversationId}`, { status: "resolved" });
  await events.getByText("Conversation resolved").waitFor();
});
