import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  conversationSource,
  transition,
  type ConversationSource,
  type ConversationStatus,
  type ConversationTrigger,
  type Transition,
} from "../../model/conversation.ts";
import type { EventData } from "../../model/events.ts";
import { actingUserId } from "../accounts/actor.ts";
import { cutTurn, forgetTold, outdateDraft } from "./agent-wakeups.ts";
import { replaceReason } from "./bot-reason.ts";
import { recordChange } from "../outbox/changes.ts";
import { renewWait } from "./customer-wait.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import { idsOfConversation } from "../conversation-records/conversation-records.ts";
import { clearSnooze } from "./snoozes.ts";
import { publish, request } from "../outbox/outbox.ts";
import { placeholders } from "../sql.ts";

/**
 * Applies a trigger to a conversation. State, notes, events and the handoff's workflow change in
 * the caller's transaction. Nothing changes where the state table says so.
 * @param row locked; it is changed in place.
 */
export async function changeState(
  tx: Tx,
  row: Conversation,
  trigger: ConversationTrigger,
  reason: string | null = null,
): Promise<Transition> {
  const before = { status: row.status, epoch: row.botEpoch };
  const change = transition(row, trigger);
  if (!change.statusChanged && !change.botChanged) {
    if (trigger.type === "bot" && reason !== null) await replaceReason(tx, row, reason);
    return change;
  }
  await storeState(tx, row, change, reason);
  if (change.closed) await clearSnooze(tx, row);
  if (change.closed) await outdateDraft(tx, row.id);
  if (change.closed || (change.botChanged && !row.botEnabled)) await cutTurn(tx, row);
  const paused = trigger.type === "bot" && !trigger.enabled;
  const cancelled = paused ? await cancelAgentMessages(tx, row) : [];
  if (change.handoffEnded) await request(tx, handoffCommand(row, before.epoch, "ended"));
  if (change.handoffStarted) await request(tx, handoffCommand(row, row.botEpoch, null));
  await noteChange(tx, row, change, before.status, reason);
  await publishChange(tx, row, trigger, change, { previous: before.status, reason, cancelled });
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  return change;
}

/** True once a person has written to the customer in the current handoff. */
export function hasReplied({ handoffAt, lastHumanReplyAt }: Conversation): boolean {
  return handoffAt !== null && lastHumanReplyAt !== null;
}

/** Signals the handoff's workflow that a person has written. */
export async function signalHumanReply(tx: Tx, row: Conversation): Promise<void> {
  await request(tx, handoffCommand(row, row.botEpoch, "replied"));
}

/** Signals the handoff's workflow to end, for a conversation that is being deleted. */
export async function endHandoff(tx: Tx, row: Conversation): Promise<void> {
  await request(tx, handoffCommand(row, row.botEpoch, "ended"));
}

const noHandoff = {
  handoffReason: null,
  handoffSource: null,
  handoffActorUserId: null,
  handoffAt: null,
  handoffDueAt: null,
  answeredByUserId: null,
};

function handoffColumns(tx: Tx, reason: string | null) {
  return {
    handoffReason: reason,
    handoffSource: conversationSource(tx.actor),
    handoffActorUserId: actingUserId(tx.actor),
    handoffAt: tx.now,
    handoffDueAt: tx.now,
    // A reply before this handoff does not count, even if a clock is behind.
    lastHumanReplyAt: null,
    answeredByUserId: null,
  };
}

async function storeState(
  tx: Tx,
  row: Conversation,
  { next, handoffStarted, handoffEnded, epochGrows }: Transition,
  reason: string | null,
): Promise<void> {
  const columns = {
    ...next,
    ...(handoffEnded ? noHandoff : {}),
    ...(handoffStarted ? handoffColumns(tx, reason) : {}),
    botEpoch: row.botEpoch + (epochGrows ? 1 : 0),
    updatedAt: tx.now,
    version: row.version + 1,
  };
  Object.assign(row, columns);
  await tx.manager.update(Conversation, row.id, columns);
}

