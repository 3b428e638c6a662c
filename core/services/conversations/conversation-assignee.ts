import { IsNull } from "typeorm";
import { Conversation } from "../../../db/entities/conversation.ts";
import { Membership } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import { notifyOfAssignment } from "../notifications/personal-notifications.ts";
import { recordChange } from "../outbox/changes.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import {
  idsOfConversation,
  lockConversation,
} from "../conversation-records/conversation-records.ts";

/**
 * Assigns a conversation to a member of the account, or removes the assignee.
 * @throws AppError `validation_error` with `unknown_user` for any other user.
 */
export async function assignConversation(
  tx: Tx,
  id: number,
  userId: number | null,
): Promise<Conversation> {
  const row = await lockConversation(tx, id);
  if (row.assignedToUserId === userId) return row;
  const { accountId } = tx.actor;
  const member = { accountId, userId: userId ?? 0, disabledAt: IsNull() };
  if (userId !== null && !(await tx.manager.existsBy(Membership, member))) {
    throw invalidField("body.user_id", "unknown_user", "Name a member of this account, or null.");
  }
  return await storeAssignee(tx, row, userId);
}

/** Stores the assignee of a locked conversation, records a note, and notifies the assignee. */
export async function storeAssignee(
  tx: Tx,
  row: Conversation,
  userId: number | null,
): Promise<Conversation> {
  const params = { from: row.assignedToUserId, to: userId };
  const columns = { assignedToUserId: userId, updatedAt: tx.now, version: row.version + 1 };
  Object.assign(row, columns);
  await tx.manager.update(Conversation, row.id, columns);
  await recordNote(tx, row, { kind: "assigned", params });
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  await notifyOfAssignment(tx, row, userId);
  return row;
}

/** @returns true if the conversation has an assignee who can still log in to the account. */
export async function hasAssignee(tx: Tx, { accountId, assignedToUserId }: Conversation) {
  if (assignedToUserId === null) return false;
  const rows = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
      WHERE m.account_id = ? AND m.user_id = ? AND m.disabled_at IS NULL`,
    [accountId, assignedToUserId],
  );
  return rows.length > 0;
}

/**
 * Assigns a locked conversation to the member who was assigned least recently. Agents come first;
 * without any, admins take turns.
 *
 * All members are locked, so that two handoffs at once go to two people. The chosen member moves
 * behind all others by a time later than theirs. `tx.now` alone is not enough: times tie within a
 * millisecond. A transaction may also have read the clock before one that has committed since.
 */
export async function assignInTurn(tx: Tx, row: Conversation): Promise<void> {
  const members = await tx.manager.query<
    { id: number; user_id: number; last_assigned_at: Date | null }[]
  >(
    `SELECT m.id, m.user_id, m.last_assigned_at FROM memberships m
       JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
      WHERE m.account_id = ? AND m.disabled_at IS NULL
      ORDER BY m.role = 'agent' DESC, m.last_assigned_at, m.id FOR UPDATE OF m`,
    [row.accountId],
  );
  const [next] = members;
  if (next === undefined) return;
  const last = Math.max(...members.map(({ last_assigned_at: at }) => at?.getTime() ?? 0));
  const at = new Date(Math.max(tx.now.getTime(), last + 1));
  await tx.manager.query("UPDATE memberships SET last_assigned_at = ? WHERE id = ?", [at, next.id]);
  await storeAssignee(tx, row, next.user_id);
}
