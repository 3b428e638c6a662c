import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { insertRow } from "../../core/services/sql.ts";
import { KnowledgeGap } from "../../db/entities/knowledge.ts";
import { asSystem, createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
/** One account per test, so that each starts without knowledge. */
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

const open = async (): Promise<Page> =>
  (await fixture.open("/agent/knowledge", { as: account.cookie })).page;
const parking = { question: "Is there parking?", answer: "Yes, for free.", language: "en" };
const items = (page: Page) => page.getByRole("region", { name: "Questions and answers" });
const row = (page: Page, text: string) => items(page).getByRole("row", { name: text });

let turns = 0;

/** A customer asks a question that no item answers. */
async function leaveGap(question: string): Promise<void> {
  const message = { channel: "web", from: "visitor-7", name: "Ana Ruiz", text: question };
  const { conversation_id, contact_id } = await call("POST", "/sandbox/messages", message);
  const { accountId } = account;
  await asSystem(fixture.database.dataSource, accountId, (tx) =>
    insertRow(tx, KnowledgeGap, {
      accountId,
      conversationId: conversation_id,
      contactId: contact_id,
      turnId: (turns += 1),
      question,
      language: "en",
      createdAt: tx.now,
    }),
  );
}

test("the first answer is added from the empty page, and a customer's question finds it", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Add the first answer" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an answer" });
  await dialog.getByRole("textbox", { name: "Question" }).fill(parking.question);
  await dialog.getByRole("textbox", { name: "Answer", exact: true }).fill(parking.answer);
  await dialog.getByRole("button", { name: "Save" }).click();
  await row(page, "Is there parking?").getByText("Approved").waitFor();
  await page.getByRole("textbox", { name: "Ask as a customer" }).fill("is there parking");
  await page.getByRole("textbox", { name: "Ask as a customer" }).press("Enter");
  const hits = page.getByRole("list", { name: "Answers found" });
  expect(await hits.getByRole("listitem").innerText()).toMatch(/parking\?\s+answers\s+1\.00/);
});

test("an item is archived, found by its state, approved again and deleted", async () => {
  await call("POST", "/knowledge-items", { ...parking, state: "approved" });
  const page = await open();
  await page.getByRole("button", { name: "Actions for Is there parking?" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await row(page, "Is there parking?").getByText("Archived").waitFor();
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "Approved" }).click();
  await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
  await page.goto(page.url().replace("approved", "archived"));
  await page.getByRole("button", { name: "Actions for Is there parking?" }).click();
  await page.getByRole("menuitem", { name: "Approve" }).click();
  await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
  await page.goto(page.url().replace("state=archived", ""));
  await page.getByRole("button", { name: "Actions for Is there parking?" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No answer yet" }).waitFor();
  expect(await call("GET", "/knowledge-items")).toEqual([]);
});

test("an item without a text is refused at its field, and the dialog stays", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Add an answer", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Add an answer" });
  await dialog.getByRole("textbox", { name: "Question" }).fill("Is there parking?");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.locator("[aria-invalid=true]").waitFor();
  expect((await call("GET", "/knowledge-items")).length).toBe(0);
});

