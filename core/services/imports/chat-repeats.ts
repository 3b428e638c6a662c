import type { Tx } from "../../../db/transaction.ts";
import { chatKey, countKeys, findNew, keyOfRow, minuteOf } from "../../imports/chat-key.ts";
import { dayMs, minuteMs } from "../../model/durations.ts";
import type { ChatRow, RawRow } from "../../model/import.ts";

/** A message of the file with its number. */
export interface NumberedMessage {
  number: number;
  raw: ChatRow;
}

/** Earlier rows that may lie in the minute of the first row of a batch. */
const lookBack = 500;
/** A message may be stored so much before or after its time at the network. */
const earlyMs = 10 * minuteMs;
const lateMs = dayMs;

/** The message of a row; null for a row of a person who was erased. */
export function messageOf(raw: RawRow | null): ChatRow | null {
  return raw === null || Array.isArray(raw) ? null : raw;
}

/**
 * Numbers of the messages that the conversation does not have. A message that the network has
 * delivered is known too, so a second export adds only the rest.
 * @param conversationId null before there is a conversation
 */
export async function findNewNumbers(
  tx: Tx,
  importId: number,
  conversationId: number | null,
  messages: readonly NumberedMessage[],
): Promise<Set<number>> {
  const keys = messages.map(({ raw }) => keyOfRow(raw));
  const known =
    conversationId === null
      ? new Map<string, number>()
      : await countKnown(tx, conversationId, messages);
  const earlier = await countEarlier(tx, importId, messages);
  const areNew = findNew(keys, earlier, known);
  return new Set(messages.flatMap(({ number }, index) => (areNew[index] === true ? number : [])));
}

/** Messages of the file before a batch, of which some may lie in the same minutes. */
async function countEarlier(
  tx: Tx,
  importId: number,
  [first]: readonly NumberedMessage[],
): Promise<Map<string, number>> {
  if (first === undefined) return new Map();
  const rows = await tx.manager.query<{ raw: RawRow | null }[]>(
    `SELECT raw FROM import_rows FORCE INDEX (PRIMARY)
      WHERE import_id = ? AND number < ? ORDER BY number DESC LIMIT ?`,
    [importId, first.number, lookBack],
  );
  return countKeys(rows.flatMap(({ raw }) => keyOf(messageOf(raw))));
}

function keyOf(message: ChatRow | null): string[] {
  return message === null ? [] : [keyOfRow(message)];
}

interface KnownRow {
  direction: "inbound" | "outbound";
  content: string | null;
  at: Date;
}

async function countKnown(
  tx: Tx,
  conversationId: number,
  messages: readonly NumberedMessage[],
): Promise<Map<string, number>> {
  const times = messages.map(({ raw }) => Date.parse(raw.at));
  const first = times.reduce((one, other) => Math.min(one, other), Infinity);
  const last = times.reduce((one, other) => Math.max(one, other), -Infinity);
  const minutes = new Set(times.map((time) => minuteOf(new Date(time))));
  const rows = await tx.manager.query<KnownRow[]>(
    `SELECT direction, content, COALESCE(provider_at, sent_at, created_at) AS at
       FROM messages FORCE INDEX (messages_thread)
      WHERE conversation_id = ? AND created_at >= ? AND created_at < ?
        AND status NOT IN ('failed', 'cancelled')`,
    [conversationId, new Date(first - earlyMs), new Date(last + lateMs)],
  );
  const known = rows
    .filter(({ at }) => minutes.has(minuteOf(at)))
    .map(({ direction, content, at }) => {
      const text = content ?? "";
      return chatKey({ at, direction: direction === "inbound" ? "in" : "out", text });
    });
  return countKeys(known);
}
