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

test("a subscription whose newest attempts all fail is Failing, in the list and on its page", async () => {
  await answerWith([200], 3);
  await answerWith([500], 2);
  await answerWith([503, 500]);
  const page = await open("/webhooks");
  await page.getByRole("table").getByText("Failing", { exact: true }).waitFor();
  await page.getByRole("link", { name: "receiver.invalid" }).click();
  await page.getByText("Failing", { exact: true }).waitFor();
  expect(await page.getByText("Active", { exact: true }).count()).toBe(0);
  await answerWith([200]);
  await page.reload();
  await page.getByText("Active", { exact: true }).waitFor();
});

test.each([
  { state: "two failures alone", earlier: [], now: [500, 503] },
  { state: "two failures after an hour with a success", earlier: [200, 500], now: [500, 503] },
])("a subscription with $state is Active", async ({ earlier, now }) => {
  await answerWith(earlier, 1);
  await answerWith(now);
  const page = await open("/webhooks");
  await page.getByText("503").waitFor();
  await page.getByRole("table").getByText("Active", { exact: true }).waitFor();
  expect(await page.getByText("Failing", { exact: true }).count()).toBe(0);
});
