import { minuteMs } from "../model/durations.ts";
import type { ChatRow } from "../model/import.ts";
import type { MessageType } from "../model/message.ts";
import { isLocationText } from "./chat-phrases.ts";

/** Facts by which a message is known again. */
export interface KeyedMessage {
  at: Date;
  direction: ChatRow["direction"];
  /** Empty for a file without a caption, for contact cards, and for a placeholder. */
  text: string;
}

/** A WhatsApp message that the contact has. */
export interface StoredMessage {
  direction: "inbound" | "outbound";
  type: MessageType;
  content: string | null;
  /** Its time at the network, or the time at which our call had ended. */
  at: Date;
  /** The time at the network is not known: it may lie in the minute before. */
  isLate: boolean;
}

/** Key of every location. An export has a link, and the network gives a name or coordinates. */
const locationText = "\tlocation";

/**
 * Key of a message of a chat. Equal messages of a minute have equal keys. Seconds are left out,
 * since Android writes none, and so are marks and spaces, which the two systems write differently.
 */
export function chatKey({ at, direction, text }: KeyedMessage): string {
  const clean = cleanText(text);
  return keyAt(minuteOf(at), direction, isLocationText(clean) ? locationText : clean);
}

function keyAt(minute: number, direction: ChatRow["direction"], text: string): string {
  return `${minute} ${direction} ${text}`;
}

/** Number of a minute. */
export function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / minuteMs);
}

function cleanText(text: string): string {
  return text
    .normalize("NFC")
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}

/** Key of a row of an import. */
export function keyOfRow({ at, direction, text }: ChatRow): string {
  return chatKey({ at: new Date(at), direction, text });
}

/**
 * One or two keys that a stored message may have in an export: the likely one first. An
 * export has contact cards as files, so their names are left out.
 */
export function keysOfStored({ direction, type, content, at, isLate }: StoredMessage): string[] {
  const way = direction === "inbound" ? "in" : "out";
  const minute = minuteOf(at);
  const minutes = isLate ? [minute, minute - 1] : [minute];
  if (type === "location") return minutes.map((one) => keyAt(one, way, locationText));
  const text = type === "contact" ? "" : (content ?? "");
  return minutes.map((one) => chatKey({ at: new Date(one * minuteMs), direction: way, text }));
}

/**
 * Tells which messages are new. Each stored message stands for one message of the file at most. So of
 * two equal messages the second is new unless two are stored.
 * @param keys of the messages in the order of the file
 * @param earlier keys of messages of the same file before them, in its order
 * @param known keys of each stored message
 */
export function findNew(
  keys: readonly string[],
  earlier: readonly string[],
  known: readonly (readonly string[])[],
): boolean[] {
  const free = groupByKey(known);
  const take = (key: string): boolean => {
    const found = free.get(key)?.find((one) => one.isFree);
    if (found !== undefined) found.isFree = false;
    return found !== undefined;
  };
  for (const key of earlier) take(key);
  return keys.map((key) => !take(key));
}

/** A stored message that no message of the file has taken yet. */
interface KnownMessage {
  isFree: boolean;
}

/** Messages with one key come first, then those with the key as the likely one. */
function groupByKey(known: readonly (readonly string[])[]): Map<string, KnownMessage[]> {
  const groups = new Map<string, KnownMessage[]>();
  const messages = known
    .map((keys) => ({ keys, message: { isFree: true } }))
    .toSorted((one, other) => one.keys.length - other.keys.length);
  for (const place of [0, 1]) {
    for (const { keys, message } of messages) {
      const key = keys[place];
      if (key === undefined) continue;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [message]);
      else group.push(message);
    }
  }
  return groups;
}
