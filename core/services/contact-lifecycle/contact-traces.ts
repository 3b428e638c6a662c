import { ContactErasure } from "../../../db/entities/contact-erasure.ts";
import type { Tx } from "../../../db/transaction.ts";
import type {
  EraseContactInput,
  EraseEventsInput,
  EraseEventsProgress,
  ForgetCallsInput,
  ForgetCallsProgress,
} from "../../model/erasure.ts";
import { eraseAgentRows } from "../agent/contact-rows.ts";
import { eraseChannelItems } from "../channels/contact-items.ts";
import { cancelErasedDeliveries } from "./contact-erasure.ts";
import { escapeLike, placeholders, type SqlPart } from "../sql.ts";

/**
 * Erases a batch of an erased contact's data. These are messages and notes, turns of the agent,
 * stored answers of the API, and bodies of inbound calls. No transaction can add more: all writers lock a conversation or
 * the contact first, and both are gone.
 * @param limit rows of each kind.
 * @returns true if none is left.
 */
export async function eraseContactRows(
  tx: Tx,
  input: EraseContactInput,
  limit: number,
): Promise<boolean> {
  const { accountId, contactIds, conversationIds } = input;
  const batches: [statement: string, column: string, ids: number[]][] = [
    ["DELETE FROM messages WHERE", "contact_id", contactIds],
    ["DELETE FROM conversation_notes WHERE", "conversation_id", conversationIds],
    ["DELETE FROM message_provider_ids WHERE", "conversation_id", conversationIds],
    ["DELETE FROM message_reactions WHERE", "conversation_id", conversationIds],
    ["DELETE FROM idempotency_keys WHERE", "contact_id", contactIds],
    [
      "UPDATE inbound_requests SET body = NULL WHERE body IS NOT NULL AND",
      "contact_id",
      contactIds,
    ],
    [
      `UPDATE import_rows SET raw = NULL, before_values = NULL, phone_key = NULL, email = NULL
        WHERE raw IS NOT NULL AND`,
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
  done &&= await eraseChannelItems(tx, input, limit);
  return (await eraseAgentRows(tx, input, limit)) && done;
}

/**
 * Erases a batch of an erased contact's events: their bytes, and the answers of receivers, which
 * may repeat the bytes. Deliveries and attempts stay as rows; open deliveries end as `cancelled`.
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
  // Locked before the bytes are erased. An attempt under way then either has stored its answer
  // already, or finds the event erased and stores none.
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
 * Searches a batch of refused inbound calls for an erased person, and deletes the bodies that name
 * the person. These log rows have no contact. So the search looks for the emails, and for the last
 * digits of the phones in any notation.
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
  // The lock waits for a call that is just being stored, so that the search skips none.
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

/** Characters of emails that some programs escape in JSON. */
const escapedInEmails = ["&", "'", "+", "=", "`"];

/** Null if the person has neither an email nor a phone. */
function callsNaming({ emails, phoneEndings }: ContactErasure): SqlPart | null {
  // Latin 1 takes any bytes, even invalid UTF-8. Digits and emails are ASCII in both.
  const raw = String.raw`REPLACE(LOWER(CONVERT(body USING latin1)), '\\/', '/')`;
  const text = escapedInEmails.reduce((sql, character) => {
    const code = character.charCodeAt(0);
    const escape = code.toString(16).padStart(4, "0");
    return String.raw`REPLACE(${sql}, '\\u${escape}', CHAR(${code} USING latin1))`;
  }, raw);
  // An escape between the digits has digits of its own.
  const digits = String.raw`REGEXP_REPLACE(${text}, '[^0-9\\\\]+|\\\\(u[0-9a-f]{4}){0,1}', '')`;
  const conditions = [
    ...phoneEndings.map(() => `${digits} LIKE ?`),
    ...emails.map(() => `${text} LIKE ?`),
  ];
  if (conditions.length === 0) return null;
  const values = [...phoneEndings, ...emails.map(escapeLike)].map((part) => `%${part}%`);
  return { sql: conditions.join(" OR "), values };
}

/** Last step of an erasure: deletes the person's data that the erasure itself needed. */
export async function endContactErasure(
  tx: Tx,
  { accountId, contactId }: Pick<ForgetCallsInput, "accountId" | "contactId">,
): Promise<void> {
  await tx.manager.delete(ContactErasure, { accountId, contactId });
}
