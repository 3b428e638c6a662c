import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { eventTypes } from "../../core/model/event-types.ts";
import { sampleEvent, serializeEvent } from "../../core/model/events.ts";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../support/accounts.ts";
import { findBarriers, openClipboard } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { startSink, type Sink } from "../support/sink.ts";
import { createNamespace, startTestWorker, type TestWorker } from "../support/worker.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let worker: TestWorker;
let account: TestAccount;
let sink: Sink;

beforeAll(async () => {
  const namespace = await createNamespace();
  worker = await startTestWorker(fixture.database, namespace);
});

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  sink = await startSink();
});

afterEach(async () => await sink.stop());

afterAll(async () => {
  await worker.stop();
});

async function read(path: string) {
  const answer = await fixture.api.call("GET", `/dashboard/api${path}`, { cookie: account.cookie });
  expect(answer.status).toBe(200);
  return answer.json.data;
}

async function open(path: string) {
  return (await fixture.open(path, { as: account.cookie })).page;
}

test("a subscription is added from the catalogue, its secret shown once, and a test arrives signed with it", async () => {
  const page = await open("/webhooks");
  await page.getByRole("button", { name: "Add a subscription" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill(`${sink.url}/hook`);
  await dialog.getByLabel("Name").fill("CRM");
  await dialog.getByLabel("All events").uncheck();
  await dialog.getByLabel("message.*").check();
  await dialog.getByLabel("contact.created").check();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const secret = await page.getByLabel("Secret", { exact: true }).innerText();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "CRM" }).click();
  const [row] = await read("/subscriptions");
  expect(row).toMatchObject({
    name: "CRM",
    events: ["message.*", "contact.created"],
    channels: null,
  });
  expect(await page.content()).not.toContain(secret);

  await page.getByRole("button", { name: "Send a first test" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("Attempt 1", { exact: true }).waitFor();
  await drawer.getByText("204 No Content", { exact: true }).waitFor();
  const [posted] = sink.posts;
  const signed = createHmac("sha256", secret)
    .update(posted?.body ?? "")
    .digest("hex");
  expect(posted?.headers["x-service-signature"]).toBe(`sha256=${signed}`);
});

test.each([390, 1440])(
  "what a new subscription will receive is listed while it is chosen, %i px wide",
  async (width) => {
    const { page } = await fixture.open("/webhooks", { as: account.cookie, width });
    await page.getByRole("button", { name: "Add a subscription" }).click();
    const dialog = page.getByRole("dialog");
    const preview = dialog.getByRole("region", { name: "What you receive" });
    await preview.getByText(`${eventTypes.length - 1} event types, and test.ping`).waitFor();
    await dialog.getByLabel("All events").uncheck();
    await dialog.getByLabel("message.*").check();
    await preview.getByText("2 event types, and test.ping").waitFor();
    const listed = await preview.getByRole("heading", { level: 3 }).allInnerTexts();
    expect(listed).toEqual(["message.received", "message.sent", "test.ping"]);
    await dialog.getByRole("checkbox", { name: "Instagram" }).press("Space");
    await preview.getByRole("button", { name: "message.sent" }).click();
    await preview.getByText("Instagram", { exact: true }).waitFor();
    const parts = dialog.locator("form, section, button[type=submit]");
    const names = await parts.evaluateAll((all) => all.map((one) => one.tagName));
    expect(names).toEqual(["FORM", "SECTION", "BUTTON"]);
    const [, above = 0, below = 0] = await parts.evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect().top),
    );
    expect(below).toBeGreaterThan(above);
    expect(await dialog.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    // Where the dialog is scrolled to now, its head covers no half of a small box.
    await dialog.getByRole("button", { name: "Add", exact: true }).scrollIntoViewIfNeeded();
    expect(await findBarriers(page)).toEqual([]);
    const copied = await openClipboard(page);
    const shown = preview.locator("pre");
    await preview.getByRole("button", { name: "Copy: Body (Formatted)" }).click();
    await expect.poll(copied).toBe(await shown.innerText());
    expect(JSON.parse(await copied())).toEqual(sampleEvent("message.sent"));
    await preview.getByText("Raw", { exact: true }).click();
    await preview.getByRole("button", { name: "Copy: Body (Raw)" }).click();
    await expect.poll(copied).toBe(serializeEvent(sampleEvent("message.sent")));
    expect(await shown.innerText()).toBe(await copied());
    expect(await read("/subscriptions")).toEqual([]);
  },
);

test("an URL that may not be a target is told beside its field, and nothing is added", async () => {
  const page = await open("/webhooks");
  await page.getByText("No webhooks yet").waitFor();
  await page.getByRole("button", { name: "Add a subscription" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill("ftp://example.com/hook");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect
    .poll(async () => await dialog.getByLabel("URL").getAttribute("aria-invalid"))
    .toBe("true");
  expect(await read("/subscriptions")).toEqual([]);
});

test("a failed delivery shows what came back, and arrives by Retry now after the receiver is mended", async () => {
  sink.answer = (_posted, response) => response.writeHead(500).end("no room");
  const { id } = await createTestSubscription(fixture.database.dataSource, account.accountId, {
    url: `${sink.url}/hook`,
  });
  const page = await open(`/webhooks/${id}`);
  await page.getByRole("button", { name: "Send test" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("500 Internal Server Error", { exact: true }).waitFor();
  await drawer.getByText("no room").waitFor();
  await drawer.getByText(/^Attempt 2 of 6 in 0:/).waitFor();
  sink.answer = (_posted, response) => response.writeHead(200).end();
  await drawer.getByRole("button", { name: "Retry now" }).click();
  await drawer.getByText("Attempt 2", { exact: true }).waitFor();
  await drawer.getByText("200 OK", { exact: true }).waitFor();
  const [row] = await read(`/deliveries?subscription_id=${id}`);
  expect(row).toMatchObject({ state: "delivered", attempts_made: 2 });
  const attempts = sink.posts.map(({ headers }) => headers["x-service-attempt"]);
  expect(attempts).toEqual(["1", "2"]);
});

test("a waiting delivery is cancelled with a reason, then found by its state in the URL", async () => {
  sink.answer = (_posted, response) => response.writeHead(500).end();
  const { id } = await createTestSubscription(fixture.database.dataSource, account.accountId, {
    url: `${sink.url}/hook`,
  });
  const page = await open(`/webhooks/${id}`);
  await page.getByRole("button", { name: "Send test" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("500 Internal Server Error", { exact: true }).waitFor();
  await drawer.getByRole("button", { name: "Cancel delivery" }).click();
  await drawer.getByLabel("Why").fill("a try");
  await drawer.getByRole("button", { name: "Cancel delivery" }).last().click();
  await drawer.getByText("Cancelled", { exact: true }).waitFor();
  const [row] = await read(`/deliveries?subscription_id=${id}`);
  expect(row).toMatchObject({ state: "cancelled", reason: "cancelled_by_operator" });
  const [audited] = await fixture.database.dataSource.query<{ details: object }[]>(
    "SELECT details FROM audit_log WHERE action = 'delivery.cancelled' AND target_id = ?",
    [row.id],
  );
  expect(audited?.details).toMatchObject({ reason: "a try" });

  const filtered = await open(`/webhooks/${id}?state=cancelled&type=test.ping`);
  await filtered.getByRole("button", { name: "test.ping" }).waitFor();
  const other = await open(`/webhooks/${id}?state=delivered`);
  await other.getByText("No delivery fits").waitFor();
});

test("a subscription is paused and resumed, its secret replaced, and deleted after asking", async () => {
  const { id, secret } = await createTestSubscription(
    fixture.database.dataSource,
    account.accountId,
    { url: `${sink.url}/hook` },
  );
  const page = await open(`/webhooks/${id}`);
  const choose = async (item: string): Promise<void> => {
    await page.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  const state = async () => (await read(`/subscriptions/${id}`)).state;
  await choose("Pause");
  await eventually(async () => expect(await state()).toBe("paused"));
  await page.locator("#root").getByText("Paused", { exact: true }).waitFor();
  await choose("Resume");
  await eventually(async () => expect(await state()).toBe("active"));

  await choose("Rotate secret");
  await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
  const fresh = await page.getByLabel("Secret", { exact: true }).innerText();
  expect([fresh.startsWith("whsec_"), fresh === secret]).toEqual([true, false]);
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();

  await choose("Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL("**/webhooks");
  expect(await read("/subscriptions")).toEqual([]);
});

test("a subscription is disabled from its menu after asking, and then skips what happens", async () => {
  const { dataSource } = fixture.database;
  const { id } = await createTestSubscription(dataSource, account.accountId, { url: sink.url });
  const page = await open(`/webhooks/${id}`);
  const ask = async () => {
    await page.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    return page.getByRole("dialog", { name: "Disable" });
  };
  await (await ask()).getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await read(`/subscriptions/${id}`)).state).toBe("active");
  await (await ask()).getByRole("button", { name: "Disable" }).click();
  await page.getByRole("alert").filter({ hasText: "Disabled by an admin" }).waitFor();
  const rows = await dataSource.query<object[]>(
    "SELECT state, disabled_reason FROM subscriptions WHERE id = ?",
    [id],
  );
  expect(rows).toEqual([{ state: "disabled", disabled_reason: "disabled_by_admin" }]);
  const { cookie } = account;
  const body = { email: "ana@example.com", name: "Ana" };
  await fixture.api.call("POST", "/dashboard/api/contacts", { cookie, body });
  await page.getByRole("row").getByText("Skipped").waitFor();
  expect(sink.posts).toEqual([]);
});

test("a filter by channel is saved, changed and taken back", async () => {
  const { dataSource } = fixture.database;
  const { id } = await createTestSubscription(dataSource, account.accountId, { url: sink.url });
  const page = await open(`/webhooks/${id}?tab=events`);
  const channel = (name: string) => page.getByRole("checkbox", { name, exact: true });
  const save = async (): Promise<void> => {
    const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
    await page.getByRole("button", { name: "Save" }).click();
    expect((await saved).status()).toBe(200);
  };
  const stored = async (): Promise<unknown> => {
    const rows = await dataSource.query<{ channels: unknown }[]>(
      "SELECT channels FROM subscriptions WHERE id = ?",
      [id],
    );
    return rows[0]?.channels;
  };
  await channel("WhatsApp").press("Space");
  await channel("Web chat").press("Space");
  await save();
  expect(await stored()).toEqual(["whatsapp", "web_widget"]);
  expect((await read(`/subscriptions/${id}`)).channels).toEqual(["whatsapp", "web_widget"]);
  await page.reload();
  await expect.poll(async () => await channel("Web chat").isChecked()).toBe(true);
  await channel("WhatsApp").press("Space");
  await save();
  expect(await stored()).toEqual(["web_widget"]);
  await channel("Web chat").press("Space");
  await page.getByRole("group", { name: "Channels" }).getByText("All channels").waitFor();
  await save();
  expect(await stored()).toBeNull();
});

test("deliveries that were missed are counted, then sent again", async () => {
  sink.answer = (_posted, response) => response.writeHead(500).end();
  const { id } = await createTestSubscription(fixture.database.dataSource, account.accountId, {
    url: `${sink.url}/hook`,
  });
  const page = await open(`/webhooks/${id}`);
  await page.getByRole("button", { name: "Send test" }).click();
  await page.getByRole("dialog").getByText("500 Internal Server Error", { exact: true }).waitFor();
  const [row] = await read(`/deliveries?subscription_id=${id}`);
  const cookie = account.cookie;
  const path = `/dashboard/api/deliveries/${row.id}/cancel`;
  await fixture.api.call("POST", path, { cookie, body: { reason: "a try" } });
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  sink.answer = (_posted, response) => response.writeHead(204).end();

  await page.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Replay deliveries" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Cancelled").check();
  await dialog.getByRole("button", { name: "Count" }).click();
  await dialog.getByText("1 delivery fits.").waitFor();
  expect(sink.posts).toHaveLength(1);
  await dialog.getByRole("button", { name: "Send 1 again" }).click();
  await dialog.getByText("All of them are queued.").waitFor();
  await eventually(() => expect(sink.posts).toHaveLength(2));
  expect(sink.posts[1]?.body).toEqual(sink.posts[0]?.body);
});
