import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { setUpOwnAccounts } from "../support/own-accounts.ts";
import { setUpAgent } from "../worker/agent-fixture.ts";
import { beginTestTurn } from "./agent-turns.ts";

// No worker runs here: each test takes the turns of the agent step by step.
const own = setUpOwnAccounts();
const { open, call } = own;
const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** One turn that replied, rated by the admin, and one that was handed over. */
async function takeTurns(): Promise<void> {
  const { database } = own.fixture;
  const { accountId } = own.account;
  await setUpAgent(database, accountId, { strict: false, daily_budget_micros: 2_000_000 });
  const first = await beginTestTurn(database, accountId, { text: "Hello", name: "Ana Ruiz" });
  await first.reply("Hello! I can help you.");
  const second = await beginTestTurn(database, accountId, { text: "A person", name: "Luz Paz" });
  await second.handOver("asked_for_a_person");
  const [turn] = await call("GET", `/agent-turns?conversation_id=${first.conversationId}`);
  await call("PUT", `/messages/${turn.message_id}/rating`, { value: "down", reason: "wrong_tone" });
  const cost = "UPDATE agent_turns SET engine = 'openai', cost_micros = 1700000 WHERE id = ?";
  await database.dataSource.query(cost, [first.turnId]);
}

test("the usage shows turns and cost by provider and by day beside the budget", async () => {
  await takeTurns();
  const page = await open("/agent/usage");
  const row = region(page, "By provider").getByRole("row", { name: /^OpenAI/ });
  await row.waitFor();
  // The currency comes with the account, which may arrive after the report.
  await row.getByText("1.70").waitFor();
  await page.getByText(/1\.70 of .*2\.00/).waitFor();
  expect(await page.getByRole("meter", { name: "Today" }).getAttribute("value")).toBe("1700000");
  // The keyboard reaches the day, which leads to its turns.
  const day = region(page, "By day").getByRole("link").first();
  await day.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Ana Ruiz" }).waitFor();
  await page.getByRole("button", { name: "Luz Paz" }).waitFor();
});

test("each figure of the quality leads to the turns behind it, and back to all", async () => {
  await takeTurns();
  const page = await open("/agent/quality");
  await page.getByRole("link", { name: /^50%.*Answered alone/ }).waitFor();
  await page.getByRole("link", { name: /^1.*Rated bad/ }).click();
  await page.getByRole("button", { name: "Ana Ruiz" }).waitFor();
  expect(await page.getByRole("button", { name: "Luz Paz" }).count()).toBe(0);
  await page.goBack();
  await region(page, "Handed over, by reason")
    .getByRole("link", { name: "The customer asked for a person" })
    .click();
  await page.getByRole("button", { name: "Luz Paz" }).waitFor();
  expect(await page.getByRole("button", { name: "Ana Ruiz" }).count()).toBe(0);
  await page.getByRole("button", { name: "All turns" }).click();
  await page.getByRole("button", { name: "Ana Ruiz" }).waitFor();
  expect(new URL(page.url()).search).toBe("");
});

test("edited drafts are a figure that leads to their turns, also where all turns are drafts", async () => {
  const { database } = own.fixture;
  const { accountId } = own.account;
  await setUpAgent(database, accountId, { strict: false, modes: { whatsapp: "draft" } });
  const sendDraftTo = async (name: string, edited?: string): Promise<void> => {
    const turn = await beginTestTurn(database, accountId, { text: "Hello", name });
    await turn.reply("Hello! I can help you.");
    const { agent_draft: draft } = await call("GET", `/conversations/${turn.conversationId}`);
    const body = { text: edited ?? draft.text, proposal_ids: [] };
    await call("POST", `/agent-drafts/${draft.id}/send`, body);
  };
  await sendDraftTo("Ana Ruiz");
  await sendDraftTo("Luz Paz", "Hello Luz!");
  const silent = await beginTestTurn(database, accountId, { text: "Hello", name: "Eva Sol" });
  await silent.handOver("ai_error");
  const page = await open("/agent/quality");
  await page.getByRole("link", { name: /^1.*Drafts edited.*of 2 drafts sent/ }).click();
  await page.getByRole("button", { name: "Ana Ruiz" }).waitFor();
  await page.getByRole("button", { name: "Luz Paz" }).waitFor();
  expect(await page.getByRole("button", { name: "Eva Sol" }).count()).toBe(0);
});

test("the days are chosen by a button, stay in the URL, and may be too many", async () => {
  await takeTurns();
  const page = await open("/agent/quality");
  await page.getByRole("button", { name: "7 days" }).click();
  const pressed = page.getByRole("button", { name: "7 days", pressed: true });
  await pressed.waitFor();
  const params = new URL(page.url()).searchParams;
  expect([...params.keys()]).toEqual(["from", "to"]);
  await page.goto(new URL("/agent/quality?from=2026-01-01&to=2026-11-01", page.url()).href);
  await page.getByRole("alert").getByText("Use at most 90 days.").waitFor();
});

test("without turns both pages name the next step", async () => {
  for (const path of ["/agent/usage", "/agent/quality"]) {
    const page = await open(path);
    await page.getByRole("link", { name: "To the agent" }).click();
    await page.getByRole("switch", { name: "The agent answers customers" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/agent");
  }
});

test("a phone shows the link of the page among the agent's pages", async () => {
  const page = await open("/agent/quality", { width: 390 });
  const current = page.getByRole("navigation", { name: "Parts of the AI agent" });
  const link = current.getByRole("link", { name: "Quality" });
  await expect
    .poll(async () => {
      const box = await link.boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= 390;
    })
    .toBe(true);
});

test("a day of the range is typed, and the range stays until it is one", async () => {
  const page = await open("/agent/usage?from=2026-10-01&to=2026-10-31");
  const to = page.getByRole("textbox", { name: "To" });
  await to.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  const typed = await to.inputValue();
  expect(typed).toMatch(/^31.*202$/u);
  await page.keyboard.press("5");
  await page.waitForURL(/to=2025-10-31/u);
  expect(await to.inputValue()).toBe(`${typed}5`);
});
