import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { startSink, type Sink } from "../support/sink.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;
let sink: Sink;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  sink = await startSink();
});

afterEach(async () => await sink.stop());

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  return (await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body })).json.data;
}

async function open(path = "/inbox") {
  const { page } = await fixture.open(path, { as: account.cookie });
  return { page, card: page.getByRole("region", { name: "First steps" }) };
}

async function write(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Message").fill("Hello");
  await dialog.getByRole("button", { name: "Write" }).click();
  await page.waitForURL(/\/inbox\/\d+$/);
}

test("each step is done from the card, which ticks it by itself and goes once all are done", async () => {
  const { page, card } = await open();
  await card.getByText("0 of 4").waitFor();
  expect(await card.getByRole("button", { name: /^Open|^Send test/ }).count()).toBe(0);
  await card.getByRole("button", { name: "Write" }).click();
  await write(page);
  await card.getByText("1 of 4").waitFor();

  await page.goto(`${fixture.api.url}/inbox`);
  await card.getByRole("button", { name: "Open" }).click();
  await page.waitForURL(/\/inbox\/\d+$/);
  await page.getByRole("textbox", { name: "Reply" }).fill("Good evening!");
  await page.getByRole("textbox", { name: "Reply" }).press("Enter");
  await card.getByText("2 of 4").waitFor();

  await card.getByRole("button", { name: "Add" }).click();
  await page.getByRole("dialog").getByLabel("URL").fill(`${sink.url}/hook`);
  await page.getByRole("dialog").getByLabel("URL").press("Enter");
  const secret = await page.getByLabel("Secret", { exact: true }).innerText();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await card.getByText("3 of 4").waitFor();
  const [subscription] = await call("GET", "/subscriptions");
  expect(subscription).toMatchObject({ url: `${sink.url}/hook`, events: ["*"], state: "active" });

  await card.getByRole("button", { name: "Send test" }).click();
  await page.waitForURL(`**/webhooks/${subscription.id}?delivery=*`);
  await page.getByRole("dialog").getByText("test.ping").first().waitFor();
  const deliveries = await call("GET", `/deliveries?subscription_id=${subscription.id}`);
  expect(deliveries).toMatchObject([{ event_type: "test.ping" }]);
  await page.goto(`${fixture.api.url}/inbox?view=all`);
  await page.getByRole("link", { name: /^Ana/ }).waitFor();
  await expect.poll(async () => await card.count()).toBe(0);
});

test("what is done elsewhere is ticked by itself", async () => {
  const { card } = await open();
  await card.getByText("0 of 4").waitFor();
  const message = { channel: "web", from: "v1", name: "Ana", text: "Hi" };
  const { conversation_id: id } = await call("POST", "/sandbox/messages", message);
  await card.getByText("1 of 4").waitFor();
  await call("POST", `/conversations/${id}/messages`, { content: "Hello" });
  await card.getByText("2 of 4").waitFor();
  const url = `${sink.url}/hook`;
  const subscription = await call("POST", "/subscriptions", { url, events: ["contact.*"] });
  await card.getByText("3 of 4").waitFor();
  await call("POST", `/subscriptions/${subscription.id}/test`);
  await expect.poll(async () => await card.count()).toBe(0);
});

test("put away it stays away in this browser, for this person and account alone", async () => {
  const { page, card } = await open();
  await card.getByRole("button", { name: "Hide the first steps" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(async () => await card.count()).toBe(0);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.reload();
  await page.getByText("Nothing is open").waitFor();
  expect(await card.count()).toBe(0);
  expect(asked.filter((url) => url.includes("first-run"))).toEqual([]);
  const elsewhere = await open();
  await elsewhere.card.getByText("0 of 4").waitFor();
});

test("a URL that may not be a target is told beside its field, and nothing is added", async () => {
  const { page, card } = await open();
  await card.getByRole("button", { name: "Add" }).click();
  const field = page.getByRole("dialog").getByLabel("URL");
  await field.fill("ftp://example.com/hook");
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await expect.poll(async () => await field.getAttribute("aria-invalid")).toBe("true");
  expect(await call("GET", "/subscriptions")).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await card.getByText("0 of 4").waitFor();
});

test("the steps are in the person's language, though their texts come after the inbox's", async () => {
  await call("PATCH", "/me", { locale: "es" });
  const { page } = await open();
  const card = page.getByRole("region", { name: "Primeros pasos" });
  await card.getByText("0 de 4").waitFor();
  expect(await card.getByRole("button", { name: "Escribir" }).count()).toBe(1);
});

test("an agent has the steps of the inbox alone", async () => {
  account = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const { card } = await open();
  await card.getByText("0 of 2").waitFor();
  expect(await card.getByRole("listitem").count()).toBe(2);
  const message = { channel: "web", from: "v1", name: "Ana", text: "Hi" };
  const { conversation_id: id } = await call("POST", "/sandbox/messages", message);
  await call("POST", `/conversations/${id}/messages`, { content: "Hello" });
  await expect.poll(async () => await card.count()).toBe(0);
});

const emptyPages = [
  {
    path: "/contacts",
    nothing: "No contacts yet",
    first: "Add a contact",
    dialog: "New contact",
  },
  {
    path: "/webhooks",
    nothing: "No webhooks yet",
    first: "Add the first one",
    dialog: "Add a subscription",
  },
  {
    path: "/inbound",
    nothing: "No other system calls in yet",
    first: "Add the first one",
    dialog: "Add an endpoint",
  },
  {
    path: "/api-keys",
    nothing: "No program can call the API yet",
    first: "Create the first key",
    dialog: "Create key",
  },
];

test.each(emptyPages)(
  "$path without a row offers to add the first one, in its dialog",
  async ({ path, nothing, first, dialog }) => {
    await fixture.database.dataSource.query("DELETE FROM api_keys WHERE account_id = ?", [
      account.accountId,
    ]);
    const { page } = await open(path);
    await page.getByRole("heading", { name: nothing, level: 2 }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("button", { name: first }).click();
    await page.getByRole("dialog", { name: dialog }).waitFor();
  },
);

test("what an agent may not add is not offered to them on an empty page; a contact is", async () => {
  account = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const { page } = await open("/webhooks");
  await page.getByText("No webhooks yet").waitFor();
  expect(await page.getByRole("button", { name: "Add" }).count()).toBe(0);
  await page.goto(`${fixture.api.url}/inbound`);
  await page.getByText("No other system calls in yet").waitFor();
  expect(await page.getByRole("button", { name: "Add" }).count()).toBe(0);
  await page.goto(`${fixture.api.url}/contacts?search=ana`);
  await page.getByText("No contact fits").waitFor();
  expect(await page.getByRole("button", { name: "Add a contact" }).count()).toBe(0);
  await page.goto(`${fixture.api.url}/contacts`);
  await page.getByRole("button", { name: "Add a contact" }).waitFor();
});
