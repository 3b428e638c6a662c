import { Conversation } from "../../../db/entities/conversation.ts";
import { Mail } from "../../../db/entities/mail.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { NoteKind } from "../../model/note.ts";
import {
  nextHandoffMoment,
  type HandoffInput,
  type HandoffReturn,
  type HandoffStart,
  type HandoffStep,
  type HandoffTimes,
} from "../../model/workflow/handoff.ts";
import type { NotificationKind } from "../../model/notification.ts";
import { queueMail } from "../accounts/mails.ts";
import { findMailReader, type Recipient } from "../accounts/notification-preferences.ts";
import { wakeForUnanswered } from "./agent-wakeups.ts";
import { assignInTurn, hasAssignee } from "./conversation-assignee.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import { changeState, hasReplied } from "./conversation-state.ts";
import { getHandoffTimes } from "./handoff-times.ts";
import { recordNotification } from "../notifications/notifications.ts";
import { findOwned } from "../sql.ts";
import { minuteMs } from "../../model/durations.ts";

/** A run that begins later than this after the pause replaces a lost run. */
const slowBeginMs = minuteMs;

/**
 * Begins a handoff: notifies the inbox, and assigns an unassigned conversation to the person who
 * was assigned least recently. The assignee gets a mail if they want one; a later assignment sends
 * none. A repeat has no further effect.
 * @param mailOn true if a mail server is set up.
 */
export async function beginHandoff(
  tx: Tx,
  input: HandoffInput,
  mailOn: boolean,
): Promise<HandoffStart> {
  const row = await lockCurrent(tx, input);
  if (row === null) return { current: false };
  if (!(await hasAssignee(tx, row))) await assignInTurn(tx, row);
  // A person who paused the agent by answering needs no notification to answer.
  if (!hasReplied(row)) await notify(tx, row, input, "conversation_handed_off", {});
  if (mailOn) await queueHandoffMail(tx, row);
  const times = await getHandoffTimes(tx);
  await storeNextMoment(tx, row, times);
  const passedMs = tx.now.getTime() - (row.handoffAt ?? tx.now).getTime();
  // A run that was only slow to begin counts from its beginning. A later run counts from the pause.
  const elapsedMs = passedMs > slowBeginMs ? passedMs : 0;
  return { current: true, replied: hasReplied(row), elapsedMs, ...times };
}

/**
 * Queues a mail to the assignee of a conversation in a handoff, if that person wants mails. Each
 * person gets one mail per handoff. The conversation is locked.
 */
async function queueHandoffMail(tx: Tx, conversation: Conversation): Promise<void> {
  const { id: conversationId, botEpoch, assignedToUserId: userId } = conversation;
  const about = { conversationId, userId, userLinkId: null, appointmentId: null };
  if (userId === null || (await findHandoffReader(tx, about)) === null) return;
  const dedupeKey = `needs_person:${conversationId}:${botEpoch}:${userId}`;
  const { accountId } = tx.actor;
  if (await tx.manager.existsBy(Mail, { accountId, dedupeKey })) return;
  await queueMail(tx, { kind: "needs_person", ...about, dedupeKey });
}

/**
 * The assignee of the unanswered conversation, if they want mails and their address is confirmed.
 */
export async function findHandoffReader(
  tx: Tx,
  { conversationId, userId }: Pick<Mail, "conversationId" | "userId">,
): Promise<Recipient | null> {
  if (conversationId === null) return null;
  const conversation = await findOwned(tx, Conversation, { id: conversationId });
  if (conversation?.status !== "handed_off" || hasReplied(conversation)) return null;
  if (userId === null || conversation.assignedToUserId !== userId) return null;
  return await findMailReader(tx, userId, "conversation_handed_off");
}

/** Reminds the assignee, unless a person has written. */
export async function remindHandoff(tx: Tx, input: HandoffInput): Promise<HandoffStep> {
  return await notifyUnlessReplied(tx, input, "handoff_reminder", "handoff_reminder");
}

