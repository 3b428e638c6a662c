import { beforeEach, expect, test } from "vitest";
import { createTestSubscription } from "../support/accounts.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;
let id: number;

beforeEach(async () => {
  const { dataSource } = own.fixture.database;
  const subscription = { url: "https://old.example.com/hook" };
  ({ id } = await createTestSubscription(dataSource, own.account.accountId, subscription));
});

test("settings store what was changed, and leave what a colleague has changed meanwhile", async () => {
  const page = await open(`/webhooks/${id}?tab=settings`);
  const url = page.getByRole("textbox", { name: "URL" });
  await url.waitFor();
  await call("PATCH", `/subscriptions/${id}`, { url: "https://new.example.com/hook" });
  await page.getByRole("textbox", { name: "Name" }).fill("CRM");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "CRM", level: 1 }).waitFor();
  expect(await call("GET", `/subscriptions/${id}`)).toMatchObject({
    name: "CRM",
    url: "https://new.example.com/hook",
  });
  await expect.poll(async () => await url.inputValue()).toBe("https://new.example.com/hook");
});

test("what is typed in the settings stays while another tab is open", async () => {
  const page = await open(`/webhooks/${id}?tab=settings`);
  const url = page.getByRole("textbox", { name: "URL" });
  await url.fill("https://typed.example.com/hook");
  await page.getByRole("tab", { name: "Deliveries" }).click();
  await url.waitFor({ state: "hidden" });
  await page.getByRole("tab", { name: "Settings" }).click();
  expect(await url.inputValue()).toBe("https://typed.example.com/hook");
});

test("settings of an inbound endpoint leave what a colleague has changed meanwhile", async () => {
  const made = await call("POST", "/inbound-endpoints", { name: "CRM", strict: false });
  const page = await open(`/inbound/${made.id}?tab=settings`);
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill("ERP");
  await call("PATCH", `/inbound-endpoints/${made.id}`, { strict: true });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "ERP", level: 1 }).waitFor();
  const stored = await call("GET", `/inbound-endpoints/${made.id}`);
  expect(stored).toMatchObject({ name: "ERP", strict: true });
});
