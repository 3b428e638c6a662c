import { findQueuedCase, storeResult } from "../../core/services/agent/case-runs.ts";
import { requestCases } from "../../core/services/agent/cases.ts";
import type { CaseResult } from "../../core/model/agent-case.ts";
import { asSystem, type TestAccount } from "../support/accounts.ts";
import type { TestAnswer } from "../support/api.ts";
import type { DashboardFixture } from "../support/dashboard-fixture.ts";
import { oddNames } from "../support/odd-names.ts";
import { setUpAgent } from "../worker/agent-fixture.ts";
import { beginTestTurn } from "./agent-turns.ts";

/** Most turns of an account, each of which takes a while to make. */
const maxTurns = 8;

/**
 * An agent with rows on each of its pages: knowledge, cases that are green, red and queued, turns of
 * each end with a rating, a provider, and a draft that is not published. Last comes a conversation
 * with a draft of a reply.
 */
export async function fillAgent(
  fixture: DashboardFixture,
  account: TestAccount,
  rows: number,
): Promise<void> {
  const { database } = fixture;
  const { accountId } = account;
  const settings = { strict: false, daily_budget_micros: 2_000_000 } as const;
  await setUpAgent(database, accountId, settings);
  for (let row = 0; row < rows; row += 1) await fillRow(fixture, account, row);
  const modes = { whatsapp: "draft" } as const;
  await setUpAgent(database, accountId, { ...settings, modes });
  const draft = await beginTestTurn(database, accountId, { text: "Hello", name: "Ana Ruiz" });
  await draft.reply("Hello! I can help you. ".repeat(20).trim());
  await call(fixture, account, "PATCH", "/agent", { handover_keywords: ["x".repeat(60)] });
  await storeResults(fixture, account, rows);
  const model = `gpt-4.1-mini-${"x".repeat(60)}`;
  const provider = { kind: "openai", model, api_key: "sk-0123456789abcdef" };
  await call(fixture, account, "POST", "/agent/providers", provider);
}

async function fillRow(
  fixture: DashboardFixture,
  account: TestAccount,
  row: number,
): Promise<void> {
  const name = oddNames[row % oddNames.length] ?? `Question ${row}`;
  const state = (["approved", "suggested", "archived"] as const)[row % 3];
  const texts = { question: name, answer: name.repeat(3), phrasings: [name] };
  const item = await call(fixture, account, "POST", "/knowledge-items", {
    ...texts,
    language: row % 2 === 0 ? "en" : "es",
    state,
  });
  const expected = { outcome: "handed_off", tool: "book_appointment", item_id: item.id };
  const lines = row % 2 === 0 ? [name] : [name, "x".repeat(300)];
  await call(fixture, account, "POST", "/agent-cases", { channel: "web", lines, expected });
  if (row >= maxTurns) return;
  const begun = await beginTestTurn(fixture.database, account.accountId, { text: "Hello", name });
  if (row % 2 === 1) return await begun.handOver("asked_for_a_person");
  await begun.call("search_knowledge", { query: name });
  await begun.reply("Hello! I can help you.");
  const query = `conversation_id=${begun.conversationId}`;
  const [turn] = await call(fixture, account, "GET", `/agent-turns?${query}`);
  const rating = { value: "down", reason: "wrong_tone", comment: name };
  await call(fixture, account, "PUT", `/messages/${turn.message_id}/rating`, rating);
}

/** Results as a run stores them: red for each reason, and green. The last of several still waits. */
async function storeResults(
  { database: { dataSource } }: DashboardFixture,
  { accountId }: TestAccount,
  rows: number,
): Promise<void> {
  const passed: CaseResult = {
    outcome: "handed_off",
    reason: "asked_for_a_person",
    tools: ["book_appointment"],
    cited: [],
    texts: ["y".repeat(300)],
    error: null,
    differences: [],
  };
  const results: CaseResult[] = [
    { ...passed, outcome: "replied", reason: null, differences: ["outcome", "tool", "item"] },
    passed,
    { ...passed, outcome: null, error: "agent_provider_failed", differences: ["error"] },
  ];
  await asSystem(dataSource, accountId, (tx) => requestCases(tx));
  for (let row = 0; row < Math.max(1, rows - 1); row += 1) {
    const claimed = await asSystem(dataSource, accountId, findQueuedCase);
    const result = results[row % results.length];
    if (claimed === null || result === undefined) return;
    await asSystem(dataSource, accountId, (tx) => storeResult(tx, claimed, result));
  }
}

/** A call of the account's admin that must succeed. @returns its data. */
async function call(
  { api }: DashboardFixture,
  { cookie }: TestAccount,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestAnswer["json"]> {
  const answer = await api.call(method, `/dashboard/api${path}`, { cookie, body });
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.json.data;
}
