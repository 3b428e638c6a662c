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

test("the reason of a handoff stands in the thread alone, and a later reason below it", async () => {
  const id = await write("A person, please");
  await call("POST", `/conversations/${id}/bot`, { enabled: false, reason: "wants a person" });
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Admin took over: “wants a person”").waitFor();
  await call("POST", `/conversations/${id}/bot`, { enabled: false, reason: "wants a refund" });
  await thread(page).getByText("New reason: “wants a refund” (Admin)").waitFor();
  await thread(page).getByText("Admin took over: “wants a person”").waitFor();
  // The line in the thread is the only place of the reason.
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("the reason that the agent was enabled for stands in the thread", async () => {
  const id = await write("A person, please");
  await call("POST", `/conversations/${id}/bot`, { enabled: false });
  await call("POST", `/conversations/${id}/bot`, { enabled: true, reason: "refund is paid" });
  const page = await open(`/inbox/${id}`);
  const line = thread(page).getByText("The AI agent answers again: “refund is paid”");
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
  const first = await opened.getByText(waits).innerText();
  await expect.poll(async () => await opened.getByText(waits).innerText()).not.toBe(first);
  await list.getByRole("link", { name: /Ana Ruiz/ }).waitFor();
  await page.getByRole("textbox", { name: "Reply" }).fill("Here I am.");
  await page.getByRole("textbox", { name: "Reply" }).press("Enter");
  await opened.getByText("With Admin", { exact: true }).waitFor();
  await list.getByRole("link", { name: /Ana Ruiz/ }).waitFor({ state: "detached" });
  expect(await page.getByText(/Waiting for a person \d/).count()).toBe(0);
  expect(await page.getByRole("alert").count()).toBe(0);
});

test.each([
  ["the agent's return", "Active", (page: Page) => page.getByRole("switch", { name: "AI paused" })],
  ["resolving", "Resolved", (page: Page) => page.getByRole("button", { name: "Resolve" })],
] as const)(
  "%s ends a handoff on the page before the server has answered",
  async (_, status, by) => {
    const id = await write("A person, please");
    await call("POST", `/conversations/${id}/bot`, { enabled: false, reason: "wants a person" });
    const page = await open(`/inbox/${id}`);
    await thread(page).getByText("wants a person").waitFor();
    const held: Route[] = [];
    await page.route(new RegExp(`/conversations/${id}(/bot)?$`), async (route) => {
      if (route.request().method() === "GET") await route.continue();
      else held.push(route);
    });
    await by(page).click({ force: true });
    const opened = page.getByRole("region", { name: "Conversation with Ana Ruiz" });
    await opened.locator("[data-status]").getByText(status, { exact: true }).waitFor();
    expect(await opened.getByText(/^Waiting for a person/).count()).toBe(0);
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
  const page = await open("/inbox?view=all");
  const choose = async (label: string) => {
    await page.getByRole("button", { name: "Filters", exact: true }).click();
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: label, exact: true }).click();
    await page.keyboard.press("Escape");
  };
  const row = (name: string) => page.getByRole("link", { name: new RegExp(name) });
  await choose("Handed off");
  await row("Ana").waitFor();
  await row("Ben").waitFor();
  await choose("Waiting for a person");
  await row("Ben").waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("?view=all&answered=false");
  await choose("With a person");
  await row("Ben").waitFor();
  await row("Ana").waitFor({ state: "detached" });
});

test("links of an older edition lead to all conversations, with a filter that can be taken away", async () => {
  const ids = [await write("Hello", "Ana", "ana"), await write("Hello", "Ben", "ben")];
  for (const id of ids) await call("POST", `/conversations/${id}/bot`, { enabled: false });
  await call("POST", `/conversations/${ids[1]}/messages`, { content: "Hi" });
  await write("Hello", "Carla", "carla");
  const row = (page: Page, name: string) => page.getByRole("link", { name: new RegExp(name) });
  const unanswered = await open("/inbox?view=handed_off&answered=false");
  await row(unanswered, "Ana").waitFor();
  expect(await row(unanswered, "Ben").count()).toBe(0);
  const page = await open("/inbox?view=handed_off");
  await row(page, "Ana").waitFor();
  await row(page, "Ben").waitFor();
  expect(await row(page, "Carla").count()).toBe(0);
  await page.getByRole("button", { name: "Remove the filter Handed off" }).click();
  await row(page, "Carla").waitFor();
  expect(new URL(page.url()).search).toBe("?view=all");
});
