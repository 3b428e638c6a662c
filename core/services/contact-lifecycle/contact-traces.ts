import { ContactErasure } from "../../../db/entities/contact-erasure.ts";
import type { Tx } from "../../../db/transaction.ts";
import type {
  EraseContactInput,
  EraseEventsInput,
  EraseEventsProgress,
  ForgetCallsInput,
  ForgetCallsProgress,
} from "../../model/erasure.ts";
import { cancelErasedDeliveries } from "./contact-erasure.ts";
import { escapeLike, placeholders, type SqlPart } from "../sql.ts";

/**
 * Erases a batch of what an erased contact left behind: messages and notes, stored answers of the API,
 * and the bodies of inbound calls. Nothing can add to them: all that writes them locks a conversation
 * or the contact first, and both are gone.
 * @param limit rows of each kind.
 * @returns whether none is left.
 */
export async function eraseContactRows(
  tx: Tx,
  { accountId, contactIds, conversationIds }: EraseContactInput,
  limit: number,
): Promise<boolean> {
  const batches: [statement: string, column: string, ids: number[]][] = [
    ["DELETE FROM messages WHERE", "contact_id", contactIds],
    ["DELETE FROM conversation_notes WHERE", "conversation_id", conversationIds],
    ["DELETE FROM idempotency_keys WHERE", "contact_id", contactIds],
    [
      "UPDATE inbound_requests SET body = NULL WHERE body IS NOT NULL AND",
      "contact_id",
      contactIds,
    ],
  ];
  let done = true;
  for (const [statement, column, ids] of batches) {
    if (ids.length === 0) continue;
    const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
      `${statement} account_id = ? AND ${column} IN (${placeholders(ids)}) LIMIT ?`,
      [accountId, ...ids, limit],
    );
    done &&= affectedRows < limit;
  }
  return done;
}

/**
 * Erases the next events of an erased contact: their bytes and what receivers answered, which may
 * repeat them. Deliveries and attempts stay as rows; those still open end as `cancelled`.
 */
export async function eraseContactEvents(
  tx: Tx,
  { accountId, contactId, after }: EraseEventsInput,
  limit: number,
): Promise<EraseEventsProgress> {
  const rows = await tx.manager.query<{ id: Buffer }[]>(
    `SELECT id FROM events FORCE INDEX (events_contact)
      WHERE contact_id = ? AND account_id = ? AND id > ? AND erased_at IS NULL ORDER BY id LIMIT ?`,
    [contactId, accountId, Buffer.from(after ?? "", "hex"), limit],
  );
  const last = rows.at(-1);
  if (last === undefined) return { erased: 0, after: null };
  const eventIds = rows.map(({ id }) => id);
  // Locked before the bytes go: an attempt under way then either has written its answer down already,
  // or finds the event erased and keeps none.
  const deliveries = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM deliveries FORCE INDEX (deliveries_event_subscription)
      WHERE event_id IN (${placeholders(eventIds)}) ORDER BY id FOR UPDATE`,
    eventIds,
  );
  await tx.manager.query(
    `UPDATE events SET body = NULL, erased_at = ? WHERE id IN (${placeholders(eventIds)})`,
    [tx.now, ...eventIds],
  );
  const deliveryIds = deliveries.map(({ id }) => id);
  await cancelErasedDeliveries(tx, deliveryIds);
  await forgetAnswers(tx, deliveryIds);
  return { erased: rows.length, after: rows.length < limit ? null : last.id.toString("hex") };
}

async function forgetAnswers(tx: Tx, deliveryIds: number[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  await tx.manager.query(
    `UPDATE delivery_attempts FORCE INDEX (delivery_attempts_seq)
        SET response_headers = NULL, response_excerpt = NULL
      WHERE delivery_id IN (${placeholders(deliveryIds)})
        AND (response_headers IS NOT NULL OR response_excerpt IS NOT NULL)`,
    deliveryIds,
  );
}

/**
 * Searches the next refused inbound calls for an erased person, and forgets the bodies of those that
 * name the person. The log does not know whom these calls are about: the search looks for the emails,
 * and for the last digits of the phones however they are written.
 * @param limit calls to search.
 */
export async function forgetRefusedCalls(
  tx: Tx,
  { accountId, contactId, after }: ForgetCallsInput,
  limit: number,
): Promise<ForgetCallsProgress> {
  const erasure = await tx.manager.findOneBy(ContactErasure, { accountId, contactId });
  const naming = erasure && callsNaming(erasure);
  if (naming === null) return { after, done: true };
  // The lock waits for a call that is just being written down, so that the search skips none.
  const calls = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM inbound_requests FORCE INDEX (inbound_requests_contact)
      WHERE account_id = ? AND contact_id IS NULL AND id > ? ORDER BY id LIMIT ? FOR UPDATE`,
    [accountId, after, limit],
  );
  const ids = calls.map(({ id }) => Number(id));
  if (ids.length > 0) {
    await tx.manager.query(
      `UPDATE inbound_requests SET body = NULL
        WHERE id IN (${placeholders(ids)}) AND body IS NOT NULL AND (${naming.sql})`,
      [...ids, ...naming.values],
    );
  }
  return { after: ids.at(-1) ?? after, done: ids.length < limit };
}

/** Null where the person has neither an email nor a phone. */
function callsNaming({ emails, phoneEndings }: ContactErasure): SqlPart | null {
  // Latin 1 takes any bytes, also those that are no UTF-8; digits and emails are ASCII in both.
  const text = "CONVERT(body USING latin1)";
  const digits = `REGEXP_REPLACE(${text}, '[^0-9]+', '')`;
  const conditions = [
    ...phoneEndings.map(() => `${digits} LIKE ?`),
    ...emails.map(() => `LOWER(${text}) LIKE ?`),
  ];
  if (conditions.length === 0) return null;
  const values = [...phoneEndings, ...emails.map(escapeLike)].map((part) => `%${part}%`);
  return { sql: conditions.join(" OR "), values };
}

/** The last step of an erasure: what was known of the person for its sake goes too. */
export async function endContactErasure(
  tx: Tx,
  { accountId, contactId }: Pick<ForgetCallsInput, "accountId" | "contactId">,
): Promise<void> {
  await tx.manager.delete(ContactErasure, { accountId, contactId });
}
