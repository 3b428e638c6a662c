import type { Locator, Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import {
  recordNotification,
  type NotificationRecord,
} from "../../core/services/notifications/notifications.ts";
import {
  asSystem,
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../support/accounts.ts";
import { contentOf, expectFocus } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function open(path = "/notifications"): Promise<Page> {
  const { page } = await fixture.open(path, { as: account.cookie });
  return page;
}

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  return (await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body })).json;
}

const unread = async (): Promise<number> => (await call("GET", "/notifications")).meta.unread;

let serial = 0;

async function record(groupKey: string, more: Partial<NotificationRecord> = {}): Promise<void> {
  await asSystem(fixture.database.dataSource, account.accountId, (tx) =>
    recordNotification(tx, {
      kind: "delivery_discarded",
      params: {
        subscription_name: `S-${groupKey}`,
        event_type: "contact.created",
        attempts: 6,
        status_code: 500,
      },
      dedupeKey: `d${(serial += 1)}`,
      groupKey,
      deliveryId: null,
      subscriptionId: null,
      ...more,
    }),
  );
}

/** A subscription with as many deliveries as contacts, none of which anybody sends. */
async function createDeliveries(count: number) {
  const { dataSource } = fixture.database;
  const url = "https://hooks.example/";
  const { id } = await createTestSubscription(dataSource, account.accountId, { url });
  for (let index = 0; index < count; index += 1)
    await call("POST", "/contacts", { email: `c${index}@example.com` });
  const { data } = await call("GET", `/deliveries?subscription_id=${id}`);
  return { id, deliveryIds: (data as { id: number }[]).map((row) => row.id) };
}

async function topOf(shown: Locator): Promise<number> {
  return (await shown.boundingBox())?.y ?? Number.NaN;
}

test("the bell leads to the page, where one cause is one line, however often it was told of", async () => {
  const { id, deliveryIds } = await createDeliveries(3);
  for (const deliveryId of deliveryIds)
    await record(`discarded:${id}`, { deliveryId, subscriptionId: id });
  const page = await open("/contacts");
  const bell = page.getByRole("button", { name: "Notifications: 3 unread" });
  await bell.click();
  // The count lies on the bell, not at the edge of the window.
  const badge = page.getByRole("banner").getByText("3", { exact: true });
  expect(await topOf(badge)).toBeGreaterThanOrEqual(await topOf(bell));
  await page.getByRole("link", { name: "See all" }).click();
  await page.waitForURL("**/notifications");
  await page.getByText("3 unread", { exact: true }).waitFor();
  expect(await page.getByRole("main").getByRole("heading", { level: 2 }).count()).toBe(1);
  await page.getByRole("button", { name: "Show all 3" }).click();
  const rows = page.getByRole("region", { name: /failed$/ }).getByRole("row");
  await expect.poll(async () => await rows.count()).toBe(3);
  await rows.last().getByRole("link").click();
  await page.waitForURL(`**/webhooks/${id}?delivery=${deliveryIds.at(0)}`);
  await expect.poll(unread).toBe(2);
});

test("the number on the bell takes no click from the bell", async () => {
  await Promise.all(Array.from({ length: 100 }, () => record("many")));
  const page = await open("/contacts");
  await page.getByRole("button", { name: "Notifications: 100 unread" }).waitFor();
  const badge = await page.getByRole("banner").getByText("99+", { exact: true }).boundingBox();
  if (badge === null) throw new Error("There is no number on the bell.");
  await page.mouse.click(badge.x + badge.width / 2, badge.y + badge.height / 2);
  const opened = page.getByRole("dialog", { name: "Notifications" });
  await expect.poll(async () => await opened.isVisible()).toBe(true);
});

