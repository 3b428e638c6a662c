import type { Page, Route } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
/** One account per test, so that each starts with an empty inbox. */
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

/** A customer writes. @returns the conversation's id. */
async function write(text: string, name = "Ana Ruiz", from = "visitor-7"): Promise<number> {
  const body = { channel: "web", from, name, text };
  return Number((await call("POST", "/sandbox/messages", body)).conversation_id);
}

const open = async (path: string): Promise<Page> =>
  (await fixture.open(path, { as: account.cookie })).page;
const thread = (page: Page) => page.getByRole("log", { name: "Messages" });

test("another reason of a pause takes the first one's place, and both stand in the thread", async () => {
  const id = await write("A person, please");
  await call("POST", `/conversations/${id}/bot`, { enabled: false, reason: "wants a person" });
  const page = await open(`/inbox/${id}`);
  const banner = page.getByRole("alert");
  await banner.getByText("wants a person").waitFor();
  await call("POST", `/conversations/${id}/bot`, { enabled: false, reason: "wants a refund" });
  await banner.getByText("wants a refund").waitFor();
  expect(await banner.getByText("wants a person").count()).toBe(0);
  await thread(page).getByText("Handed off to people: wants a person").waitFor();
  await thread(page).getByText("New reason: wants a refund").waitFor();
});

test("the reason that the agent was enabled for stands in the thread", async () => {
  const id = await write("A person, please");
  await call("POST", `/conversations/${id}/bot`, { enabled: false });
  await call("POST", `/conversations/${id}/bot`, { enabled: true, reason: "refund is paid" });
  const page = await open(`/inbox/${id}`);
  const line = thread(page).getByText("The AI agent answers again: refund is paid");
  await expect.poll(async () => await line.count()).toBe(1);
});

test("a handoff counts the wait for a person, and is quiet once somebody has answered", async () => {
  const id = await write("A person, please");
  await call("POST", `/conversations/${id}/bot`, { enabled: false });
  await fixture.database.dataSource.query(
    "UPDATE conversations SET handoff_at = handoff_at - INTERVAL 4 MINUTE WHERE id = ?",
    [id],
  );
  const page = await open(`/inbox/${id}`);
  const list = page.getByRole("region", { name: "Conversations" });
  const opened = page.getByRole("region", { name: "Conversation with Ana Ruiz" });
  const waits = /^Waiting for a person 4:\d\d$/;
  await opened.getByText(waits).waitFor();
  const first = await list.getByText(waits).innerText();
  await expect.poll(async () => await list.getByText(waits).innerText()).not.toBe(first);
  await page.getByRole("textbox", { name: "Reply" }).fill("Here I am.");
  await page.getByRole("textbox", { name: "Reply" }).press("Enter");
  await opened.getByText("With Admin", { exact: true }).waitFor();
  await list.getByText("With Admin", { exact: true }).waitFor();
  expect(await page.getByText(/Waiting for a person \d/).count()).toBe(0);
  expect(await page.getByRole("alert").count()).toBe(0);
});

test.each([
  [
    "the agent's return",
    "Active",
    (page: Page) => page.getByRole("switch", { name: "AI agent paused" }),
  ],
  ["resolving", "Resolved", (page: Page) => page.getByRole("button", { name: "Resolve" })],
] as const)(
  "%s ends a handoff on the page before the server has answered",
  async (_, status, by) => {
    const id = await write("A person, please");
    await call("POST", `/conversations/${id}/bot`, { enabled: false, reason: "wants a person" });
    const page = await open(`/inbox/${id}`);
    await page.getByRole("alert").getByText("wants a person").waitFor();
    const held: Route[] = [];
    await page.route(new RegExp(`/conversations/${id}(/bot)?$`), async (route) => {
      if (route.request().method() === "GET") await route.continue();
      else held.push(route);
    });
    await by(page).click({ force: true });
    const opened = page.getByRole("region", { name: "Conversation with Ana Ruiz" });
    await opened.locator("[data-status]").getByText(status, { exact: true }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await expect.poll(() => held.length).toBe(1);
  },
);

test("the list shows apart what waits for a person and what was answered", async () => {
  for (const [name, answered] of [
    ["Ana", false],
    ["Ben", true],
  ] as const) {
    const id = await write("Hello", name, name);
    await call("POST", `/conversations/${id}/bot`, { enabled: false });
    if (answered) await call("POST", `/conversations/${id}/messages`, { content: "Hi" });
  }
  const page = await open("/inbox");
  const choose = async (label: string) =>
    await page.locator("label").filter({ hasText: label }).last().click();
  const row = (name: string) => page.getByRole("link", { name: new RegExp(name) });
  await choose("Handed off");
  await row("Ana").waitFor();
  await row("Ben").waitFor();
  await choose("Waiting for a person");
  await row("Ben").waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("?view=handed_off&answered=false");
  await choose("Answered");
  await row("Ben").waitFor();
  await row("Ana").waitFor({ state: "detached" });
});