/** Cancels messages of the AI agent that the channel has not been given. @returns their ids. */
async function cancelAgentMessages(tx: Tx, row: Conversation): Promise<number[]> {
  const queued = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND sender_type = 'ai'
        AND status IN ('queued', 'sending') AND in_flight_since IS NULL ORDER BY id FOR UPDATE`,
    [row.id],
  );
  const ids = queued.map(({ id }) => id);
  if (ids.length === 0) return [];
  await tx.manager.query(
    `UPDATE messages SET status = 'cancelled', next_try_at = NULL, held_at = NULL, updated_at = ?
      WHERE id IN (${placeholders(ids)})`,
    [tx.now, ...ids],
  );
  await forgetTold(tx, row, ids);
  for (const messageId of ids) {
    await recordChange(tx, { kind: "message.updated", messageId, ...idsOfConversation(row) });
  }
  row.customerWaitsSince = await renewWait(tx, row.id);
  return ids;
}

/** Command that starts the workflow of a handoff (`signal` null), or signals it. */
export function handoffCommand(
  { accountId, id: conversationId }: Pick<Conversation, "accountId" | "id">,
  epoch: number,
  signal: "ended" | "replied" | null,
) {
  return {
    op: signal === null ? ("start" as const) : ("signal" as const),
    workflow: "handoff" as const,
    workflowId: `handoff-${conversationId}-${epoch}`,
    taskQueue: "conversations" as const,
    input: { accountId, conversationId, epoch },
    ...(signal === null ? {} : { signal }),
    summary: `conversation ${conversationId} is with people`,
    conversationId,
  };
}

async function noteChange(
  tx: Tx,
  row: Conversation,
  change: Transition,
  previous: ConversationStatus,
  reason: string | null,
): Promise<void> {
  const kind = change.handoffStarted
    ? "handed_off"
    : change.botChanged && row.botEnabled
      ? "bot_enabled"
      : "status_changed";
  const params = { from: previous, to: row.status };
  await recordNote(tx, row, { kind, text: reason, params });
}

async function publishChange(
  tx: Tx,
  row: Conversation,
  trigger: ConversationTrigger,
  change: Transition,
  facts: { previous: ConversationStatus; reason: string | null; cancelled: number[] },
): Promise<void> {
  const shape = (source: ConversationSource) => stateData(tx, row, facts.previous, source);
  const at = tx.now.toISOString();
  const botEvent = async (source: ConversationSource) => {
    if (!change.botChanged) return;
    const data = { ...shape(source), changed_at: at };
    if (row.botEnabled) {
      await publish(tx, "conversation.bot.enabled", { ...data, bot_enabled: true });
    } else {
      const { reason, cancelled } = facts;
      const more = { bot_enabled: false, reason, cancelled_message_ids: cancelled } as const;
      await publish(tx, "conversation.bot.disabled", { ...data, ...more });
    }
  };
  const own = conversationSource(tx.actor);
  if (trigger.type === "bot") await botEvent(own);
  if (change.statusChanged) {
    await publish(tx, "conversation.updated", { ...shape(own), updated_at: at });
  }
  if (change.closed) {
    const data = { ...shape(own), status: "resolved", closed_at: at } as const;
    await publish(tx, "conversation.closed", data);
  }
  // On a customer's return the service turns the agent on, so the source is `system`.
  if (trigger.type !== "bot") await botEvent("system");
}

function stateData(
  tx: Tx,
  row: Conversation,
  previous: ConversationStatus,
  source: ConversationSource,
): Omit<EventData<"conversation.updated">, "updated_at"> {
  const ours = source === "system";
  return {
    conversation_id: row.id,
    contact_id: row.contactId,
    status: row.status,
    previous_status: previous,
    bot_enabled: row.botEnabled,
    assigned_to_user_id: row.assignedToUserId,
    source,
    actor_user_id: ours ? null : actingUserId(tx.actor),
    api_key_id: !ours && tx.actor.type === "api_key" ? tx.actor.apiKeyId : null,
  };
}
