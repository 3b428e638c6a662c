import type { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { AgentMode } from "../../model/agent.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { findUnanswered } from "./customer-wait.ts";
import { request } from "../outbox/outbox.ts";
import { placeholders } from "../sql.ts";

/** Wakes the agent because the customer wrote, where the agent answers or prepares drafts. */
export async function wakeAgent(tx: Tx, conversation: Conversation): Promise<void> {
  if (!conversation.botEnabled || conversation.otherAppAnswers) return;
  const [agent] = await tx.manager.query<{ mode: AgentMode | null; quietSeconds: number }[]>(
    `SELECT JSON_UNQUOTE(JSON_EXTRACT(v.settings, CONCAT('$.modes.', ?))) AS mode, v.settings->'$.quiet_seconds' AS quietSeconds
       FROM agent_profiles p
       JOIN agent_versions v ON v.account_id = p.account_id AND v.number = p.published_number
      WHERE p.account_id = ? AND p.enabled`,
    [conversation.channel, tx.actor.accountId],
  );
  if (agent === undefined || agent.mode === "off") return;
  await tx.manager.query(
    `INSERT INTO agent_conversations (account_id, conversation_id, owed_since, updated_at)
     VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE owed_since = COALESCE(owed_since, VALUES(owed_since))`,
    [tx.actor.accountId, conversation.id, tx.now, tx.now],
  );
  await request(tx, agentCommand(conversation, "customerWrote", agent.quietSeconds * 1_000));
}

/**
 * Wakes the agent that was switched on again, where the customer wrote last. A reply that a pause
 * cancelled answered nobody, so its message is owed again. The conversation is locked.
 * @param settledUpTo message up to which none is owed again
 */
export async function wakeForUnanswered(
  tx: Tx,
  conversation: Conversation,
  settledUpTo = 0,
): Promise<void> {
  if (!conversation.botEnabled || conversation.status === "resolved") return;
  const first = await findUnanswered(tx, conversation.id);
  if (first === null) return;
  await tx.manager.query(
    `UPDATE agent_conversations SET answered_up_to = LEAST(answered_up_to, ?)
      WHERE account_id = ? AND conversation_id = ?`,
    [Math.max(first.id - 1, settledUpTo), tx.actor.accountId, conversation.id],
  );
  await wakeAgent(tx, conversation);
}

/**
 * Cuts the open turn of a conversation, because a person takes over. The signal aborts the step in
 * progress. The fences of reply and tools do not depend on it.
 */
export async function cutTurn(tx: Tx, conversation: Conversation): Promise<void> {
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    "UPDATE agent_turns SET cut_at = ? WHERE open_conversation_id = ? AND cut_at IS NULL",
    [tx.now, conversation.id],
  );
  if (affectedRows > 0) await request(tx, agentCommand(conversation, "paused", 0));
}

/** Ends the open draft of a conversation, because the conversation went on without it. */
export async function outdateDraft(tx: Tx, conversationId: number): Promise<void> {
  await tx.manager.query(
    `UPDATE agent_drafts SET state = 'stale', open_conversation_id = NULL, decided_at = ?
      WHERE open_conversation_id = ?`,
    [tx.now, conversationId],
  );
}

/** Notes that the customer was not told of effects, because the messages that tell were cancelled. */
export async function forgetTold(
  tx: Tx,
  { accountId, id }: Pick<Conversation, "accountId" | "id">,
  messageIds: readonly number[],
): Promise<void> {
  await tx.manager.query(
    `UPDATE agent_tool_calls SET untold = TRUE, told_message_id = NULL
      WHERE account_id = ? AND conversation_id = ? AND untold = FALSE
        AND told_message_id IN (${placeholders(messageIds)})`,
    [accountId, id, ...messageIds],
  );
}

/** Command that signals the agent of a conversation, and starts its run where there is none. */
export function agentCommand(
  { accountId, id }: Pick<Conversation, "accountId" | "id">,
  signal: "customerWrote" | "draftRequested" | "paused",
  quietMs: number,
): WorkflowCommand {
  return {
    op: "signal",
    workflow: "agentTurn",
    workflowId: `agent-${id}`,
    taskQueue: "agents",
    input: { accountId, conversationId: id, quietMs },
    signal,
    again: true,
    summary: `agent in conversation ${id}`,
    conversationId: id,
  };
}
