import { AgentConversation, type AgentTurn } from "../../../db/entities/agent-turn.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { Locale } from "../../model/user.ts";
import type { Dialogue } from "../../agent/basic/dialogue.ts";

/**
 * Stores how far a conversation has come with the agent. The conversation is locked.
 * @param progress.isNewer the customer wrote again after what was answered, so that the next answer
 * is owed
 */
export async function storeProgress(
  tx: Tx,
  { accountId, conversationId, watermark }: AgentTurn,
  { isNewer, ...progress }: { language: Locale; dialogue: Dialogue | null; isNewer: boolean },
): Promise<void> {
  const owedSince = isNewer ? tx.now : null;
  const state = { answeredUpTo: watermark, owedSince, updatedAt: tx.now };
  await store(tx, { accountId, conversationId, ...progress, ...state });
}

/** Stores the language of a conversation, which tools and confirmations then have too. */
export async function storeLanguage(
  tx: Tx,
  { accountId, conversationId }: AgentTurn,
  language: Locale,
): Promise<void> {
  await store(tx, { accountId, conversationId, language, updatedAt: tx.now });
}

/** An upsert that does not read the row again, as that of an entity manager would. */
async function store(tx: Tx, columns: Partial<AgentConversation>): Promise<void> {
  const written = tx.manager.dataSource
    .getMetadata(AgentConversation)
    .columns.filter((one) => Object.hasOwn(columns, one.propertyName))
    .map((one) => one.databaseName);
  await tx.manager
    .createQueryBuilder()
    .insert()
    .into(AgentConversation)
    .values(columns)
    .orUpdate(written, ["conversation_id"])
    .updateEntity(false)
    .execute();
}

/** Notes that the agent owes no answer in a conversation any more. The conversation is locked. */
export async function clearOwed(tx: Tx, conversationId: number): Promise<void> {
  const { accountId } = tx.actor;
  await tx.manager.update(AgentConversation, { accountId, conversationId }, { owedSince: null });
}
