import { parseEmail, parseTag, phoneKey } from "../model/contact.ts";
import type { ContactMapping, ImportField, ImportReason } from "../model/import.ts";
import { maxNameLength, toWellFormed } from "../model/wire.ts";
import { restoreCell } from "./csv-text.ts";
import { cellText, cleanPhone, googleSeparator, isErrorValue, joinedText } from "./phone-cell.ts";

/** Maximum length of an imported note, in characters. */
const maxNoteLength = 4_096;

/** Contact that a row describes. Null and empty lists are absent fields. */
export interface RowContact {
  name: string | null;
  /** Digits, as `parsePhone` returns them. */
  phone: string | null;
  phoneKey: string | null;
  email: string | null;
  tags: string[];
  /** Name of a stage. */
  stage: string | null;
  note: string | null;
}

/** A row that cannot be imported. */
export interface RefusedRow {
  reason: ImportReason;
}

/**
 * Judges the cells of a row by the mapping of its import. A phone or an email must remain.
 * @returns the contact, or the reason of the first refused cell.
 */
export function judgeContactRow(
  cells: readonly string[],
  mapping: Pick<ContactMapping, "columns" | "country">,
): RowContact | RefusedRow {
  const textsOf = (field: ImportField): string[] =>
    mapping.columns
      .filter((column) => column.field === field)
      .map(({ index }) => readCell(cells[index] ?? "", field))
      .filter((text) => text !== "");
  const texts = (["name", "phone", "email", "tags", "stage", "note"] as const).flatMap(textsOf);
  if (texts.some(isErrorValue)) return { reason: "cell_error" };

  const phone = readPhone(textsOf("phone"), mapping.country);
  if ("reason" in phone) return phone;
  const email = readEmail(textsOf("email"));
  if ("reason" in email) return email;
  if (phone.digits === null && email.address === null) return { reason: "no_identifier" };
  const tags = readTags(textsOf("tags"));
  if ("reason" in tags) return tags;
  const name = textsOf("name").join(" ");
  if (name.length > maxNameLength) return { reason: "name_too_long" };
  const note = textsOf("note").join("\n");
  if (note.length > maxNoteLength) return { reason: "note_too_long" };
  return {
    name: name === "" ? null : toWellFormed(name),
    phone: phone.digits,
    phoneKey: phone.digits === null ? null : phoneKey(phone.digits),
    email: email.address,
    tags: tags.tags,
    stage: textsOf("stage")[0] ?? null,
    note: note === "" ? null : toWellFormed(note),
  };
}

function readCell(cell: string, field: ImportField): string {
  const text = cellText(cell);
  // Joiners alone are no text.
  if (text === "" || field === "phone" || field === "email") return text;
  return restoreCell(joinedText(cell));
}

function readPhone(
  [text]: string[],
  country: string | null,
): { digits: string | null } | RefusedRow {
  if (text === undefined) return { digits: null };
  const { phone, reason } = cleanPhone(text, country);
  return phone === null ? { reason: reason ?? "invalid_phone" } : { digits: phone };
}

function readEmail([text]: string[]): { address: string | null } | RefusedRow {
  if (text === undefined) return { address: null };
  const address = parseEmail(text.split(googleSeparator, 1)[0] ?? "");
  return address === null ? { reason: "invalid_email" } : { address };
}

/** Google gives this label to every contact, so it tells nothing. */
const googleLabel = "* myContacts";

/** Tags of a cell stand between semicolons or bars. A comma may be part of a tag. */
function readTags(texts: string[]): { tags: string[] } | RefusedRow {
  const parts = texts
    .flatMap((text) => text.split(googleSeparator))
    .flatMap((text) => text.split(/[;|]/u))
    .map((part) => toWellFormed(part.trim()))
    .filter((part) => part !== "" && part !== googleLabel);
  const tags = parts.flatMap((part) => parseTag(part) ?? []);
  return tags.length < parts.length ? { reason: "invalid_tag" } : { tags };
}