test("a gap is answered from its row, and another one is dismissed", async () => {
  await leaveGap("Do you take cards?");
  await leaveGap("Do you have wifi?");
  const page = await open();
  const gaps = page.getByRole("region", { name: "Questions without an answer" });
  await gaps.getByRole("button", { name: "Answer this: Do you take cards?" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an answer" });
  const question = dialog.getByRole("textbox", { name: "Question" });
  expect(await question.inputValue()).toBe("Do you take cards?");
  await dialog.getByRole("textbox", { name: "Answer", exact: true }).fill("Yes, all of them.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await row(page, "Do you take cards?").getByText("Approved").waitFor();
  await gaps.getByText("Do you take cards?").waitFor({ state: "detached" });
  await gaps.getByRole("button", { name: "Dismiss: Do you have wifi?" }).click();
  await gaps.waitFor({ state: "detached" });
});

test("an answer that is being written stays where its question is dismissed meanwhile", async () => {
  await leaveGap("Do you take cards?");
  const page = await open();
  const gaps = page.getByRole("region", { name: "Questions without an answer" });
  await gaps.getByRole("button", { name: "Answer this: Do you take cards?" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an answer" });
  const answer = dialog.getByRole("textbox", { name: "Answer", exact: true });
  await answer.fill("Yes, all of them.");
  const [gap] = await call("GET", "/knowledge-gaps");
  await call("POST", `/knowledge-gaps/${gap.id}/dismiss`);
  await page.locator("section", { hasText: "Do you take cards?" }).waitFor({ state: "detached" });
  expect(await answer.inputValue()).toBe("Yes, all of them.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await row(page, "Do you take cards?").getByText("Approved").waitFor();
});

test("an item that is being edited stays where a colleague's decision takes its row away", async () => {
  const { id } = await call("POST", "/knowledge-items", { ...parking, state: "suggested" });
  const page = await open();
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "Suggested" }).click();
  await row(page, "Is there parking?").getByRole("button").first().click();
  const dialog = page.getByRole("dialog", { name: "Edit" });
  const answer = dialog.getByRole("textbox", { name: "Answer", exact: true });
  await answer.fill("Yes, for an hour.");
  await call("PATCH", `/knowledge-items/${id}`, { state: "archived" });
  await row(page, "Is there parking?").waitFor({ state: "detached" });
  expect(await answer.inputValue()).toBe("Yes, for an hour.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const [stored] = await call("GET", "/knowledge-items");
  expect(stored).toMatchObject({ answer: "Yes, for an hour." });
});

/** A customer asks, and a person replies. @returns the page of the conversation. */
async function openReplied(question: string, content: string): Promise<Page> {
  const message = { channel: "web", from: "visitor-9", name: "Ana Ruiz", text: question };
  const { conversation_id: id } = await call("POST", "/sandbox/messages", message);
  await call("POST", `/conversations/${id}/messages`, { content });
  const { page } = await fixture.open(`/inbox/${id}`, { as: account.cookie });
  await page.getByRole("button", { name: "Message actions" }).last().click();
  return page;
}

test("a person's reply becomes knowledge, without the customer's data, and is asked again", async () => {
  const page = await openReplied(
    "Hi, I am Ana. Do you take cards?",
    "Yes Ana, all cards. Call 55 1234 5678.",
  );
  await page.getByRole("menuitem", { name: "Save as knowledge" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an answer" });
  const question = dialog.getByRole("textbox", { name: "Question" });
  const answer = dialog.getByRole("textbox", { name: "Answer", exact: true });
  expect(await question.inputValue()).toBe("Hi, I am •••. Do you take cards?");
  expect(await answer.inputValue()).toBe("Yes •••, all cards. Call •••.");
  await question.fill("Do you take cards?");
  await answer.fill("Yes, all cards.");
  await dialog.getByRole("button", { name: "Save" }).click();
  // The customer's own words are asked again.
  await page.getByText(/“Hi, I am •••\. Do you take cards\?”/).waitFor();
  expect(await call("GET", "/knowledge-items")).toMatchObject([
    { question: "Do you take cards?", answer: "Yes, all cards.", state: "approved" },
  ]);
});

test("a member without the role suggests a reply, and a customer's message offers no knowledge", async () => {
  account = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const page = await openReplied("Do you take cards?", "Yes, all cards.");
  await page.getByRole("menuitem", { name: "Save as knowledge" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an answer" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Suggested. An admin approves it.").waitFor();
  expect(await call("GET", "/knowledge-items")).toMatchObject([{ state: "suggested" }]);
  await page.getByRole("button", { name: "Message actions" }).first().click();
  await page.getByRole("menuitem", { name: "Copy text" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Save as knowledge" }).count()).toBe(0);
});

test("a member proposes, and a colleague's page shows the proposal at once", async () => {
  const colleague = await open();
  await colleague.getByRole("heading", { name: "No answer yet" }).waitFor();
  await call("POST", "/knowledge-items", parking);
  await row(colleague, "Is there parking?").getByText("Suggested").waitFor();
  expect(await colleague.getByRole("heading", { name: "No answer yet" }).count()).toBe(0);
});

test("a member without the role proposes an answer, which an admin approves", async () => {
  account = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const page = await open();
  await page.getByRole("button", { name: "Add an answer", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Add an answer" });
  await dialog.getByText("An admin approves it before the agent answers with it.").waitFor();
  await dialog.getByRole("textbox", { name: "Question" }).fill(parking.question);
  await dialog.getByRole("textbox", { name: "Answer", exact: true }).fill(parking.answer);
  await dialog.getByRole("button", { name: "Save" }).click();
  await row(page, "Is there parking?").getByText("Suggested").waitFor();
  await page.getByRole("button", { name: "Actions for Is there parking?" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Approve" }).count()).toBe(0);
});
