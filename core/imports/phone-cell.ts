import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/min";
import { parsePhone } from "../model/contact.ts";

/** Reasons for which a cell holds no phone. */
type PhoneFault = "phone_scientific" | "cell_error" | "invalid_phone";

/**
 * Digits of a phone as `parsePhone` returns them, or the reason for which the cell has none. Both
 * are null for an empty cell.
 */
export interface PhoneCell {
  phone: string | null;
  reason: PhoneFault | null;
}

/** Marks of direction, which a copy from a phone's contacts carries. */
const invisible = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]/gu;
/** They join and part letters of Persian or Hindi, and the parts of an emoji. */
const joiners = /[\u200c\u200d]/gu;

/** Text of a cell without invisible marks, spaces around it, and one leading apostrophe. */
export function cellText(cell: string): string {
  return joinedText(cell.replace(joiners, ""));
}

/** The same with its joiners, for a text that people read. */
export function joinedText(cell: string): string {
  return cell.replace(invisible, "").trim().replace(/^['’]/u, "").trim();
}

/** Excel writes large numbers so, and the digits after the first few are lost. */
const scientific = /^\d+(?:[.,]\d+)?e\+?\d+$/iu;
const errorValue =
  /^#(?:n\/a|n\/d|ref!|¡ref!|value!|¡valor!|valor!|name\?|¿nombre\?|nome\?|num!|¡num!|núm!|div\/0!|¡div\/0!|null!|¡nulo!|nulo!)$/iu;

/** @returns true for a cell that holds an error of a spreadsheet, such as `#N/A` */
export function isErrorValue(cell: string): boolean {
  return errorValue.test(cellText(cell));
}

/** Google joins several values of a field so. The first phone or email counts. */
export const googleSeparator = ":::";
/** `tel:` of links, and `p:` of the forms of Facebook. */
const scheme = /^(?:tel|p):\s*/iu;

/**
 * Reads the phone of a cell. A number with `+` or `00` has its country code. Any other number is
 * read as one of the country first, and as one with its country code otherwise.
 * @param country ISO code, such as `MX`; null where each number has its country code
 */
export function cleanPhone(cell: string, country: string | null): PhoneCell {
  const text = (cellText(cell).split(googleSeparator, 1)[0] ?? "").trim().replace(scheme, "");
  if (text === "") return { phone: null, reason: null };
  if (scientific.test(text)) return { phone: null, reason: "phone_scientific" };
  if (isErrorValue(text)) return { phone: null, reason: "cell_error" };
  // A spreadsheet has taken the number for one with decimals.
  const plain = text.replace(/^(\d{6,})[.,]0+$/u, "$1");
  if (/^(?:\+|00)/u.test(plain)) return toCell(parseInternational(plain));
  const national = country === null ? null : parseNational(plain, country);
  if (national !== null) return toCell(national);
  // No country code begins with a zero.
  if (/^\(?0/u.test(plain)) return toCell(null);
  return toCell(parseInternational(plain));
}

function toCell(phone: string | null): PhoneCell {
  return { phone, reason: phone === null ? "invalid_phone" : null };
}

/** A zero in parentheses, and what Mexico dialled before numbers: 01, 044 and 045. */
const trunkPrefix = /\(\s*0\s*\)|(?<=^\+\s*52\s*)\(\s*0(?:1|4[45])\s*\)/u;

/**
 * Digits of a number with its country code, else null. A prefix in parentheses, as in
 * `+44 (0)20 7946 0018`, is dialled within the country only. The country tells which zeros go.
 */
function parseInternational(text: string): string | null {
  if (!/\(\s*0/u.test(text)) return parsePhone(text);
  const dialled = text.replace(/^(?:\+|00)?/u, "+");
  // Some countries dial no prefix, but people write one all the same.
  for (const one of [dialled, dialled.replace(trunkPrefix, " ")]) {
    const parsed = parsePhoneNumberFromString(one, { extract: false });
    if (parsed?.isValid() === true) return parsePhone(parsed.number);
  }
  return null;
}

/** Digits of a number that is valid in a country, with the country code; else null. */
function parseNational(text: string, country: string): string | null {
  if (!isSupportedCountry(country)) return null;
  const parsed = parsePhoneNumberFromString(text, { defaultCountry: country, extract: false });
  return parsed?.isValid() === true ? parsePhone(parsed.number) : null;
}
