import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createAgentMessage } from "../../core/services/conversations/agent-messages.ts";
import { addColleague, asSystem } from "../support/accounts.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

// No worker runs here: what is sent stays queued, so that a pause finds it.
const own = setUpOwnAccounts();
const { call, open } = own;

/** A customer writes. @returns the conversation's id. */
async function write(text: string): Promise<number> {
  const body = { channel: "web", from: "visitor-7", name: "Ana Ruiz", text };
  return Number((await call("POST", "/sandbox/messages", body)).conversation_id);
}

/** A program writes, with the account's key. */
async function writeAsProgram(id: number, content: string): Promise<void> {
  const { apiKey } = own.account;
  const path = `/api/v1/conversations/${id}/messages`;
  const answer = await own.fixture.api.call("POST", path, { apiKey, body: { content } });
  expect(answer.status).toBe(201);
}

/** The AI agent writes, as far as nobody has paused it. */
async function writeAsAgent(conversationId: number, content: string): Promise<void> {
  const { dataSource } = own.fixture.database;
  const facts = { conversationId, epoch: 0, watermark: Number.MAX_SAFE_INTEGER, content };
  const row = await asSystem(dataSource, own.account.accountId, async (tx) =>
    createAgentMessage(tx, facts),
  );
  expect(row).not.toBeNull();
}

/** A colleague writes, whom this makes by the way. */
async function writeAsColleague(id: number, name: string, content: string): Promise<void> {
  const { dataSource } = own.fixture.database;
  const { cookie } = await addColleague(dataSource, own.account.accountId, name);
  const path = `/dashboard/api/conversations/${id}/messages`;
  const answer = await own.fixture.api.call("POST", path, { cookie, body: { content } });
  expect(answer.status).toBe(201);
}

/** The lines at a message: its text, who wrote it, when, how far it has come. */
async function linesAt(page: Page, text: string): Promise<string[]> {
  const thread = page.getByRole("log", { name: "Messages" });
  const bubble = thread.getByText(text, { exact: true }).locator("..");
  return (await bubble.innerText()).split(/\n+/);
}

test("who wrote stands at each message: the AI agent, a program, a colleague, oneself, the customer", async () => {
  const id = await write("Is the terrace open?");
  await writeAsAgent(id, "It is, until ten.");
  await writeAsProgram(id, "Your table is booked.");
  await writeAsColleague(id, "Luis Prado", "I keep the corner for you.");
  const page = await open(`/inbox/${id}`);
  await page.getByRole("textbox", { name: "Reply" }).fill("See you!");
  await page.getByRole("textbox", { name: "Reply" }).press("Enter");
  const time = expect.stringMatching(/\d:\d\d/);
  const ours = {
    "It is, until ten.": "AI agent",
    "Your table is booked.": "API",
    "I keep the corner for you.": "Luis Prado",
    "See you!": "Admin",
  };
  for (const [text, who] of Object.entries(ours)) {
    await expect
      .poll(async () => (await linesAt(page, text)).slice(0, 3))
      .toEqual([text, who, time]);
  }
  // At the left, with nobody's name: it is the one whose conversation this is.
  expect(await linesAt(page, "Is the terrace open?")).toEqual(["Is the terrace open?", time]);
});

test("the list says who had the last word, unless it was the customer", async () => {
  const id = await write("Is the terrace open?");
  // A colleague who writes takes over, and the conversation is no longer among the open ones.
  const page = await open("/inbox?view=all");
  const row = page.getByRole("link", { name: /Ana Ruiz/ });
  const lastWord = async () => (await row.innerText()).split(/\n+/)[2];
  await expect.poll(lastWord).toBe("Is the terrace open?");
  await writeAsAgent(id, "It is, until ten.");
  await expect.poll(lastWord).toBe("AI agent: It is, until ten.");
  await writeAsProgram(id, "Your table is booked.");
  await expect.poll(lastWord).toBe("API: Your table is booked.");
  await writeAsColleague(id, "Luis Prado", "I keep the corner for you.");
  await expect.poll(lastWord).toBe("Team: I keep the corner for you.");
});

test("a pause cuts what the agent has not sent yet: that shows at the message, and at no other", async () => {
  const id = await write("I want a person");
  await writeAsAgent(id, "One moment, please.");
  await writeAsProgram(id, "Your table is booked.");
  const page = await open(`/inbox/${id}`);
  // Text, author, time, and then the status.
  const statusOf = async (text: string) => (await linesAt(page, text))[3];
  await expect.poll(async () => await statusOf("One moment, please.")).toBe("Queued");
  await call("POST", `/conversations/${id}/bot`, { enabled: false, reason: "asks for a person" });
  await expect.poll(async () => await statusOf("One moment, please.")).toBe("Cancelled");
  expect((await linesAt(page, "One moment, please."))[1]).toBe("AI agent");
  expect(await statusOf("Your table is booked.")).toBe("Queued");
});
