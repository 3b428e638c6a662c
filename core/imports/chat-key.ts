import type { ChatRow } from "../model/import.ts";

const minuteMs = 60_000;

/** Facts by which a message is known again. */
export interface KeyedMessage {
  at: Date;
  direction: ChatRow["direction"];
  /** Empty for a file without a caption, and for a placeholder. */
  text: string;
}

/**
 * Key of a message of a chat. Equal messages of a minute have equal keys. Seconds are left out,
 * since Android writes none, and so are marks and spaces, which the two systems write differently.
 */
export function chatKey({ at, direction, text }: KeyedMessage): string {
  return `${minuteOf(at)} ${direction} ${cleanText(text)}`;
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
 * Tells which messages are new. The first message of a key is new unless the conversation has one
 * message of the key, the second unless it has two, and so on.
 * @param keys of the messages in the order of the file
 * @param earlier messages of the same file before them, by their keys
 * @param known messages of the conversation by their keys
 */
export function findNew(
  keys: readonly string[],
  earlier: ReadonlyMap<string, number>,
  known: ReadonlyMap<string, number>,
): boolean[] {
  const seen = new Map(earlier);
  return keys.map((key) => {
    const ordinal = (seen.get(key) ?? 0) + 1;
    seen.set(key, ordinal);
    return ordinal > (known.get(key) ?? 0);
  });
}

/** Number of each key. */
export function countKeys(keys: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
