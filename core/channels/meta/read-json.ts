import { toWellFormed } from "../../model/wire.ts";

/** Readers of JSON that a provider sends. None throws: a value of another type reads as absent. */

export type Fields = Readonly<Record<string, unknown>>;

/** @returns the object, or null for anything else. */
export function readFields(value: unknown): Fields | null {
  return isFields(value) ? value : null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @returns the items, or none for anything but an array. */
export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of an array; other items are left out. */
export function readObjects(value: unknown): Fields[] {
  return readList(value).filter(isFields);
}

/** A text that is not blank. Ids are now and then sent as numbers. */
export function readText(value: unknown): string | null {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** Ids are columns of their own in a database that takes no other characters there. */
const maxIdLength = 191;

/** An id: printable ASCII without blanks, as every id of Meta. An id of a message may be longer. */
export function readId(value: unknown, maxLength = maxIdLength): string | null {
  const text = readText(value);
  return text !== null && text.length <= maxLength && /^[!-~]+$/.test(text) ? text : null;
}

/** Characters of the id of a phone number, a Page or an Instagram account. */
export const maxExternalIdLength = 128;

/** Of UTF-16; an emoji of several parts has about 15. */
const maxEmojiLength = 32;

export function readEmoji(value: unknown): string | null {
  const text = readText(value);
  return text === null ? null : toWellFormed(text.slice(0, maxEmojiLength));
}

/** Id of a message. */
export function readMessageId(value: unknown): string | null {
  return readId(value, 512);
}

/** A boolean; null for any other value. */
export function readBoolean(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}

export function readNumber(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** From here on a number of a time is in milliseconds; as seconds it would be the year 5138. */
const firstMilliseconds = 100_000_000_000;

/**
 * A time as seconds or milliseconds since 1970, as a number or a string, or as ISO 8601.
 * @returns the same in ISO 8601 and UTC, or null for what is no time.
 */
export function readTime(value: unknown): string | null {
  const number = readNumber(value);
  const at =
    number === null
      ? new Date(typeof value === "string" ? value : Number.NaN)
      : new Date(number < firstMilliseconds ? number * 1_000 : number);
  const isTime = at.getTime() > 0 && at.getUTCFullYear() < 10_000;
  return isTime ? at.toISOString() : null;
}

/** The phone of WhatsApp's digits, or null where they are none. */
export function readPhone(waId: string | null): string | null {
  return waId !== null && /^\d{6,15}$/.test(waId) ? `+${waId}` : null;
}
