import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { createTestResource, createTestService } from "../support/appointments.ts";
import { findBarriers } from "../support/browser.ts";
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

test("each step of the owner leads to its page, and is ticked once it is done", async () => {
  const { page, card } = await open();
  await card.getByText("0 of 5").waitFor();
  const targets = [
    ["Set time zone and language", "/settings/account"],
    ["Invite your team", "/settings/users"],
    ["Set opening hours", "/appointments/setup"],
    ["Add your services", "/appointments/setup"],
    ["Share a booking link", "/appointments/links"],
  ];
  const links = card.getByRole("link");
  const shown = await links.evaluateAll((all) =>
    all.map((one) => [one.textContent, one.getAttribute("href")]),
  );
  expect(shown).toEqual(targets);
  await call("PATCH", "/account", { time_zone: "America/Mexico_City" });
  await card.getByText("1 of 5").waitFor();
  await card.getByRole("img", { name: "Done" }).waitFor();
  const { dataSource } = fixture.database;
  await createTestResource(dataSource, account.accountId);
  const service = await createTestService(dataSource, account.accountId);
  await links.filter({ hasText: "Invite your team" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "People", level: 1 }).waitFor();
  await page.goBack();
  await card.getByText("3 of 5").waitFor();
  await call("POST", "/invitations", { email: "eva@example.com", role: "agent" });
  await call("POST", "/booking-links", { title: "Visits", service_id: service });
  await page.goto(`${fixture.api.url}/inbox`);
  await page.getByText("Everybody has an answer").waitFor();
  await expect.poll(async () => await card.count()).toBe(0);
});

