import { AgentTurn } from "../../../db/entities/agent-turn.ts";
import { Conversation, ConversationNote } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { listCited } from "../../agent/citations.ts";
import type { AgentContext } from "../../agent/context.ts";
import { basicEngine } from "../../model/agent.ts";
import type { PlaygroundView } from "../../model/views/agent-playground.ts";
import type { TrialLine } from "./trial.ts";
import { presentTurnDetail } from "./turn-views.ts";

/** The answer to the last line of a trial. */
export type PlayedLine = Omit<PlaygroundView, "trial">;

/** A line to which the agent says nothing: a person has the conversation, or the channel is off. */
export async function presentSilence(
  tx: Tx,
  conversationId: number,
  line: TrialLine,
): Promise<PlayedLine> {
  const { accountId } = tx.actor;
  const row = await tx.manager.findOneByOrFail(Conversation, { accountId, id: conversationId });
  return {
    outcome: "silent",
    reason: row.botEnabled ? "channel_off" : "person_has_it",
    engine: basicEngine,
    steps: 0,
    calls: 0,
    input_tokens: 0,
    cached_tokens: 0,
    output_tokens: 0,
    cost_micros: 0,
    trace: [],
    messages: [],
    note: null,
    knowledge: [],
    cited: [],
    at: line.at,
    duration_ms: 0,
  };
}

/** The answer to a line, from the rows of its turn. */
export async function presentTrialLine(
  tx: Tx,
  conversationId: number,
  line: TrialLine,
  context: AgentContext | null,
): Promise<PlayedLine> {
  const { accountId } = tx.actor;
  const turn = await tx.manager.findOneOrFail(AgentTurn, {
    where: { accountId, conversationId },
    order: { id: "DESC" },
  });
  const sent = await tx.manager.find(Message, {
    where: { accountId, agentTurnId: turn.id },
    order: { id: "ASC" },
  });
  const { trace, ...detail } = await presentTurnDetail(tx, turn);
  const said = [trace.at(-1)?.text ?? "", ...sent.map(({ content }) => content ?? "")].join("\n");
  const outcome = detail.outcome;
  return {
    outcome: outcome === "replied" || outcome === "handed_off" ? outcome : "silent",
    reason: detail.reason,
    engine: detail.engine,
    steps: detail.steps,
    calls: detail.calls,
    input_tokens: detail.input_tokens,
    cached_tokens: detail.cached_tokens,
    output_tokens: detail.output_tokens,
    cost_micros: detail.cost_micros,
    trace,
    messages: sent.flatMap(({ content }) => (content === null ? [] : [content])),
    note: outcome === "handed_off" ? await findNote(tx, turn) : null,
    knowledge: (context?.knowledge ?? []).map(({ id, question, score }) => {
      return { id, question, score };
    }),
    cited: context === null ? [] : listCited(said, context),
    at: line.at,
    duration_ms: line.steps.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

async function findNote(tx: Tx, { accountId, conversationId }: AgentTurn): Promise<string | null> {
  const note = await tx.manager.findOne(ConversationNote, {
    where: { accountId, conversationId, kind: "agent_summary", createdAt: tx.now },
    order: { id: "DESC" },
  });
  return note?.text ?? null;
}
