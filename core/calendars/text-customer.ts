import { parseEmail, parsePhone } from "../model/contact.ts";

/** A customer whom a text names. */
export interface TextCustomer {
  phone: string | null;
  email: string | null;
}

/** Invitations to calls contain numbers of the call's provider, which no customer has. */
const callLine = /https?:|dial|zoom|teams|meet\b|\bpin\b|passcode|one tap|,,|conference|marcar/iu;
const phonePattern = /(?:\+|\b00)?\d(?:[\d\s().\u2010-\u2015-]*\d)/gu;
const emailPattern = /[^\s<>()[\]"',;:]+@[^\s<>()[\]"',;:]+\.[a-z]{2,}/giu;
const datePattern = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}/u;

/** Digits of a number without `+`: a shorter one may be an order number or a date. */
const minBareDigits = 10;

/**
 * Finds the first phone number and the first email address in a text.
 * @param isOwn true for an address that belongs to the company
 * @returns null where the text has neither
 */
export function findTextCustomer(
  source: string,
  isOwn: (email: string) => boolean,
): TextCustomer | null {
  const lines = toLines(source).filter((line) => !callLine.test(line));
  const email = first(lines, (line) => findEmail(line, isOwn));
  const phone = first(lines, findPhone);
  return email === null && phone === null ? null : { phone, email };
}

/** The text without phone numbers, addresses and what surrounds them; null if nothing remains. */
export function nameInText(source: string): string | null {
  const bare = source.replace(emailPattern, " ").replace(phonePattern, " ");
  const name = bare
    .replace(/[()[\]<>|,;:]+/gu, " ")
    .replace(/\s+/gu, " ")
    .replace(/^[\s/-]+|[\s/+-]+$/gu, "");
  return /\p{L}/u.test(name) ? name : null;
}

/** Descriptions are HTML or plain text. */
function toLines(source: string): string[] {
  return source
    .replace(/<(?:br|p|div|li)\b[^>]*>|<\/(?:p|div|li)>/giu, "\n")
    .replace(/<a\s[^>]*href="mailto:([^"]+)"[^>]*>/giu, " $1 ")
    .replace(/<[^>]*>/gu, " ")
    .replaceAll("&nbsp;", " ")
    .split("\n");
}

function findEmail(line: string, isOwn: (email: string) => boolean): string | null {
  for (const [found] of line.matchAll(emailPattern)) {
    const email = parseEmail(found.replace(/[.?!]+$/u, ""));
    if (email !== null && !isOwn(email)) return email;
  }
  return null;
}

function findPhone(line: string): string | null {
  for (const [found] of line.replace(emailPattern, " ").matchAll(phonePattern)) {
    if (datePattern.test(found)) continue;
    const phone = parsePhone(found);
    const isMarked = found.startsWith("+") || found.startsWith("00");
    if (phone !== null && (isMarked || phone.length >= minBareDigits)) return phone;
  }
  return null;
}

function first<T>(lines: readonly string[], find: (line: string) => T | null): T | null {
  for (const line of lines) {
    const found = find(line);
    if (found !== null) return found;
  }
  return null;
}
