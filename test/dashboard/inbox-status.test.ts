import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { recordMessageStatus } from "../../core/services/conversations/message-sending.ts";
import { asSystem, createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startDashboard, type DashboardFixture } from "../support/dashboard-fixture.ts";
import { createNamespace, startTestWorker } from "../support/worker.ts";

let fixture: DashboardFixture;
let namespace: string;
/** One account per test, so that each starts with an empty inbox. */
let account: TestAccount;

beforeAll(async () => {
  [fixture, namespace] = await Promise.all([startDashboard(), createNamespace()]);
});

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

afterAll(async () => await fixture.stop());

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

/** A conversation of a customer who has written, as somebody has it open. */
async function openConversation(): Promise<{ id: number; page: Page }> {
  const body = { channel: "web", from: "visitor-7", name: "Ana", text: "Is anybody there?" };
  const id = Number((await call("POST", "/sandbox/messages", body)).conversation_id);
  const { page } = await fixture.open(`/inbox/${id}`, { as: account.cookie });
  await page.getByRole("log", { name: "Messages" }).getByText("Is anybody there?").waitFor();
  return { id, page };
}

async function reply(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Reply" }).fill(text);
  await page.getByRole("textbox", { name: "Reply" }).press("Enter");
}

/** What stands around a message: who wrote it, when, how far it has come. */
const bubble = (page: Page, text: string) =>
  page.getByRole("log", { name: "Messages" }).getByText(text, { exact: true }).locator("..");

/** Runs `work` while a worker sends what is to be sent. */
async function withWorker(work: () => Promise<void>): Promise<void> {
  const worker = await startTestWorker(fixture.database, namespace);
  try {
    await work();
  } finally {
    await worker.stop();
  }
}

test("a reply is queued until a worker sends it, and is read where the channel says so", async () => {
  const { id, page } = await openConversation();
  await reply(page, "Good evening!");
  await expect
    .poll(async () => (await call("GET", `/conversations/${id}/messages`)).length)
    .toBe(2);
  await bubble(page, "Good evening!").getByText("Queued", { exact: true }).waitFor();
  await withWorker(async () => {
    await bubble(page, "Good evening!").getByText("Read", { exact: true }).waitFor();
  });
  const [newest] = await call("GET", `/conversations/${id}/messages`);
  expect(newest).toMatchObject({ content: "Good evening!", status: "read" });
  expect(await bubble(page, "Is anybody there?").getByText("Read").count()).toBe(0);
});

test("each step that a channel reports of a reply stands at it in turn, and no later one is taken back", async () => {
  const { id, page } = await openConversation();
  await withWorker(async () => {
    await reply(page, "/silent until told");
    await bubble(page, "/silent until told").getByText("Sent", { exact: true }).waitFor();
    const [{ id: messageId }] = await call("GET", `/conversations/${id}/messages`);
    const report = async (status: "delivered" | "read") =>
      await asSystem(fixture.database.dataSource, account.accountId, async (tx) =>
        recordMessageStatus(tx, messageId, status),
      );
    await report("delivered");
    await bubble(page, "/silent until told").getByText("Delivered", { exact: true }).waitFor();
    await report("read");
    await bubble(page, "/silent until told").getByText("Read", { exact: true }).waitFor();
    await report("delivered");
    await page.reload();
    await bubble(page, "/silent until told").getByText("Read", { exact: true }).waitFor();
  });
  expect(await bubble(page, "/silent until told").getByText("Delivered").count()).toBe(0);
});

test("a reply that the channel refuses says so, with the reason, and nothing of its way", async () => {
  const { page } = await openConversation();
  await withWorker(async () => {
    await reply(page, "/fail please");
    await bubble(page, "/fail please").getByText("Failed", { exact: true }).waitFor();
  });
  const text = await bubble(page, "/fail please").innerText();
  expect(text).not.toMatch(/Queued|Sending|Sent|Delivered/);
  expect(text).toMatch(/refused/i);
});
