import { z } from "zod";
import {
  maxNameLength,
  pageParameters,
  recordId,
  searchInQuery,
  timestamp,
  toWellFormed,
} from "./wire.ts";

/** Maximum length of an email address, as mail servers take it (RFC 5321). */
const maxEmailLength = 254;
const maxTagLength = 50;

/** Maximum number of tags on a contact. */
export const maxTagsPerContact = 100;

/**
 * The digits of a phone number, or null for text that is no number. Takes spaces, dashes, dots,
 * parentheses, and one leading `+` or `00`. 8 to 15 digits must remain. Rule C3.
 */
export function parsePhone(text: string): string | null {
  const digits = text.replace(/[\s().\u2010-\u2015-]/gu, "").replace(/^(?:\+|00)/u, "");
  return /^\d{8,15}$/u.test(digits) ? digits : null;
}

/**
 * Numbers with equal keys are the same person: the digits with national variants folded. Rule C3.
 * Mexico's 521 is 52, and Argentina's 549 is 54. Brazil's ninth digit goes where the other eight
 * begin with 6 to 9. Lower ones are landlines, or mobiles that never had eight digits.
 * @param digits as `parsePhone` returned them.
 */
export function phoneKey(digits: string): string {
  return digits
    .replace(/^521(\d{10})$/u, "52$1")
    .replace(/^549(\d{10})$/u, "54$1")
    .replace(/^(55\d{2})9([6-9]\d{7})$/u, "$1$2");
}

/** Every spelling of a number that `phoneKey` folds to one key. The given digits come first. */
export function phoneVariants(digits: string): string[] {
  const key = phoneKey(digits);
  const longer = [
    key.replace(/^52(\d{10})$/u, "521$1"),
    key.replace(/^54(\d{10})$/u, "549$1"),
    key.replace(/^(55\d{2})([6-9]\d{7})$/u, "$19$2"),
  ];
  return [...new Set([digits, key, ...longer])];
}

/**
 * An address of ASCII in lower case, with all signs that RFC 5322 allows without quotes before the
 * `@`. The pattern of zod allows few of them, and no top domain in punycode.
 */
const emailPattern =
  /^(?!\.|.*\.\.|.*\.@)[a-z\d.!#$%&'*+/=?^_`{|}~-]+@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?:[a-z]{2,63}|xn--[a-z\d-]{1,58}[a-z\d])$/u;

/**
 * The email address trimmed and in lower case (rule C4). Null for text that is no address or is
 * over 254 characters.
 */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return email.length <= maxEmailLength && emailPattern.test(email) ? email : null;
}

/** The tag trimmed, its case kept, or null unless 1 to 50 characters remain. */
export function parseTag(text: string): string | null {
  const tag = text.trim();
  return tag.length >= 1 && tag.length <= maxTagLength ? tag : null;
}

/** Key of a tag, equal for equal tags: case is ignored, accents count. */
export function tagKey(tag: string): string {
  return tag.normalize("NFC").toLowerCase();
}

/** A text field that `parse` reads. Unreadable text is an issue with this code and message. */
export function parsedText(parse: (text: string) => string | null, code: string, message: string) {
  return z.string().transform((text, ctx) => {
    const parsed = parse(text);
    if (parsed !== null) return parsed;
    ctx.addIssue({ code: "custom", message, params: { code } });
    return z.NEVER;
  });
}

/** A phone number in a request; 8 to 15 digits after parsing, else `invalid_phone`. */
export const phoneInput = parsedText(
  parsePhone,
  "invalid_phone",
  "Use 8 to 15 digits with the country code.",
).meta({ example: "5215512345678" });

/** An email address in a request; lower case after parsing, else `invalid_email`. */
export const emailInput = parsedText(
  parseEmail,
  "invalid_email",
  `Use an email address of at most ${maxEmailLength} characters, such as ana@example.com.`,
).meta({ example: "ana@example.com" });

/** A tag in a request, else `invalid_tag`. */
export const tagInput = parsedText(
  parseTag,
  "invalid_tag",
  `Use a tag of 1 to ${maxTagLength} characters.`,
).meta({ example: "vip" });

const nameInput = z
  .string()
  .trim()
  .max(maxNameLength, `Use at most ${maxNameLength} characters.`)
  .overwrite(toWellFormed);

/**
 * An upsert overwrites with non-empty values only, so an empty text reads like an absent field.
 * Rule C18.
 */