test("put away it stays away for this person and account alone, and comes back from Settings", async () => {
  const { page, card } = await open();
  await card.getByRole("button", { name: "Hide the first steps" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(async () => await card.count()).toBe(0);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.reload();
  await page.getByText("Everybody has an answer").waitFor();
  expect(await card.count()).toBe(0);
  expect(asked.filter((url) => url.includes("first-run"))).toEqual([]);
  const elsewhere = await open();
  await elsewhere.card.getByText("0 of 5").waitFor();
  await page.goto(`${fixture.api.url}/settings/account`);
  const section = page.getByRole("region", { name: "First steps" });
  await section.getByText("0 of 5 done.").waitFor();
  await section.getByRole("button", { name: "Show the first steps" }).click();
  await page.waitForURL("**/inbox");
  await card.getByText("0 of 5").waitFor();
});

test("an agent has the steps of the inbox alone, and nothing of them in Settings", async () => {
  account = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const { page, card } = await open();
  await card.getByText("0 of 2").waitFor();
  expect(await card.getByRole("listitem").count()).toBe(2);
  expect(await card.getByRole("link").count()).toBe(0);
  expect(await card.getByRole("button", { name: "Open" }).count()).toBe(0);
  await card.getByRole("button", { name: "Write" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Message").fill("Hello");
  await dialog.getByRole("button", { name: "Write" }).click();
  await page.waitForURL(/\/inbox\/\d+$/);
  await page.goto(`${fixture.api.url}/inbox`);
  await card.getByText("1 of 2").waitFor();
  await card.getByRole("button", { name: "Open" }).click();
  await page.waitForURL(/\/inbox\/\d+$/);
  await page.getByRole("textbox", { name: "Reply" }).fill("Good evening!");
  await page.getByRole("textbox", { name: "Reply" }).press("Enter");
  await expect.poll(async () => await card.count()).toBe(0);
  await page.goto(`${fixture.api.url}/webhooks`);
  await page.getByText("No webhooks yet").waitFor();
  expect(await page.getByRole("region", { name: /^First steps/ }).count()).toBe(0);
  await page.goto(`${fixture.api.url}/settings/account`);
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(await page.getByRole("region", { name: "First steps" }).count()).toBe(0);
});

test("developers go from a key over a test to a checked signature, each step ticked", async () => {
  await fixture.database.dataSource.query("DELETE FROM api_keys WHERE account_id = ?", [
    account.accountId,
  ]);
  const { page } = await open("/webhooks");
  const card = page.getByRole("region", { name: "First steps for developers" });
  await card.getByText("0 of 4").waitFor();
  expect(await card.getByRole("button", { name: "Send test" }).count()).toBe(0);
  await card.getByRole("link", { name: "Create an API key" }).click();
  await page.waitForURL("**/api-keys?new=1");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await call("POST", "/api-keys", { name: "CRM", scopes: ["contacts:read"] });
  await page.goto(`${fixture.api.url}/webhooks`);
  await card.getByText("1 of 4").waitFor();
  await card.getByRole("button", { name: "Hide the first steps" }).click();
  await expect.poll(async () => await card.count()).toBe(0);
  await page.goto(`${fixture.api.url}/settings/account`);
  await page.getByRole("button", { name: "Show the first steps" }).click();
  await page.waitForURL("**/inbox");
  await page.goto(`${fixture.api.url}/webhooks`);
  await card.getByText("1 of 4").waitFor();
  await card.getByRole("button", { name: "Add" }).click();
  await dialog.getByLabel("URL").fill(`${sink.url}/hook`);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const secret = await page.getByLabel("Secret", { exact: true }).innerText();
  await dialog.getByRole("button", { name: "Done" }).click();
  await card.getByText("2 of 4").waitFor();
  const [subscription] = await call("GET", "/subscriptions");
  await page.route(`**/subscriptions/${subscription.id}/test`, async (route) => {
    const error = { code: "internal_error", message: "no", details: null };
    await route.fulfill({ status: 500, json: { success: false, error } });
  });
  await card.getByRole("button", { name: "Send test" }).click();
  await page.getByText("The test was not sent").waitFor();
  await card.getByText("2 of 4").waitFor();
  await page.unrouteAll();
  await card.getByRole("button", { name: "Send test" }).click();
  await page.waitForURL(`**/webhooks/${subscription.id}?delivery=*`);
  await dialog.getByText("test.ping").first().waitFor();
  await page.goto(`${fixture.api.url}/webhooks`);
  await card.getByText("3 of 4").waitFor();
  await card.getByRole("link", { name: "Verify a signature" }).click();
  await page.waitForURL(`**/webhooks/${subscription.id}?tab=verification`);
  const [sample] = await call("GET", `/subscriptions/${subscription.id}/samples`);
  const check = async (key: string): Promise<void> => {
    await page.getByRole("textbox", { name: "Secret", exact: true }).fill(key);
    await page.getByLabel("Headers").fill(JSON.stringify(sample.headers));
    await page.getByLabel("Raw body").fill(sample.body);
    await page.getByRole("button", { name: "Check", exact: true }).click();
  };
  await check("whsec_b3RoZXI=");
  await page.getByText("A receiver would refuse this").waitFor();
  await page.goto(`${fixture.api.url}/webhooks`);
  await card.getByText("3 of 4").waitFor();
  await page.goBack();
  await check(secret);
  await page.getByText("The signature fits").waitFor();
  await page.goto(`${fixture.api.url}/webhooks`);
  await page.getByRole("table").waitFor();
  await expect.poll(async () => await card.count()).toBe(0);
});

test.each([
  { width: 390, theme: "dark", title: "Primeros pasos" },
  { width: 1440, theme: "light", title: "Primeros pasos" },
] as const)(
  "the steps are in the person's language and usable by all, $width px wide",
  async ({ width, theme, title }) => {
    await call("PATCH", "/me", { locale: "es" });
    const { page, faults } = await fixture.open("/inbox", { as: account.cookie, width, theme });
    const card = page.getByRole("region", { name: title });
    await card.getByText("0 de 5").waitFor();
    await card.getByRole("link", { name: "Invita a tu equipo" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.goto(`${fixture.api.url}/webhooks`);
    await page.getByRole("region", { name: "Primeros pasos para desarrolladores" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
  },
);

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
    const card = page.getByRole("main").getByRole("button", { name: first });
    const box = await page.getByRole("heading", { name: nothing }).boundingBox();
    // The drawing, the words and the cards stand in the middle of the page.
    expect(box?.y).toBeGreaterThan(250);
    await card.click();
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
