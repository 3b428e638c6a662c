import type { Locator, Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { seedClinic } from "../../dev/launcher/demo-clinic.ts";
import { addColleague, asSystem } from "../support/accounts.ts";
import { runQueuedCases } from "../support/agent-cases.ts";
import { expectFocusIn, findBarriers } from "../support/browser.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";
import { setUpAgent } from "../worker/agent-fixture.ts";
import { beginTestTurn } from "./agent-turns.ts";

// No worker runs here: results are written, and cases run, as the activity does it.
const own = setUpOwnAccounts();
const { call, open } = own;

beforeEach(async () => {
  const { dataSource } = own.fixture.database;
  await asSystem(dataSource, own.account.accountId, (tx) => seedClinic(tx));
});

test("a case is written, run, and shows live what differed", async () => {
  const page = await open("/agent/cases");
  await page.getByRole("heading", { name: "No test case yet" }).waitFor();
  await page.getByRole("button", { name: "Add test case" }).click();
  const dialog = page.getByRole("dialog", { name: "Add test case" });
  await expectFocusIn(dialog);
  await dialog.getByRole("textbox", { name: "Message 1" }).fill("hola");
  await dialog.getByRole("button", { name: "Add message" }).click();
  await dialog.getByRole("textbox", { name: "Message 2" }).fill("quiero una cita");
  await dialog.getByRole("button", { name: "Save" }).click();
  const rows = page.getByRole("region", { name: "Test cases" });
  await rows.getByText("Not run").waitFor();
  await page.getByRole("button", { name: "Run all" }).click();
  await rows.getByText("Running").waitFor();
  const result = { outcome: "silent", reason: null, tools: [], cited: [], texts: [], error: null };
  await own.fixture.database.dataSource.query(
    "UPDATE agent_cases SET state = 'failed', queued_at = NULL, draft_digest = 'd', result = ? WHERE account_id = ?",
    [JSON.stringify({ ...result, differences: ["outcome"] }), own.account.accountId],
  );
  await call("PATCH", "/agent", { quiet_seconds: 7 });
  await rows.getByText("Another outcome: Stayed silent").waitFor();
  await rows.getByText("with another draft").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const [saved] = (await call("GET", "/agent-cases")) as { lines: string[] }[];
  expect(saved?.lines).toEqual(["hola", "quiero una cita"]);
});

const choose = async (dialog: Locator, field: string, option: string): Promise<void> => {
  await dialog.getByRole("combobox", { name: field }).click();
  await dialog.page().getByRole("option", { name: option, exact: true }).click();
};
const valueOf = async (dialog: Locator, field: string): Promise<string> =>
  await dialog.getByRole("combobox", { name: field }).inputValue();
const rowsOf = (page: Page) => page.getByRole("region", { name: "Test cases" });
const addCase = async (lines: string[], expected: object): Promise<{ id: number }> =>
  await call("POST", "/agent-cases", { lines, expected });
/** Id of the clinic's item with this question. */
const itemOf = async (question: string): Promise<number> => {
  const found = (await call("GET", "/knowledge-items?limit=50")) as {
    id: number;
    question: string;
  }[];
  const item = found.find((one) => one.question === question);
  if (item === undefined) throw new Error(`The clinic has no item "${question}".`);
  return item.id;
};

test("an edited case runs with the draft, is red with its reasons, and publishing warns of it", async () => {
  await call("PATCH", "/agent", { quiet_seconds: 7 });
  await addCase(["¿Aceptan tarjeta?"], { outcome: "replied" });
  await addCase(["quiero hablar con una persona"], { outcome: "handed_off" });
  const page = await open("/agent/cases");
  await rowsOf(page).getByRole("button", { name: "¿Aceptan tarjeta?", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Edit test case" });
  await expectFocusIn(dialog);
  await dialog.getByRole("textbox", { name: "Message 1" }).fill("¿Hay estacionamiento?");
  await dialog.getByRole("button", { name: "Add message" }).click();
  await dialog.getByRole("textbox", { name: "Message 2" }).fill("hola");
  await dialog.getByRole("button", { name: "Add message" }).click();
  await dialog.getByRole("textbox", { name: "Message 3" }).fill("¿Hay estacionamiento?");
  await dialog.getByRole("button", { name: "Remove message 2" }).click();
  await choose(dialog, "Channel", "Web chat");
  await choose(dialog, "Expected outcome", "Handed over");
  await choose(dialog, "Expected tool", "Added a note");
  await dialog
    .getByRole("combobox", { name: "Expected answer from knowledge" })
    .fill("puedo pagar");
  await page.getByRole("option", { name: "¿Cómo puedo pagar?" }).click();
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const [, edited] = await call("GET", "/agent-cases");
  expect(edited).toMatchObject({
    channel: "web",
    lines: ["¿Hay estacionamiento?", "¿Hay estacionamiento?"],
    expected: {
      outcome: "handed_off",
      tool: "add_note",
      item_id: await itemOf("¿Cómo puedo pagar?"),
    },
  });
  await page.getByRole("button", { name: "Run all" }).click();
  await expect.poll(async () => await rowsOf(page).getByText("Running").count()).toBe(2);
  await runQueuedCases(own.fixture.database, own.fixture.api, own.account.accountId);
  const red = rowsOf(page).getByRole("row", { name: "¿Hay estacionamiento?" });
  const green = rowsOf(page).getByRole("row", { name: "quiero hablar con una persona" });
  await green.getByText("Passed").waitFor();
  await red.getByText("Failed").waitFor();
  await red.getByText("Another outcome: Replied").waitFor();
  await red.getByText("Tool not used: Added a note").waitFor();
  await red.getByText("It did not answer from the expected one").waitFor();
  await red.getByText("Answers with “¿Cómo puedo pagar?”").waitFor();
  await red.getByRole("button", { name: /^¿Hay estacionamiento/ }).click();
  const run = dialog.getByRole("region", { name: "Last run" });
  await run
    .getByText(/detrás del edificio es gratis/)
    .first()
    .waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Setup" }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const warning = page.getByRole("dialog", { name: "Publish the draft?" });
  await warning.getByText("1 test case failed with this draft.").waitFor();
  await warning.getByRole("link", { name: "See the test cases" }).click();
  await red.getByText("Failed").waitFor();
  expect(await call("GET", "/agent")).toMatchObject({ differs: true });
});

test("a turn becomes a case with its text, outcome, tool and source, and the toast opens it", async () => {
  const { database } = own.fixture;
  const { accountId } = own.account;
  await setUpAgent(database, accountId, { strict: false });
  const item = await itemOf("Is there parking?");
  const text = "Is there parking?\nMy phone is 55 1234 5678";
  const turn = await beginTestTurn(database, accountId, { text, name: "Ana Ruiz" });
  await turn.call("search_knowledge", { query: "parking" });
  await turn.reply(`You park behind the building. [k${item}]`);
  const page = await open(`/agent/turns?turn=${turn.turnId}`);
  const trace = page.getByRole("dialog", { name: "Why?" });
  await trace.getByRole("button", { name: "Save as test case" }).click();
  await page.getByRole("button", { name: "Open", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Edit test case" });
  await expectFocusIn(dialog);
  const [made] = await call("GET", "/agent-cases");
  expect(new URL(page.url()).search).toBe(`?case=${made.id}`);
  const written = await dialog.getByRole("textbox", { name: "Message 1" }).inputValue();
  expect(written).toMatch(/^Is there parking\?\nMy phone is /);
  expect(written).not.toContain("1234");
  expect(await dialog.getByRole("textbox", { name: "Message 2" }).count()).toBe(0);
  expect(await valueOf(dialog, "Channel")).toBe("WhatsApp");
  expect(await valueOf(dialog, "Expected outcome")).toBe("Replied");
  expect(await valueOf(dialog, "Expected tool")).toBe("Searched the knowledge");
  await expect
    .poll(async () => await valueOf(dialog, "Expected answer from knowledge"))
    .toBe("Is there parking?");
  // Saving an untouched case keeps the burst in one message.
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const [saved] = await call("GET", "/agent-cases");
  expect([saved.lines, saved.expected]).toEqual([[written], made.expected]);
  expect(new URL(page.url()).search).toBe("");
});

test("a case without message or expectation is not saved, and a deleted answer is named so", async () => {
  const item = await itemOf("Is there parking?");
  const { id } = await addCase(["Is there parking?"], { item_id: item });
  await call("DELETE", `/knowledge-items/${item}`);
  const page = await open(`/agent/cases?case=${id}`);
  const dialog = page.getByRole("dialog", { name: "Edit test case" });
  const answer = dialog.getByRole("combobox", { name: "Expected answer from knowledge" });
  await expect.poll(async () => await answer.inputValue()).toBe("Deleted answer");
  await answer.click();
  await page.getByRole("option", { name: "Deleted answer" }).click();
  await dialog.getByRole("textbox", { name: "Message 1" }).fill("  ");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Write what the customer says.").waitFor();
  await dialog.getByText("Choose what to expect: an outcome, a tool or an answer.").waitFor();
  expect(await call("GET", "/agent-cases")).toMatchObject([
    { lines: ["Is there parking?"], expected: { item_id: item }, item_question: null },
  ]);
});

test("a case is deleted from its menu once confirmed, and members without the role only read", async () => {
  await addCase(["hola"], { outcome: "replied" });
  const { dataSource } = own.fixture.database;
  const luis = await addColleague(dataSource, own.account.accountId, "Luis Mora");
  const other = await open("/agent/cases", { as: luis.cookie });
  await rowsOf(other).getByText("hola").waitFor();
  await other.getByText("Only admins write and run test cases.").waitFor();
  expect(await rowsOf(other).getByRole("button").count()).toBe(0);
  expect(await other.getByRole("button", { name: "Run all" }).count()).toBe(0);
  const page = await open("/agent/cases");
  await rowsOf(page).getByRole("button", { name: "Actions for hola" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete this test case?" });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No test case yet" }).waitFor();
  await other.getByRole("heading", { name: "No test case yet" }).waitFor();
});

test("a trial becomes a case, and publishing warns until the admin confirms", async () => {
  await call("PATCH", "/agent", { quiet_seconds: 7 });
  const page = await open("/agent/playground");
  await page.getByRole("textbox", { name: "Write as a customer" }).fill("¿Aceptan tarjeta?");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save as test case" }).click();
  const dialog = page.getByRole("dialog", { name: "Add test case" });
  await expectFocusIn(dialog);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Setup" }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("1 test case was not run with this draft.").waitFor();
  expect(await call("GET", "/agent")).toMatchObject({ differs: true });
  await page.getByRole("button", { name: "Publish anyway" }).click();
  await page.getByText(/Version \d+ is live/).waitFor();
  expect(await call("GET", "/agent")).toMatchObject({ differs: false });
});
