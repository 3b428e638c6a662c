import type { DataSource } from "typeorm";
import { commitReply } from "../../core/services/agent/reply.ts";
import { handOverTurn } from "../../core/services/agent/handover.ts";
import { beginStep, storeOutput } from "../../core/services/agent/steps.ts";
import { runTurnTool } from "../../core/services/agent/turn-tools.ts";
import { beginTurn } from "../../core/services/agent/turns.ts";
import type { StepOutput } from "../../core/agent/step.ts";
import type { TurnRef } from "../../core/model/workflow/agent.ts";
import type { Tx } from "../../db/transaction.ts";
import { asSystem } from "../support/accounts.ts";
import { freshPhone } from "../support/contact-load.ts";
import { receive } from "../support/conversations.ts";
import type { TestDatabase } from "../support/database.ts";

const usage = { input: 1_700, cached: 0, output: 142 };

/** A turn that a test takes step by step, as the worker would. */
export interface TestTurn extends TurnRef {
  /** The model calls a tool, which runs. */
  call(tool: string, input: unknown): Promise<void>;
  /** The model replies, and the reply is committed. */
  reply(text: string): Promise<void>;
  /** The agent hands over to a person. */
  handOver(reason: string): Promise<void>;
}

/** A customer writes, and the agent begins a turn. The agent must be set up. */
export async function beginTestTurn(
  { dataSource }: TestDatabase,
  accountId: number,
  { text, name, from = freshPhone() }: { text: string; name: string; from?: string },
): Promise<TestTurn> {
  const run = async <T>(work: (tx: Tx) => Promise<T>) =>
    await asSystem(dataSource, accountId, work);
  const { row } = await receive(dataSource, accountId, { from, name, content: text });
  const { conversationId } = row;
  const begun = await run((tx) => beginTurn(tx, { accountId, conversationId, quietMs: 0 }));
  if (begun.state !== "go") throw new Error(begun.state);
  return takeTestTurn(dataSource, { accountId, conversationId, turnId: begun.turnId });
}

/** A turn that has begun. */
export function takeTestTurn(dataSource: DataSource, turn: TurnRef): TestTurn {
  const run = async <T>(work: (tx: Tx) => Promise<T>) =>
    await asSystem(dataSource, turn.accountId, work);
  let seq = 0;
  const answer = async (output: StepOutput) => {
    seq += 1;
    const step = { ...turn, seq };
    await run((tx) => beginStep(tx, step));
    const durationMs = seq * 412;
    await run((tx) => storeOutput(tx, step, { output, provider: null, durationMs }));
  };
  return {
    ...turn,
    async call(tool, input) {
      await answer({ kind: "calls", text: "", calls: [{ callId: "c1", tool, input }], usage });
      await run((tx) => runTurnTool(tx, { ...turn, seq, position: 0 }));
    },
    async reply(content) {
      await answer({ kind: "reply", text: content, usage });
      const { state } = await run((tx) => commitReply(tx, { ...turn, seq, allowNewer: false }));
      if (state !== "replied" && state !== "drafted") throw new Error(state);
    },
    async handOver(reason) {
      await run((tx) => handOverTurn(tx, { ...turn, reason }));
    },
  };
}
