import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../support/accounts.ts";
import { startDashboard, type DashboardScene } from "../support/dashboard.ts";

let scene: DashboardScene;
let account: TestAccount;
let id: number;

beforeAll(async () => {
  scene = await startDashboard();
});

beforeEach(async () => {
  const { dataSource } = scene.database;
  account = await createTestAccount(dataSource);
  const subscription = { url: "https://receiver.invalid/hook" };
  ({ id } = await createTestSubscription(dataSource, account.accountId, subscription));
});

afterAll(async () => await scene.stop());

const open = async (path: string): Promise<Page> =>
  (await scene.open(path, { as: account.cookie })).page;

async function read(path: string) {
  const { cookie } = account;
  return (await scene.api.call("GET", `/dashboard/api${path}`, { cookie })).json.data;
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