test("a discarded delivery is a click away, and is read by that", async () => {
  const { id, deliveryIds } = await createDeliveries(1);
  await record(`discarded:${id}`, { deliveryId: deliveryIds[0] ?? 0, subscriptionId: id });
  const page = await open();
  await page.getByText("Queued", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Open the delivery" }).click();
  await page.getByRole("dialog").getByText("contact.created").first().waitFor();
  await expect.poll(unread).toBe(0);
});

test("a failure of which no answer was recorded says so", async () => {
  const params = { subscription_name: "CRM", event_type: "contact.created", attempts: 6 };
  const kinds = ["delivery_discarded", "delivery_exhausted_warning"] as const;
  for (const kind of kinds) await record(kind, { kind, params });
  const main = (await open()).getByRole("main");
  await main.getByText("the last one: no answer was recorded. The event").waitFor();
  expect(await main.getByText("Last attempt: no answer was recorded. Fix").count()).toBe(1);
});

test("a disabled subscription is enabled again in place", async () => {
  const { id } = await createDeliveries(0);
  await call("PATCH", `/subscriptions/${id}`, { state: "disabled" });
  const params = { subscription_name: "CRM", reason: "only_failures" };
  const about = { kind: "subscription_disabled", params, subscriptionId: id } as const;
  await record(`disabled:${id}`, about);
  const page = await open();
  await page.getByText("Disabled", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Enable it again" }).click();
  await page.getByText("The subscription is active again.").waitFor();
  await page.getByText("Active", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Open the subscription" }).waitFor();
  expect((await call("GET", `/subscriptions/${id}`)).data.state).toBe("active");
  await expect.poll(unread).toBe(0);
});

test("an agent, who may not enable it, is led to the subscription", async () => {
  const agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  account = agent;
  const { dataSource } = fixture.database;
  const url = "https://hooks.example/";
  const { id } = await createTestSubscription(dataSource, agent.accountId, { url });
  await dataSource.query("UPDATE subscriptions SET state = 'disabled' WHERE id = ?", [id]);
  await record(`disabled:${id}`, { kind: "subscription_disabled", subscriptionId: id });
  const page = await open();
  await page.getByRole("link", { name: "Open the subscription" }).waitFor();
  expect(await page.getByRole("button", { name: "Enable it again" }).count()).toBe(0);
});

test("a conversation that waits for a person opens, and its line follows what becomes of it", async () => {
  const message = { channel: "web", from: "v1", name: "Ana", text: "Hi" };
  const written = await call("POST", "/sandbox/messages", message);
  const conversationId = Number(written.data.conversation_id);
  await call("POST", `/conversations/${conversationId}/bot`, { enabled: false });
  await record(`conversation:${conversationId}`, {
    kind: "conversation_handed_off",
    conversationId,
  });
  await record(`conversation:${conversationId}`, { kind: "handoff_reminder", conversationId });
  const page = await open();
  await page.getByText("Ana is still waiting for a person").waitFor();
  await page.getByText("Handed off", { exact: true }).waitFor();
  await call("PATCH", `/conversations/${conversationId}`, { status: "resolved" });
  await page.getByText("Resolved", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Open the conversation" }).click();
  await page.waitForURL(`**/inbox/${conversationId}`);
  await expect.poll(unread).toBe(0);
});

test("one, a cause, and all are marked as read; the filter for unread ones lives in the URL", async () => {
  await record("discarded:1");
  await record("discarded:1");
  await record("disabled:2");
  await record("disabled:3");
  const page = await open();
  await page.getByRole("button", { name: "Show all 2" }).click();
  const rows = page.getByRole("region", { name: /failed$/ });
  await rows.getByRole("button", { name: "Mark as read" }).first().click();
  await page.getByText("1 unread", { exact: true }).first().waitFor();
  await expect.poll(unread).toBe(3);
  await page.getByRole("button", { name: /^Mark as read: .*S-disabled:2/ }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(unread).toBe(2);

  await page.getByText("Unread", { exact: true }).click();
  await page.waitForURL("**/notifications?unread=true");
  const headings = page.getByRole("main").getByRole("heading", { level: 2 });
  await expect.poll(async () => await headings.count()).toBe(2);
  await page.reload();
  await expect.poll(async () => await headings.count()).toBe(2);
  await page.getByRole("button", { name: "Mark all as read" }).press("Enter");
  await page.getByText("Everything is read").waitFor();
  await expectFocus(contentOf(page));
  expect(await unread()).toBe(0);
});

test("many causes are on pages of 20, a new one comes to the first by itself", async () => {
  for (let group = 1; group <= 23; group += 1) await record(`discarded:${group}`);
  const page = await open();
  await page.getByText("1–20 of 23").waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("21–23 of 23").waitFor();
  await page.getByRole("heading", { name: /S-discarded:1 failed/ }).waitFor();
  await page.goBack();
  await page.getByText("1–20 of 23").waitFor();
  await record("disabled:99");
  await page.getByRole("heading", { name: /S-disabled:99/ }).waitFor();
  await page.getByText("1–20 of 24").waitFor();
  expect(await page.getByRole("main").getByRole("heading", { level: 2 }).count()).toBe(20);
});

test("a last page whose last cause is read leads on to the one before, and is not gone back to", async () => {
  for (let group = 1; group <= 21; group += 1) await record(`discarded:${group}`);
  const page = await open("/notifications?unread=true");
  await page.getByText("1–20 of 21").waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("21–21 of 21").waitFor();
  await page.getByRole("button", { name: /^Mark as read: .*S-discarded:1 / }).click();
  const headings = page.getByRole("main").getByRole("heading", { level: 2 });
  await expect.poll(async () => await headings.count()).toBe(20);
  expect(new URL(page.url()).search).toBe("?unread=true");
  await page.goBack();
  await expect.poll(async () => await headings.count()).toBe(20);
  expect(new URL(page.url()).searchParams.get("offset")).toBeNull();
});

test("an account without any is told what appears there; a failing read can be tried again", async () => {
  const page = await open();
  await page.getByText("Nothing to tell").waitFor();
  const path = "**/dashboard/api/notification-groups*";
  await page.route(path, async (route) => {
    const error = { code: "internal_error", message: "no", details: null };
    await route.fulfill({ status: 500, json: { success: false, error } });
  });
  await page.reload();
  await page.getByText("This could not be loaded").waitFor();
  // The stream, once it is there, has everything read once more; after that it takes a click.
  await page.waitForLoadState("networkidle");
  await page.unroute(path);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Nothing to tell").waitFor();
  await eventually(async () => expect(await page.getByRole("alert").count()).toBe(0));
});

test("a notice names the person, in the bell too, and the newer one takes the older one's place", async () => {
  const message = { channel: "web", from: "v1", name: "Martina Acosta", text: "Hi" };
  const written = await call("POST", "/sandbox/messages", message);
  const conversationId = Number(written.data.conversation_id);
  const groupKey = `conversation:${conversationId}`;
  await record(groupKey, { kind: "conversation_handed_off", conversationId });
  const page = await open("/contacts");
  await page.getByRole("button", { name: "Notifications: 1 unread" }).click();
  const bell = page.getByRole("dialog", { name: "Notifications" });
  await bell.getByText("Martina Acosta needs a person").waitFor();
  await record(groupKey, { kind: "handoff_escalation", conversationId });
  await bell.getByText("Martina Acosta was left without an answer").waitFor();
  expect(await bell.getByText("Martina Acosta needs a person").count()).toBe(0);
  const { data } = await call("GET", "/notifications");
  expect(data[0]).toMatchObject({
    title: "Martina Acosta was left without an answer",
    contact_name: "Martina Acosta",
  });
  await fixture.database.dataSource.query("DELETE FROM conversations WHERE id = ?", [
    conversationId,
  ]);
  await page.reload();
  await page.getByRole("button", { name: "Notifications: 2 unread" }).click();
  await bell.getByText("A customer was left without an answer").waitFor();
});

test("a discarded delivery that is sent again says so, and not only that it waits", async () => {
  const { id, deliveryIds } = await createDeliveries(1);
  await record(`discarded:${id}`, { deliveryId: deliveryIds[0] ?? 0, subscriptionId: id });
  const { dataSource } = fixture.database;
  const become = async (state: string) =>
    await dataSource.query("UPDATE deliveries SET state = ? WHERE id = ?", [state, deliveryIds[0]]);
  await become("discarded");
  const page = await open();
  await page.getByText("Failed", { exact: true }).waitFor();
  expect(await page.getByText("Sent again since:").count()).toBe(0);
  await become("waiting");
  await page.reload();
  await page.getByText("Sent again since:").waitFor();
  await page.getByText("Retrying", { exact: true }).waitFor();
});

test("error classes and the pause by a reply are words of the person's language", async () => {
  const { dataSource } = fixture.database;
  await dataSource.query("UPDATE accounts SET locale = 'es' WHERE id = ?", [account.accountId]);
  await record("discarded:1", {
    params: {
      subscription_name: "CRM",
      event_type: "x",
      attempts: 6,
      error_class: "connection_refused",
    },
  });
  const message = { channel: "web", from: "v9", name: "Ana", text: "Hola" };
  const { data } = await call("POST", "/sandbox/messages", message);
  await call("POST", `/conversations/${data.conversation_id}/messages`, { content: "Hola, Ana" });
  const page = await open();
  await page.getByText(/conexión rechazada/).waitFor();
  await page.goto(`${fixture.api.url}/contacts/${data.contact_id}`);
  const timeline = page.getByRole("region", { name: "Historial" });
  await timeline.getByText("respondió una persona").waitFor();
  expect(await page.getByText("human_reply").count()).toBe(0);
});
