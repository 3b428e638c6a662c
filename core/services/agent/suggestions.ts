import type { AgentTurn } from "../../../db/entities/agent-turn.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { turnLimitMs } from "../../model/workflow/agent.ts";
import { requireUserId } from "../accounts/actor.ts";
import { readNewest } from "../conversations/agent-messages.ts";
import { agentCommand, cutTurn } from "../conversations/agent-wakeups.ts";
import {
  idsOfConversation,
  lockConversation,
} from "../conversation-records/conversation-records.ts";
import { recordChange } from "../outbox/changes.ts";
import { request } from "../outbox/outbox.ts";
import { clearOwed } from "./progress.ts";
import { finishTurn } from "./turn-records.ts";
import { findOpenTurn, findOwed, insertTurn } from "./turns.ts";
import { findActiveAgent, type ActiveAgent } from "./versions.ts";

/**
 * Asks the agent for a draft, also while people have the conversation. The request changes neither
 * the agent's switch nor the customer's conversation. A request under way is the answer to another.
 * After the time limit of a turn its run may be lost, so the run is signalled again.
 * @throws AppError `conversation_not_found`, `agent_is_off`, `agent_is_writing`, `nothing_to_answer`
 */
export async function requestDraft(tx: Tx, conversationId: number): Promise<AgentTurn> {
  const requestedById = requireUserId(tx.actor);
  const row = await lockConversation(tx, conversationId);
  const agent = await getServingAgent(tx, row);
  const known = await findOpenTurn(tx, conversationId);
  if (known?.mode === "draft" && known.cutAt === null) {
    const isLate = tx.now.getTime() - known.createdAt.getTime() > turnLimitMs;
    if (known.requestedById !== null && isLate)
      await request(tx, agentCommand(row, "draftRequested", 0));
    return known;
  }
  if (known !== null && known.cutAt === null) throw new AppError("agent_is_writing");
  if ((await findOwed(tx, row, agent))?.mode === "live") throw new AppError("agent_is_writing");
  const { customer: watermark } = await readNewest(tx, conversationId);
  if (watermark === 0) throw new AppError("nothing_to_answer");
  // A person has cut it. Its run finds that out later.
  if (known !== null) await finishTurn(tx, known, { outcome: "paused" });
  const turn = await insertTurn(tx, row, { watermark, agent, mode: "draft", requestedById });
  await request(tx, agentCommand(row, "draftRequested", 0));
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  return turn;
}

/**
 * Cuts the draft that the agent is at. Without one nothing changes.
 * @throws AppError `conversation_not_found`
 */
export async function cancelDraft(tx: Tx, conversationId: number): Promise<void> {
  const row = await lockConversation(tx, conversationId);
  const turn = await findOpenTurn(tx, conversationId);
  if (turn?.mode !== "draft") return;
  await cutTurn(tx, row);
  // At once, so that nobody waits for a worker that may be down.
  await finishTurn(tx, turn, { outcome: "paused" });
  await clearOwed(tx, conversationId);
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
}

/** @throws AppError `agent_is_off` */
async function getServingAgent(tx: Tx, { channel }: Conversation): Promise<ActiveAgent> {
  const agent = await findActiveAgent(tx);
  if (agent === null || agent.settings.modes[channel] === "off") throw new AppError("agent_is_off");
  return agent;
}
