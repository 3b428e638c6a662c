import type { Page } from "playwright-core";
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
let id: number;

beforeEach(async () => {
  const { dataSource } = fixture.database;
  account = await createTestAccount(dataSource);
  const subscription = { url: "https://receiver.invalid/hook" };
  ({ id } = await createTestSubscription(dataSource, account.accountId, subscription));
});

const open = async (path: string): Promise<Page> =>
  (await fixture.open(path, { as: account.cookie })).page;

async function read(path: string) {
  const { cookie } = account;
  return (await fixture.api.call("GET", `/dashboard/api${path}`, { cookie })).json.data;
}

test("a subscription is disabled for failures only where its settings say so", async () => {
  const page = await open(`/webhooks/${id}?tab=settings`);
  const choice = page.getByRole("switch", { name: "Disable it when its receiver keeps failing" });
  expect(await choice.isChecked()).toBe(false);
  await choice.click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await read(`/subscriptions/${id}`)).auto_disable).toBe(true);
  await page.reload();
  await choice.waitFor();
  expect(await choice.isChecked()).toBe(true);
});

test("the number of POSTs at once is chosen on a phone, refused above the installation's, and cleared", async () => {
  const { page } = await fixture.open(`/webhooks/${id}?tab=settings`, {
    as: account.cookie,
    width: 390,
  });
  const field = page.getByRole("textbox", { name: "POSTs at once" });
  const save = page.getByRole("button", { name: "Save" });
  const stored = async () => (await read(`/subscriptions/${id}`)).max_concurrency;
  const box = await field.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  await field.fill("3");
  await save.click();
  await expect.poll(stored).toBe(3);
  // The installation of the test allows 50.
  await field.fill("51");
  await save.click();
  await page.getByText("This installation allows fewer. Use a smaller number.").waitFor();
  expect(await stored()).toBe(3);
  await field.fill("");
  await save.click();
  await expect.poll(stored).toBeNull();
});

/** Attempts of the hour that runs, one of each status; or of an earlier hour. */
async function answerWith(statuses: number[], hoursAgo = 0): Promise<void> {
  const { dataSource } = fixture.database;
  for (const status of statuses) {
    await dataSource.query(
      `INSERT INTO delivery_attempts (account_id, delivery_id, subscription_id, run, seq, number, started_at,
              started_hour, request_url, status_code, duration_ms, error_class)
       SELECT ?, COALESCE(MAX(delivery_id), 0) + 1, ?, 1, 1, 1, UTC_TIMESTAMP(3) - INTERVAL ? HOUR,
              UNIX_TIMESTAMP() DIV 3600 - ?,
              'https://x/', ?, 5, IF(? < 300, NULL, 'http_status') FROM delivery_attempts`,
      [account.accountId, id, hoursAgo, hoursAgo, status, status],
    );
  }
}

test("five failed attempts in a row make a subscription Failing, and one success ends it", async () => {
  await answerWith([200], 30);
  await answerWith([500, 500], 26);
  await answerWith([503, 500, 503]);
  const page = await open("/webhooks");
  await page.getByRole("table").getByText("Failing", { exact: true }).waitFor();
  await page.getByRole("link", { name: "receiver.invalid" }).click();
  await page.getByText("Failing", { exact: true }).waitFor();
  expect(await page.getByText("Active", { exact: true }).count()).toBe(0);
  await answerWith([200]);
  await page.reload();
  await page.getByText("Active", { exact: true }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test.each([
  { state: "four failures alone", earlier: [], now: [500, 500, 500, 503] },
  { state: "four failures after a success", earlier: [500, 200, 500], now: [500, 500, 503] },
])("a subscription with $state is Active", async ({ earlier, now }) => {
  await answerWith(earlier, 1);
  await answerWith(now);
  const page = await open("/webhooks");
  await page.getByText("503").waitFor();
  await page.getByRole("table").getByText("Active", { exact: true }).waitFor();
  expect(await page.getByText("Failing", { exact: true }).count()).toBe(0);
});

test.each([
  [500, "500 Internal Server Error", "Your code fails on the event."],
  [401, "401 Unauthorized", "Your endpoint asks for credentials."],
  [302, "302 Found", "We do not follow redirects."],
  [418, "418", "Your endpoint refuses the request."],
])(
  "a failing subscription says its last error %i in words, with the fix",
  async (status, words, fix) => {
    await answerWith([500, 500, 500, 500, status]);
    const page = await open(`/webhooks/${id}`);
    const notice = page.getByRole("alert");
    await notice.getByText(`Failing: the last 5 attempts failed. The newest: ${words}`).waitFor();
    await notice.getByText(fix).waitFor();
    const link = notice.getByRole("link", { name: "Open the delivery" });
    expect(await link.getAttribute("href")).toMatch(/^\/webhooks\/\d+\?delivery=\d+$/);
  },
);

test("a paused subscription is Paused, however often it failed before", async () => {
  await answerWith([500, 500, 500, 500, 500]);
  const { cookie } = account;
  await fixture.api.call("POST", `/dashboard/api/subscriptions/${id}/pause`, { cookie, body: {} });
  const page = await open(`/webhooks/${id}`);
  await page.locator("#root").getByText("Paused", { exact: true }).waitFor();
  expect(await page.getByText(/^Failing/).count()).toBe(0);
});

test("the chart of 24 hours tells each hour to a mouse and to a screen reader", async () => {
  await answerWith([200, 200, 500]);
  await answerWith([503], 2);
  const page = await open(`/webhooks/${id}`);
  const health = page.getByRole("region", { name: "The last 24 hours" });
  const table = health.getByRole("table", { name: "The last 24 hours" });
  const rows = table.getByRole("row");
  await expect.poll(async () => await rows.count()).toBe(25);
  const cells = async (index: number) => await rows.nth(index).getByRole("cell").allInnerTexts();
  expect(await cells(24)).toEqual(["3", "1"]);
  expect(await cells(22)).toEqual(["1", "1"]);
  expect(await cells(23)).toEqual(["0", "0"]);
  expect(await health.getByText(/^\d+:00$/).count()).toBe(2);
  await health.locator("svg g").nth(23).hover();
  await page.getByText(/^\d+:00–\d+:00: 3 attempts, 1 failed$/).waitFor();
});
