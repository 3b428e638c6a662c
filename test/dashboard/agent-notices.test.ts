import { beforeEach, expect, test } from "vitest";
import { beginStep, storeFailure, storeOutput } from "../../core/services/agent/steps.ts";
import type { AgentProvider } from "../../db/entities/agent.ts";
import type { Tx } from "../../db/transaction.ts";
import { addColleague, asSystem } from "../support/accounts.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";
import { setUpAgent } from "../worker/agent-fixture.ts";
import { beginTestTurn } from "./agent-turns.ts";

// No worker runs here: each test takes the steps of the agent as the worker would.
const own = setUpOwnAccounts();
const run = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  await asSystem(own.fixture.database.dataSource, own.account.accountId, work);

beforeEach(async () => {
  const { database } = own.fixture;
  await setUpAgent(database, own.account.accountId, { daily_budget_micros: 1_000 });
  // A million input tokens cost as many millionths as a million of these.
  const provider = { kind: "openai", model: "gpt-x", api_key: "k", input_price: 1_000_000 };
  await own.call("POST", "/agent/providers", provider);
});

/** A customer writes, and a step begins that the provider serves. */
async function beginServed() {
  const { database } = own.fixture;
  const given = { text: "Hello", name: "Ana Ruiz" };
  const turn = await beginTestTurn(database, own.account.accountId, given);
  const step = { ...turn, seq: 1 };
  const begun = await run((tx) => beginStep(tx, step));
  if (begun.state !== "ask" || begun.provider === null) throw new Error("No provider serves.");
  const provider: AgentProvider = begun.provider;
  return { step, provider };
}

/** The provider answers a step that costs this much. */
async function spend(micros: number): Promise<void> {
  const { step, provider } = await beginServed();
  const usage = { input: micros, cached: 0, output: 0 };
  const output = { kind: "reply" as const, text: "Hello", usage };
  await run((tx) => storeOutput(tx, step, { output, provider, durationMs: 1 }));
}

test("an admin reads of the budget at 80 % and at 100 %, and the notice leads to the setup", async () => {
  await spend(800);
  const page = await own.open("/notifications");
  await page.getByRole("heading", { name: /used 80 % of today's budget/ }).waitFor();
  await spend(200);
  await page.getByRole("heading", { name: /used 100 % of today's budget/ }).waitFor();
  await page.getByText("At 100 % the basic agent answers").waitFor();
  await page.getByRole("button", { name: "Show all 2" }).click();
  const rows = page.getByRole("region", { name: /used 100 %/ }).getByRole("row");
  await expect.poll(async () => await rows.count()).toBe(2);
  await page.getByRole("link", { name: "Open the setup of the agent" }).click();
  await page.waitForURL("**/agent/setup");
  await page.getByRole("textbox", { name: "Budget per day" }).waitFor();
  await expect.poll(async () => (await own.call("GET", "/notification-groups"))[0].unread).toBe(0);
});

test.each([
  ["refused", "It does not accept the key."],
  ["quota", "Its quota is used up."],
] as const)("an admin reads that a provider fails: %s", async (failure, words) => {
  const { step, provider } = await beginServed();
  await run((tx) => storeFailure(tx, step, { failure, retryAfterMs: null, provider }));
  const page = await own.open("/notifications");
  await page.getByRole("heading", { name: "gpt-x refuses the AI agent" }).waitFor();
  await page.getByText(words).waitFor();
  await page.getByRole("link", { name: "Open the setup of the agent" }).click();
  await page.waitForURL("**/agent/setup");
  await page.getByText("gpt-x").first().waitFor();
  await expect.poll(async () => (await own.call("GET", "/notification-groups"))[0].unread).toBe(0);
});

test("a colleague who is no admin reads of neither", async () => {
  await spend(1_000);
  const { dataSource } = own.fixture.database;
  own.account = await addColleague(dataSource, own.account.accountId, "Luis");
  const page = await own.open("/notifications");
  await page.getByText("Nothing to tell").waitFor();
  expect(await own.call("GET", "/notifications")).toEqual([]);
});
