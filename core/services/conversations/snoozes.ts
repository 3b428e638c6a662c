import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField } from "../../errors.ts";
import { dayMs } from "../../model/durations.ts";
import { isSnoozed } from "../../model/inbox-queue.ts";
import type { SnoozeInput, SnoozeOutcome } from "../../model/workflow/snoozing.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { actingUserId } from "../accounts/actor.ts";
import { recordChange } from "../outbox/changes.ts";
import { request } from "../outbox/outbox.ts";
import {
  idsOfConversation,
  lockConversation,
} from "../conversation-records/conversation-records.ts";
import { lockOwnedIfThere } from "../sql.ts";

/** Longest snooze: a year. */
const maxSnoozeMs = 366 * dayMs;

const awake = { snoozedUntil: null, snoozedByUserId: null };

/**
 * Snoozes a conversation until a moment. It comes back at that moment by a workflow, and at once
 * when the customer writes. A further snooze replaces the one before.
 * @throws AppError `conversation_not_found`; `conversation_resolved`; `validation_error` for a
 * moment that is not ahead, or more than a year ahead.
 */
export async function snoozeConversation(tx: Tx, id: number, until: Date): Promise<Conversation> {
  const row = await lockConversation(tx, id);
  const aheadMs = until.getTime() - tx.now.getTime();
  if (aheadMs <= 0) throw invalidField("body.until", "not_ahead", "Use a moment in the future.");
  if (aheadMs > maxSnoozeMs) {
    throw invalidField("body.until", "too_far", "Use a moment within a year.");
  }
  if (row.status === "resolved") throw new AppError("conversation_resolved");
  if (row.snoozedUntil?.getTime() === until.getTime()) return row;
  await clearSnooze(tx, row);
  const columns = {
    snoozedUntil: until,
    snoozedByUserId: actingUserId(tx.actor),
    snoozeRun: row.snoozeRun + 1,
  };
  Object.assign(row, columns);
  await tx.manager.update(Conversation, row.id, columns);
  await request(tx, snoozeCommand(row, row.snoozeRun, "start"));
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  return row;
}

/**
 * Ends the snooze of a conversation. Without a snooze nothing changes.
 * @throws AppError `conversation_not_found`
 */
export async function unsnoozeConversation(tx: Tx, id: number): Promise<Conversation> {
  const row = await lockConversation(tx, id);
  if (await clearSnooze(tx, row)) {
    await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  }
  return row;
}

/**
 * Ends the snooze of a locked conversation before its time, and signals its run to end. The caller
 * records the change.
 * @returns false if there was none.
 */
export async function clearSnooze(tx: Tx, row: Conversation): Promise<boolean> {
  if (row.snoozedUntil === null) return false;
  await request(tx, snoozeCommand(row, row.snoozeRun, "signal"));
  Object.assign(row, awake);
  await tx.manager.update(Conversation, row.id, awake);
  return true;
}

/**
 * Ends a snooze whose time has come. The row is locked here and by whatever ends a snooze early, so
 * one of both ends it.
 * @returns `waiting` with the remaining time if the time has not come.
 */
export async function endSnooze(tx: Tx, input: SnoozeInput): Promise<SnoozeOutcome> {
  const row = await lockOwnedIfThere(tx, Conversation, { id: input.conversationId });
  // A conversation that was erased with its contact is not snoozed either.
  if (row?.snoozeRun !== input.run || row.snoozedUntil === null) return { state: "over" };
  if (isSnoozed(row, tx.now)) {
    return { state: "waiting", waitMs: row.snoozedUntil.getTime() - tx.now.getTime() };
  }
  await tx.manager.update(Conversation, row.id, awake);
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  return { state: "ended" };
}

/** Command that starts the workflow of a snooze, or signals that the snooze has changed. */
export function snoozeCommand(
  { accountId, id }: Pick<Conversation, "accountId" | "id">,
  run: number,
  op: "start" | "signal",
): WorkflowCommand {
  return {
    op,
    workflow: "snooze",
    workflowId: `snooze-${id}-${run}`,
    taskQueue: "conversations",
    input: { accountId, conversationId: id, run } satisfies SnoozeInput,
    ...(op === "signal" ? { signal: "changed" } : {}),
    summary: `conversation ${id} is snoozed`,
    conversationId: id,
  };
}
