import { AgentConversation, type AgentTurn } from "../../../db/entities/agent-turn.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { Locale } from "../../model/user.ts";
import { hasNewerMessage } from "../conversations/agent-messages.ts";
import type { Dialogue } from "../../agent/basic/dialogue.ts";

/** Stores how far a conversation has come with the agent. The conversation is locked. */
export async function storeProgress(
  tx: Tx,
  { accountId, conversationId, watermark }: AgentTurn,
  progress: { language: Locale; dialogue: Dialogue | null },
): Promise<void> {
  // A reply may stand although the customer wrote again, and then the next one is owed.
  const owedSince = (await hasNewerMessage(tx, conversationId, watermark)) ? tx.now : null;
  const state = { answeredUpTo: watermark, owedSince, updatedAt: tx.now };
  const columns = { accountId, conversationId, ...progress, ...state };
  await tx.manager.upsert(AgentConversation, columns, ["conversationId"]);
}

/** Stores the language of a conversation, which tools and confirmations then have too. */
export async function storeLanguage(
  tx: Tx,
  { accountId, conversationId }: AgentTurn,
  language: Locale,
): Promise<void> {
  const columns = { accountId, conversationId, language, updatedAt: tx.now };
  await tx.manager.upsert(AgentConversation, columns, ["conversationId"]);
}

/** Notes that the agent owes no answer in a conversation any more. The conversation is locked. */
export async function clearOwed(tx: Tx, conversationId: number): Promise<void> {
  const { accountId } = tx.actor;
  await tx.manager.update(AgentConversation, { accountId, conversationId }, { owedSince: null });
}
