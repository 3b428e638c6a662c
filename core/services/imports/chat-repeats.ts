import type { Tx } from "../../../db/transaction.ts";
import {
  findNew,
  keyOfRow,
  keysOfStored,
  minuteOf,
  type StoredMessage,
} from "../../imports/chat-key.ts";
import { dayMs, minuteMs } from "../../model/durations.ts";
import type { ChatRow, RawRow } from "../../model/import.ts";
import { placeholders } from "../sql.ts";

/** A message of the file with its number. */
export interface NumberedMessage {
  number: number;
  raw: ChatRow;
}

/** Earlier rows that may lie shortly before the first row of a batch. */
const lookBack = 500;
/**
 * Earlier rows of this time before a batch count. Our own message stands for a row of its minute or
 * of the minute before. So rows of minutes in a line compete for the same messages.
 */
const chainMs = 10 * minuteMs;
/** A message may be stored so much before or after its time at the network. */
const earlyMs = 10 * minuteMs;
const lateMs = dayMs;

/** The message of a row; null for a row of a person who was erased. */
export function messageOf(raw: RawRow | null): ChatRow | null {
  return raw === null || Array.isArray(raw) ? null : raw;
}

/**
 * Numbers of the messages that no WhatsApp conversation of the contact has. A message that the
 * network has delivered is known too, so a second export adds only the rest.
 * @param contactId null before there is a contact
 */
export async function findNewNumbers(
  tx: Tx,
  importId: number,
  contactId: number | null,
  messages: readonly NumberedMessage[],
): Promise<Set<number>> {
  const [first] = messages;
  if (first === undefined) return new Set();
  const rows = messages.map(({ raw }) => raw);
  const earlier = await listEarlier(tx, importId, first.number, rows);
  const known = contactId === null ? [] : await listKnown(tx, contactId, [...earlier, ...rows]);
  const areNew = findNew(rows.map(keyOfRow), earlier.map(keyOfRow), known);
  return new Set(messages.flatMap(({ number }, index) => (areNew[index] === true ? number : [])));
}

/** Messages of the file shortly before a batch, in their order. */
async function listEarlier(
  tx: Tx,
  importId: number,
  number: number,
  batch: readonly ChatRow[],
): Promise<ChatRow[]> {
  const rows = await tx.manager.query<{ raw: RawRow | null }[]>(
    `SELECT raw FROM import_rows FORCE INDEX (PRIMARY)
      WHERE import_id = ? AND number < ? ORDER BY number DESC LIMIT ?`,
    [importId, number, lookBack],
  );
  const since = firstOf(timesOf(batch)) - chainMs;
  return rows
    .flatMap(({ raw }) => messageOf(raw) ?? [])
    .filter(({ at }) => Date.parse(at) >= since)
    .toReversed();
}

function timesOf(rows: readonly ChatRow[]): number[] {
  return rows.map(({ at }) => Date.parse(at));
}

function firstOf(times: readonly number[]): number {
  return times.reduce((one, other) => Math.min(one, other), Infinity);
}

function lastOf(times: readonly number[]): number {
  return times.reduce((one, other) => Math.max(one, other), -Infinity);
}

interface KnownRow extends Omit<StoredMessage, "isLate"> {
  isLate: number;
}

/** Keys of each WhatsApp message of the contact in the minutes of the rows. */
async function listKnown(tx: Tx, contactId: number, rows: readonly ChatRow[]): Promise<string[][]> {
  const conversations = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM conversations FORCE INDEX (conversations_contact)
      WHERE contact_id = ? AND account_id = ? AND channel = 'whatsapp'`,
    [contactId, tx.actor.accountId],
  );
  if (conversations.length === 0) return [];
  const times = timesOf(rows);
  const minutes = new Set(times.map((time) => minuteOf(new Date(time))));
  const stored = await tx.manager.query<KnownRow[]>(
    `SELECT direction, type, content, COALESCE(provider_at, sent_at, created_at) AS at,
            direction = 'outbound' AND provider_at IS NULL AS isLate
       FROM messages FORCE INDEX (messages_thread)
      WHERE conversation_id IN (${placeholders(conversations)})
        AND created_at >= ? AND created_at < ?
        AND status NOT IN ('failed', 'cancelled')`,
    [
      ...conversations.map(({ id }) => id),
      new Date(firstOf(times) - earlyMs),
      new Date(lastOf(times) + lateMs),
    ],
  );
  return stored
    .map((row) => ({ ...row, isLate: Boolean(row.isLate) }))
    .filter(({ at, isLate }) => {
      const minute = minuteOf(at);
      return minutes.has(minute) || (isLate && minutes.has(minute - 1));
    })
    .map(keysOfStored);
}