function unlessEmpty<T extends z.ZodType<string, string>>(schema: T) {
  return z
    .string()
    .transform((text) => (text.trim() === "" ? undefined : text))
    .pipe(schema.optional())
    .optional();
}

/**
 * Body of POST /contacts. Empty texts are ignored. A phone or an email must remain, else
 * `phone_or_email_required`. Rule C18.
 */
export const contactUpsertBody = z
  .strictObject({
    phone: unlessEmpty(phoneInput).meta({
      description: "With the country code. Required without an email.",
      example: "5215512345678",
    }),
    email: unlessEmpty(emailInput).meta({
      description: "Required without a phone.",
      example: "ana@example.com",
    }),
    name: unlessEmpty(nameInput).describe(`At most ${maxNameLength} characters.`),
  })
  .superRefine((body, ctx) => {
    if (body.phone !== undefined || body.email !== undefined) return;
    ctx.addIssue({
      code: "custom",
      message: "Send a phone, an email or both.",
      params: { code: "phone_or_email_required" },
    });
  });
export type ContactUpsertBody = z.output<typeof contactUpsertBody>;

const nonEmptyName = nameInput.superRefine((name, ctx) => {
  if (name !== "") return;
  ctx.addIssue({
    code: "custom",
    message: "Use 1 character or more, or null to clear the name.",
    params: { code: "empty_name" },
  });
});

/** Body of PATCH /contacts/:id: only the fields sent are changed, null clears a field. Rule C19. */
export const contactPatchBody = z.strictObject({
  name: nonEmptyName.nullable().optional(),
  email: emailInput.nullable().optional(),
  phone: phoneInput.nullable().optional(),
});
export type ContactPatchBody = z.output<typeof contactPatchBody>;

/**
 * Query of GET /contacts. Unknown parameters are ignored, and so is an empty search. Rules C14 and
 * C20.
 */
export const contactListQuery = z.object({
  search: searchInQuery.optional().describe("Part of a name, an email or a phone."),
  ...pageParameters,
});

/** A contact in every REST answer. Absent values are null. */
export const contactView = z.strictObject({
  id: recordId,
  name: z.string().describe("The phone, the email or `Visitor <id>` where there is no name."),
  phone: z.string().nullable().describe("Digits with the country code, no plus sign."),
  email: z.string().nullable(),
  whatsapp_id: z.string().nullable(),
  tags: z.array(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
});
export type ContactView = z.output<typeof contactView>;

/**
 * Id of the contact in an answer's data, or null. The data are a contact, or have a `contact_id` as
 * conversations and messages do.
 */
export function contactIdIn(data: unknown): number | null {
  if (typeof data !== "object" || data === null) return null;
  const contact = contactView.safeParse(data);
  if (contact.success) return contact.data.id;
  const named = recordId.safeParse(Reflect.get(data, "contact_id"));
  return named.success ? named.data : null;
}

/** Values of `changed_fields` in `contact.updated`, in their order. Rule C42. */
export const changedFields = [
  "email",
  "facebook_id",
  "instagram_id",
  "name",
  "phone",
  "tags",
  "whatsapp_id",
] as const;
export type ChangedField = (typeof changedFields)[number];

/** Fields that are compared for changes, as stored: `name` without its fallback. */
export type ContactFacts = Record<Exclude<ChangedField, "tags">, string | null> & {
  tags: readonly string[];
};

/** A change as `contact.updated` carries it. */
export interface ContactDiff {
  /** Sorted by name; empty if nothing changed. */
  changed_fields: ChangedField[];
  /** Earlier value of each changed field. */
  previous_values: Partial<Record<Exclude<ChangedField, "tags">, string | null>> & {
    tags?: string[];
  };
}

/** Compares a contact with its earlier state. The order of tags is no change. */
export function diffContact(before: ContactFacts, after: ContactFacts): ContactDiff {
  const diff: ContactDiff = { changed_fields: [], previous_values: {} };
  for (const field of changedFields) {
    if (field === "tags") {
      if (sameTags(before.tags, after.tags)) continue;
      diff.previous_values.tags = [...before.tags];
    } else {
      if (before[field] === after[field]) continue;
      diff.previous_values[field] = before[field];
    }
    diff.changed_fields.push(field);
  }
  return diff;
}

function sameTags(before: readonly string[], after: readonly string[]): boolean {
  const earlier = new Set(before);
  return earlier.size === new Set(after).size && after.every((tag) => earlier.has(tag));
}
