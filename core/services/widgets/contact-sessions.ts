import type { Tx } from "../../../db/transaction.ts";
import { recordChanges } from "../outbox/changes.ts";
import { placeholders } from "../sql.ts";

/**
 * Ends the sessions of contacts, with what they hold of the person. Call it before the contacts are
 * locked: a visitor's message locks the session first.
 * @param scope `anonymous`: sessions with a signed identity go on
 */
export async function endContactSessions(
  tx: Tx,
  contactIds: readonly number[],
  scope: "all" | "anonymous" = "all",
): Promise<void> {
  if (contactIds.length === 0) return;
  const { accountId } = tx.actor;
  const rows = await tx.manager.query<
    { id: number; contactId: number; conversationId: number | null }[]
  >(
    `SELECT id, contact_id AS contactId, conversation_id AS conversationId FROM widget_sessions
      WHERE contact_id IN (${placeholders(contactIds)}) AND account_id = ? AND ended_at IS NULL
        ${scope === "all" ? "" : "AND verified_sub IS NULL"}
      ORDER BY id FOR UPDATE`,
    [...contactIds, accountId],
  );
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await tx.manager.query(
    `UPDATE widget_sessions
        SET ended_at = ?, said = NULL, page = NULL, context = NULL, resume_hash = NULL,
            previous_resume_hash = NULL
      WHERE id IN (${placeholders(ids)})`,
    [tx.now, ...ids],
  );
  await recordChanges(
    tx,
    rows.map(({ contactId, conversationId }) => ({
      kind: "visitor.ended",
      contactId,
      conversationId,
    })),
  );
}

/** Locks the sessions of a contact that have not ended. Call it before the contact is locked. */
export async function lockContactSessions(
  { manager, actor }: Tx,
  contactId: number,
): Promise<void> {
  await manager.query(
    `SELECT id FROM widget_sessions
      WHERE contact_id = ? AND account_id = ? AND ended_at IS NULL ORDER BY id FOR UPDATE`,
    [contactId, actor.accountId],
  );
}

/** Sessions of a contact that merges into another one: its visits are the other one's from now on. */
export async function moveContactSessions(
  { manager, actor }: Tx,
  fromContactId: number,
  toContactId: number,
): Promise<void> {
  await manager.query(
    "UPDATE widget_sessions SET contact_id = ? WHERE contact_id = ? AND account_id = ?",
    [toContactId, fromContactId, actor.accountId],
  );
}

/** Deletes all that ended sessions of these contacts hold of the person, the signed id too. */
export async function forgetContactSessions(
  { manager, actor }: Tx,
  contactIds: readonly number[],
): Promise<void> {
  await manager.query(
    `UPDATE widget_sessions
        SET said = NULL, page = NULL, visits = NULL, context = NULL, verified_sub = NULL,
            visitor_id = 'erased'
      WHERE contact_id IN (${placeholders(contactIds)}) AND account_id = ?`,
    [...contactIds, actor.accountId],
  );
}