/** Notifies the admins, unless a person has written. */
export async function escalateHandoff(tx: Tx, input: HandoffInput): Promise<HandoffStep> {
  return await notifyUnlessReplied(tx, input, "handoff_escalation", "handoff_escalated");
}

/** Gives the conversation back to the agent after `silenceMs` without a message of a person. */
export async function returnToAgent(
  tx: Tx,
  input: HandoffInput & { silenceMs: number },
): Promise<HandoffReturn> {
  const row = await lockCurrent(tx, input);
  if (row === null) return { state: "over" };
  const since = Math.max(row.handoffAt?.getTime() ?? 0, row.lastHumanReplyAt?.getTime() ?? 0);
  const left = since + input.silenceMs - tx.now.getTime();
  if (left > 0) {
    const handoffDueAt = new Date(tx.now.getTime() + left);
    await tx.manager.update(Conversation, row.id, { handoffDueAt });
    return { state: "waiting", waitMs: left };
  }
  await changeState(tx, row, { type: "bot", enabled: true });
  await wakeForUnanswered(tx, row, await findHandedOver(tx, row.id));
  return { state: "returned" };
}

/** The newest message for which the agent called a person. It would do so again, without end. */
async function findHandedOver(tx: Tx, conversationId: number): Promise<number> {
  const [turn] = await tx.manager.query<{ watermark: number }[]>(
    `SELECT COALESCE(MAX(watermark), 0) AS watermark
       FROM agent_turns FORCE INDEX (agent_turns_conversation)
      WHERE account_id = ? AND conversation_id = ? AND outcome = 'handed_off'`,
    [tx.actor.accountId, conversationId],
  );
  return Number(turn?.watermark ?? 0);
}

/** Stores the time of the run's next action, by which a lost run is found. */
async function storeNextMoment(tx: Tx, row: Conversation, times: HandoffTimes): Promise<void> {
  const handoffDueAt = nextHandoffMoment(
    { handoffAt: row.handoffAt ?? tx.now, repliedAt: row.lastHumanReplyAt },
    times,
    tx.now,
  );
  await tx.manager.update(Conversation, row.id, { handoffDueAt });
}

async function notifyUnlessReplied(
  tx: Tx,
  input: HandoffInput,
  kind: NotificationKind,
  note: NoteKind,
): Promise<HandoffStep> {
  const row = await lockCurrent(tx, input);
  if (row === null) return { state: "over" };
  await storeNextMoment(tx, row, await getHandoffTimes(tx));
  if (hasReplied(row)) return { state: "replied" };
  const escalation = kind === "handoff_escalation";
  const reachable = await hasAssignee(tx, row);
  const to = escalation
    ? { adminsOnly: true }
    : { userId: reachable ? row.assignedToUserId : null };
  const fresh = await notify(tx, row, input, kind, to);
  if (fresh) await recordNote(tx, row, { kind: note });
  return { state: "done" };
}

/** The conversation, locked, or null once this handoff is over. */
async function lockCurrent(tx: Tx, input: HandoffInput): Promise<Conversation | null> {
  const row = await tx.manager.findOne(Conversation, {
    where: { id: input.conversationId, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_write" },
  });
  // A conversation that was erased with its contact is in no handoff either.
  return row?.status === "handed_off" && row.botEpoch === input.epoch ? row : null;
}

async function notify(
  tx: Tx,
  row: Conversation,
  { epoch }: HandoffInput,
  kind: NotificationKind,
  to: { userId?: number | null; adminsOnly?: boolean },
): Promise<boolean> {
  return await recordNotification(tx, {
    kind,
    params: { conversation_id: row.id, channel: row.channel },
    dedupeKey: `${kind}:${row.id}:${epoch}`,
    groupKey: `conversation:${row.id}`,
    deliveryId: null,
    subscriptionId: null,
    conversationId: row.id,
    ...to,
  });
}
