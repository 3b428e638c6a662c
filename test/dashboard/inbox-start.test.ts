import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { findBarriers } from "../support/browser.ts";
import { connectWhatsApp } from "../support/conversations.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

const open = async (path: string): Promise<Page> =>
  (await fixture.open(path, { as: account.cookie })).page;

async function fillIn(page: Page, phone: string, name: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "New conversation" });
  await dialog.getByRole("textbox", { name: "Phone" }).fill(phone);
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("button", { name: "Open" }).click();
}

test("a conversation is started from the inbox, and its first message written there", async () => {
  const page = await open("/inbox");
  await page.getByRole("button", { name: "New conversation" }).click();
  await page.getByRole("dialog", { name: "New conversation" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await fillIn(page, "12", "Ana Ruiz");
  await page.getByText("8 to 15 digits").first().waitFor();
  await fillIn(page, "+52 55 1234 5678", "Ana Ruiz");
  await page.waitForURL(/\/inbox\/\d+$/);
  await page.getByRole("heading", { name: "Ana Ruiz", level: 1 }).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "Reply" }).fill("Good morning");
  await page.getByRole("textbox", { name: "Reply" }).press("Enter");
  await page.getByRole("log").getByText("Good morning").waitFor();
  const [row] = await call("GET", "/conversations");
  expect(row).toMatchObject({ channel: "whatsapp", contact: { name: "Ana Ruiz" } });
});

test("Ctrl-K starts one from any page", async () => {
  const page = await open("/contacts");
  await page.getByRole("heading", { name: "Contacts", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await page
    .getByRole("dialog")
    .getByPlaceholder(/Jump to|Search/)
    .fill("New conv");
  await page.getByRole("button", { name: "New conversation" }).last().click();
  await fillIn(page, "5215512340000", "Ben");
  await page.waitForURL(/\/inbox\/\d+$/);
  await page.getByRole("heading", { name: "Ben", level: 1 }).waitFor();
  await expect.poll(async () => await page.getByRole("dialog").count()).toBe(0);
  await page.goBack();
  await page.waitForURL(/\/contacts$/);
  await page.getByRole("heading", { name: "Contacts", exact: true }).waitFor();
  await expect.poll(async () => await page.getByRole("dialog").count()).toBe(0);
});

test("a contact's page leads to the conversation; a closed window takes a template", async () => {
  await connectWhatsApp(fixture.database.dataSource, account.accountId);
  const { id } = await call("POST", "/contacts", { phone: "5215512341111", name: "Carla" });
  const page = await open(`/contacts/${id}`);
  await page.getByRole("button", { name: "Message" }).click();
  await page.waitForURL(/\/inbox\/\d+$/);
  await page.getByRole("textbox", { name: "Template name" }).waitFor();
  const why = page.getByText("The customer has not written yet");
  await expect.poll(async () => await why.count()).toBe(1);
});
