import { basicStep } from "../../../../core/agent/basic/basic-agent.ts";
import type { AgentContext } from "../../../../core/agent/context.ts";
import type { StepOutput } from "../../../../core/agent/step.ts";
import { beginStep, storeOutput } from "../../../../core/services/agent/steps.ts";
import { commitReply } from "../../../../core/services/agent/reply.ts";
import { handOverTurn } from "../../../../core/services/agent/handover.ts";
import { runTurnTool } from "../../../../core/services/agent/turn-tools.ts";
import { beginTurn } from "../../../../core/services/agent/turns.ts";
import {
  maxSteps,
  type ReplyOutcome,
  type TurnRef,
} from "../../../../core/model/workflow/agent.ts";
import type { Tx } from "../../../../db/transaction.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../../support/accounts.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { receive } from "../../../support/conversations.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { setUpAgent } from "../../../worker/agent-fixture.ts";

const usage = { input: 10, cached: 0, output: 5 };

/** An account with an agent, whose turns a test takes step by step. */
export interface TurnFixture {
  database: TestDatabase;
  account: TestAccount;
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  sql<Row = Record<string, unknown>>(statement: string, values?: unknown[]): Promise<Row[]>;
  /** A customer writes. */
  write(content: string, from?: string): Promise<{ conversationId: number; messageId: number }>;
  /** A customer writes, and a turn begins. */
  begin(content?: string, from?: string): Promise<TurnRef>;
  /** The model answers a step of a turn. */
  answer(turn: TurnRef, output: Partial<StepOutput>, seq?: number): Promise<void>;
  /** Begins a turn and lets the model reply. */
  beginWithReply(text?: string, from?: string): Promise<TurnRef>;
  commit(turn: TurnRef, given?: { seq?: number; allowNewer?: boolean }): Promise<ReplyOutcome>;
  /** Texts of the agent that the channel may still get, after a message. */
  repliesIn(conversationId: number, after?: number): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startTurnFixture(): Promise<TurnFixture> {
  const database = await createTestDatabase();
  const { dataSource } = database;
  const account = await createTestAccount(dataSource);
  const { accountId } = account;
  await setUpAgent(database, accountId);
  const run = async <T>(work: (tx: Tx) => Promise<T>) =>
    await asSystem(dataSource, accountId, work);
  const sql = async <Row>(statement: string, values: unknown[] = []) =>
    await dataSource.query<Row[]>(statement, values);
  const write = async (content: string, from = freshPhone()) => {
    const { row } = await receive(dataSource, accountId, { from, content });
    return { conversationId: row.conversationId, messageId: row.id };
  };
  const fixture: TurnFixture = {
    database,
    account,
    run,
    sql,
    write,
    async begin(content = "hola", from = freshPhone()) {
      const { conversationId } = await write(content, from);
      const begun = await run((tx) => beginTurn(tx, { accountId, conversationId, quietMs: 0 }));
      if (begun.state !== "go") throw new Error(begun.state);
      return { accountId, conversationId, turnId: begun.turnId };
    },
    async answer(turn, output, seq = 1) {
      const step = { ...turn, seq };
      await run((tx) => beginStep(tx, step));
      const full = {
        kind: "reply",
        text: "Hola, ¿en qué te ayudo?",
        usage,
        ...output,
      } as StepOutput;
      await run((tx) => storeOutput(tx, step, { output: full, provider: null, durationMs: 1 }));
    },
    async beginWithReply(text = "Hola, ¿en qué te ayudo?", from = freshPhone()) {
      const turn = await fixture.begin("hola", from);
      await fixture.answer(turn, { kind: "reply", text });
      return turn;
    },
    commit: async (turn, { seq = 1, allowNewer = false } = {}) =>
      await run((tx) => commitReply(tx, { ...turn, seq, allowNewer })),
    async repliesIn(conversationId, after = 0) {
      const rows = await sql<{ content: string }>(
        `SELECT content FROM messages WHERE conversation_id = ? AND sender_type = 'ai'
            AND id > ? AND status <> 'cancelled' ORDER BY id`,
        [conversationId, after],
      );
      return rows.map(({ content }) => content);
    },
    stop: async () => await database.stop(),
  };
  return fixture;
}

/** Parts of the fixture that the turns of a conversation need. */
export type TurnPlace = Pick<
  TurnFixture,
  "account" | "run" | "sql" | "write" | "commit" | "repliesIn"
>;

/** Lets an agent answer a burst with the real tools, as the workflow does. */
export async function takeTurn(
  fixture: TurnPlace,
  content: string,
  from: string,
  model: (context: AgentContext) => StepOutput = basicStep,
): Promise<{ said: string; tools: string[]; outcome: string }> {
  const { accountId } = fixture.account;
  const { conversationId } = await fixture.write(content, from);
  // A pause cancels earlier replies, so replies are told apart by their ids.
  const newest = "SELECT COALESCE(MAX(id), 0) AS id FROM messages";
  const [{ id: before } = { id: 0 }] = await fixture.sql<{ id: number }>(newest);
  const begun = await fixture.run((tx) => beginTurn(tx, { accountId, conversationId, quietMs: 0 }));
  const said = async () => (await fixture.repliesIn(conversationId, before)).join("\n");
  if (begun.state !== "go") return { said: await said(), tools: [], outcome: begun.state };
  const turn = { accountId, conversationId, turnId: begun.turnId };
  const tools: string[] = [];
  const handOver = async (reason: string) => {
    const { state } = await fixture.run((tx) => handOverTurn(tx, { ...turn, reason }));
    return { said: await said(), tools, outcome: state };
  };
  for (let seq = 1; seq <= maxSteps; seq += 1) {
    const step = { ...turn, seq };
    const asked = await fixture.run((tx) => beginStep(tx, step));
    if (asked.state !== "ask") throw new Error("The step is done already.");
    const output = model(asked.context);
    const facts = { output, provider: null, durationMs: 1 };
    await fixture.run((tx) => storeOutput(tx, step, facts));
    if (output.kind === "reply") {
      const { state } = await fixture.commit(turn, { seq });
      if (state === "blocked") continue;
      return { said: await said(), tools, outcome: state };
    }
    for (const [position, { tool }] of output.calls.entries()) {
      const call = await fixture.run((tx) => runTurnTool(tx, { ...step, position }));
      const code = call.state === "done" ? call.code : call.state;
      tools.push(code === "ok" ? tool : `${tool}: ${code}`);
      if (call.state === "done" && call.handOver !== null) {
        return await handOver(call.handOver);
      }
    }
  }
  return await handOver("limits");
}
