import { In } from "typeorm";
import {
  AgentConversation,
  AgentStep,
  AgentToolCall,
  AgentTurn,
} from "../../../db/entities/agent-turn.ts";
import { AgentCase } from "../../../db/entities/agent-case.ts";
import { AgentRating } from "../../../db/entities/agent-rating.ts";
import { AgentDraft } from "../../../db/entities/agent-draft.ts";
import { KnowledgeGap } from "../../../db/entities/knowledge.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { EraseContactInput } from "../../model/erasure.ts";
import { placeholders } from "../sql.ts";

/** Moves the agent's rows of a merge's loser to the winner; both contacts are locked. */
export async function moveAgentRows(tx: Tx, loserId: number, winnerId: number): Promise<void> {
  const own = { accountId: tx.actor.accountId, contactId: loserId };
  for (const entity of [AgentTurn, AgentToolCall, AgentDraft, AgentCase, KnowledgeGap]) {
    await tx.manager.update(entity, own, { contactId: winnerId });
  }
}

/**
 * Deletes a batch of the agent's rows of erased contacts: turns with their steps, calls and drafts,
 * gaps, ratings, test cases, and the state of conversations.
 * @param limit turns, gaps and conversations.
 * @returns true if none is left.
 */
export async function eraseAgentRows(
  tx: Tx,
  { accountId, contactIds, conversationIds }: EraseContactInput,
  limit: number,
): Promise<boolean> {
  const turns = await tx.manager.find(AgentTurn, {
    select: { id: true },
    where: { accountId, contactId: In(contactIds) },
    order: { id: "ASC" },
    take: limit,
  });
  const turnIds = turns.map(({ id }) => id);
  if (turnIds.length > 0) {
    await tx.manager.delete(AgentStep, { accountId, turnId: In(turnIds) });
    await tx.manager.delete(AgentToolCall, { accountId, turnId: In(turnIds) });
    await tx.manager.delete(AgentDraft, { accountId, turnId: In(turnIds) });
    await tx.manager.delete(AgentTurn, { accountId, id: In(turnIds) });
  }
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    `DELETE FROM knowledge_gaps WHERE account_id = ? AND contact_id IN (${placeholders(contactIds)})
      LIMIT ?`,
    [accountId, ...contactIds, limit],
  );
  await tx.manager.delete(AgentCase, { accountId, contactId: In(contactIds) });
  if (conversationIds.length > 0) {
    const conversations = { accountId, conversationId: In(conversationIds) };
    await tx.manager.delete(AgentConversation, conversations);
    await tx.manager.delete(AgentRating, conversations);
  }
  return turnIds.length < limit && affectedRows < limit;
}
