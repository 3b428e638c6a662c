import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createAgentMessage } from "../../core/services/conversations/agent-messages.ts";
import { addColleague, asSystem } from "../support/accounts.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";
import { setUpAgent } from "../worker/agent-fixture.ts";
import { beginTestTurn, type TestTurn } from "./agent-turns.ts";

// No worker runs here: each test takes the turns of the agent step by step.
const own = setUpOwnAccounts();
const { call, open } = own;

beforeEach(async () => {
  await setUpAgent(own.fixture.database, own.account.accountId, { strict: false });
});

const begin = async (text: string, name = "Ana Ruiz"): Promise<TestTurn> =>
  await beginTestTurn(own.fixture.database, own.account.accountId, { text, name });
const trace = (page: Page) => page.getByRole("dialog", { name: "Why?" });
const thread = (page: Page) => page.getByRole("log", { name: "Messages" });

test("the list shows each turn, is filtered by outcome, and opens its trace", async () => {
  const first = await begin("Hello there");
  await first.call("search_knowledge", { query: "hello" });
  await first.reply("Hello! I can help you.");
  const second = await begin("My tooth hurts", "Luz Paz");
  await second.handOver("asked_for_a_person");
  const page = await open("/agent/turns");
  const rows = page.getByRole("region", { name: "Turns" });
  await rows.getByText("The customer asked for a person").waitFor();
  await page.getByRole("combobox", { name: "Outcome" }).click();
  await page.getByRole("option", { name: "Replied" }).click();
  await rows.getByText("The customer asked for a person").waitFor({ state: "detached" });
  await rows.getByRole("button", { name: "Ana Ruiz" }).click();
  await trace(page).getByText("Hello there").waitFor();
  await trace(page).getByRole("button", { name: "Searched the knowledge" }).click();
  await trace(page).getByRole("group", { name: "Asked" }).getByText('"query"').waitFor();
  await trace(page).getByText("Checks passed").waitFor();
  await page.keyboard.press("Escape");
  await trace(page).waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("?outcome=replied");
});

test("the arrows go from a turn to its neighbours in the list", async () => {
  const turns = [await begin("The first text"), await begin("The second text", "Luz Paz")];
  for (const turn of turns) await turn.handOver("asked_for_a_person");
  const page = await open(`/agent/turns?turn=${turns[1]?.turnId}`);
  await trace(page).getByText("The second text").waitFor();
  await page.keyboard.press("ArrowDown");
  await trace(page).getByText("The first text").waitFor();
  expect(new URL(page.url()).searchParams.get("turn")).toBe(String(turns[0]?.turnId));
});

test("Why? on a message of the agent opens the trace of its own turn", async () => {
  const from = "5215512345678";
  const { database } = own.fixture;
  const { accountId } = own.account;
  const write = async (text: string) =>
    await beginTestTurn(database, accountId, { text, name: "Ana Ruiz", from });
  const first = await write("Do you open early?");
  await first.reply("We are glad to help.");
  const second = await write("And what about cards?");
  await second.reply("Please ask at the desk.");
  const page = await open(`/inbox/${first.conversationId}?view=all`);
  const message = thread(page).locator("[data-ai]", { hasText: "We are glad to help." });
  await message.getByRole("button", { name: "Why?" }).click();
  await trace(page).getByText("Do you open early?").waitFor();
  expect(await trace(page).getByText("And what about cards?").count()).toBe(0);
  await page.keyboard.press("Escape");
  await trace(page).waitFor({ state: "detached" });
  const focused = page.locator("*:focus");
  expect(await focused.innerText()).toBe("Why?");
});

test("people rate a message of the agent, and a colleague reads the reason under Why?", async () => {
  const turn = await begin("Hello there");
  await turn.reply("Hello! I can help you.");
  const path = `/inbox/${turn.conversationId}?view=all`;
  const page = await open(path);
  const up = (where: Page) => thread(where).getByRole("button", { name: "Good answer" });
  const down = (where: Page) => thread(where).getByRole("button", { name: "Bad answer" });
  await up(page).click();
  await expect.poll(() => up(page).getAttribute("aria-pressed")).toBe("true");
  await up(page).click();
  await expect.poll(() => up(page).getAttribute("aria-pressed")).toBe("false");
  await down(page).click();
  const form = page.getByRole("dialog", { name: "Bad answer" });
  await form.getByRole("combobox", { name: "Reason, if you like" }).click();
  await form.getByRole("option", { name: "Wrong facts" }).click();
  await form.getByRole("textbox", { name: "In your words" }).fill("We close at six.");
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  expect(await page.locator("*:focus").getAttribute("aria-label")).toBe("Bad answer");
  // A colleague with the page open sees the rating arrive, and has thumbs of their own.
  const { dataSource } = own.fixture.database;
  const luis = await addColleague(dataSource, own.account.accountId, "Luis Mora");
  const other = await open(path, { as: luis.cookie });
  await thread(other).getByRole("button", { name: "Why?" }).click();
  await trace(other).getByText("We close at six.").waitFor();
  expect(await down(other).first().getAttribute("aria-pressed")).toBe("false");
  await down(page).click();
  await form.getByRole("button", { name: "Remove rating" }).click();
  await trace(other).getByText("We close at six.").waitFor({ state: "detached" });
});

test("a message that another system wrote as the agent has no trace, and says so", async () => {
  const body = { channel: "web", from: "visitor-7", name: "Ana Ruiz", text: "Hi" };
  const { conversation_id: conversationId } = await call("POST", "/sandbox/messages", body);
  const { dataSource } = own.fixture.database;
  const facts = { conversationId, epoch: 0, watermark: Number.MAX_SAFE_INTEGER, content: "Hello" };
  await asSystem(dataSource, own.account.accountId, (tx) => createAgentMessage(tx, facts));
  const page = await open(`/inbox/${conversationId}?view=all`);
  await thread(page).getByRole("button", { name: "Why?" }).click();
  const words = await trace(page).getByText("There is no trace").innerText();
  expect(words).toContain("another system wrote this message");
});

test("a line says that the agent writes, until its reply arrives", async () => {
  const turn = await begin("Hello there");
  const page = await open(`/inbox/${turn.conversationId}?view=all`);
  const line = page.getByText("The agent is writing…");
  await line.waitFor();
  await turn.reply("Hello! I can help you.");
  await thread(page).getByText("Hello! I can help you.").waitFor();
  await line.waitFor({ state: "detached" });
  const { agent_writing: isWriting } = await call("GET", `/conversations/${turn.conversationId}`);
  expect(isWriting).toBe(false);
});

test("the note of a handover carries the agent's spark and its summary", async () => {
  const turn = await begin("My tooth hurts");
  await turn.handOver("asked_for_a_person");
  const page = await open(`/inbox/${turn.conversationId}?view=all`);
  const note = thread(page).getByText("AI agent · Note, only your team sees it").locator("../..");
  expect(await note.innerText()).toContain("My tooth hurts");
});

test("the overview counts the outcomes of the newest turns, each a link to these turns", async () => {
  const turn = await begin("My tooth hurts");
  await turn.handOver("asked_for_a_person");
  const page = await open("/agent");
  await page.getByRole("link", { name: /^1\s*Handed over$/ }).click();
  await page.getByRole("button", { name: "Ana Ruiz" }).waitFor();
  expect(new URL(page.url()).search).toBe("?outcome=handed_off");
});
