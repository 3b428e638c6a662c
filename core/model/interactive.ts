import { z } from "zod";
import type { Locale } from "./user.ts";
import { toWellFormed } from "./wire.ts";

/** Kinds of a message with options. The kind tells programs what the options are. */
export const interactiveKinds = ["buttons", "list", "cards", "slots"] as const;

/** Ways in which a channel shows options. `text`: numbered lines, which the customer answers by number. */
export const optionForms = ["buttons", "list", "quick_replies", "text"] as const;
export type OptionForm = (typeof optionForms)[number];

/** Characters and counts that a message with options may have on any channel. */
export const optionBounds = { options: 30, title: 100, description: 200, text: 4_096 } as const;
const { options: maxOptions, text: maxText } = optionBounds;

const line = (max: number) =>
  z
    .string()
    .min(1, { error: "Use 1 character or more.", abort: true })
    .max(max, `Use at most ${max} characters.`)
    .regex(/^[^\r\n]*\S[^\r\n]*$/u, "Use one line, and more than blanks.")
    .overwrite(toWellFormed);

const option = z.strictObject({
  id: line(200).describe("Your own id, which the customer's answer repeats in `interactive.id`."),
  title: line(optionBounds.title),
  description: line(optionBounds.description).optional(),
});
export type InteractiveOption = z.output<typeof option>;

/** Options that a customer chooses from. Ids are unique, and so are titles. */
export const interactiveInput = z
  .strictObject({
    kind: z.enum(interactiveKinds),
    body: z
      .string()
      .min(1, { error: "Use 1 character or more.", abort: true })
      .max(maxText, `Use at most ${maxText} characters.`)
      .refine((text) => text.trim() !== "", "Use more than blanks.")
      .overwrite(toWellFormed),
    options: z
      .array(option)
      .min(1, "Give 1 option or more.")
      .max(maxOptions, `Give at most ${maxOptions} options.`),
  })
  .superRefine(({ body, options }, ctx) => {
    for (const field of ["id", "title"] as const) {
      const seen = new Set<string>();
      for (const [index, one] of options.entries()) {
        if (seen.has(one[field])) {
          const message = `Another option has this ${field}.`;
          const path = ["options", index, field];
          ctx.addIssue({ code: "custom", path, message, params: { code: "duplicate" } });
        }
        seen.add(one[field]);
      }
    }
    if (numberedText(body, options).length > maxText) {
      const message = `Use at most ${maxText} characters for body and options together.`;
      ctx.addIssue({ code: "custom", path: ["body"], message, params: { code: "too_long" } });
    }
  });
export type Interactive = z.output<typeof interactiveInput>;

/** Options of a message, as it is stored. */
export interface SentInteractive extends Interactive {
  sent_as: OptionForm;
  /** Label of the button that opens a list. */
  button?: string;
}

const listButton: Readonly<Record<Locale, string>> = { en: "See options", es: "Ver opciones" };

/**
 * Decides how a channel shows options. An option that is too long for buttons, a list or quick
 * replies goes as numbered text. Buttons and quick replies show no descriptions.
 * @param driver of the channel account
 * @param locale language of the button that opens a list
 * @returns the options as they are stored, and the text that the customer reads
 */
export function composeInteractive(
  driver: string,
  interactive: Interactive,
  locale: Locale,
): { interactive: SentInteractive; text: string } {
  const { body, options } = interactive;
  const form = formOf(driver, interactive);
  const sent: SentInteractive = { ...interactive, sent_as: form };
  switch (form) {
    case "buttons":
      return { interactive: sent, text: body };
    case "list":
      return { interactive: { ...sent, button: listButton[locale] }, text: body };
    case "quick_replies":
      return { interactive: sent, text: describedText(body, options) };
    case "text":
      return { interactive: sent, text: numberedText(body, options) };
  }
}

/** Limits of a form of a channel: characters of each text, and the number of options. */
export interface FormLimits {
  form: Exclude<OptionForm, "text">;
  options: number;
  title: number;
  /** 0: the form shows none. Null: the text above has them. */
  description: number | null;
  body: number;
}

const whatsAppForms: readonly FormLimits[] = [
  { form: "buttons", options: 3, title: 20, description: 0, body: 1_024 },
  { form: "list", options: 10, title: 24, description: 72, body: maxText },
];
const metaForms: readonly FormLimits[] = [
  { form: "quick_replies", options: 13, title: 20, description: null, body: maxText },
];
const ownSize = { ...optionBounds, body: maxText };

/**
 * Forms of a channel, the first that fits is taken. Where none fits, options go as numbered text.
 * @param driver of the channel account
 */
export function listForms(driver: string, kind: Interactive["kind"]): readonly FormLimits[] {
  switch (driver) {
    case "whatsapp_cloud":
      return whatsAppForms;
    case "messenger":
    case "instagram_page":
    case "instagram_login":
      return metaForms;
    case "web":
      // The widget draws each kind itself, with descriptions.
      return [{ ...ownSize, form: kind === "buttons" ? "buttons" : "list" }];
    default:
      return [];
  }
}

/** Parts of a message with options that can be too long for a form. */
export type OptionPart = "options" | "title" | "description" | "body";

/** Parts that a form cannot hold; none where the form fits. */
export function findExcess(
  limits: FormLimits,
  { body, options }: Pick<Interactive, "body" | "options">,
): OptionPart[] {
  const sizes = {
    options: options.length,
    title: Math.max(...options.map(({ title }) => title.length)),
    description: Math.max(...options.map(({ description = "" }) => description.length)),
    body: body.length,
  };
  const parts: OptionPart[] = ["options", "title", "description", "body"];
  return parts.filter((part) => sizes[part] > (limits[part] ?? Infinity));
}

function formOf(driver: string, interactive: Interactive): OptionForm {
  const fitting = listForms(driver, interactive.kind).find(
    (one) => findExcess(one, interactive).length === 0,
  );
  return fitting?.form ?? "text";
}

function wordsOf({ title, description }: InteractiveOption): string {
  return description === undefined ? title : `${title}: ${description}`;
}

function numberedText(body: string, options: readonly InteractiveOption[]): string {
  const lines = options.map((one, index) => `${index + 1}. ${wordsOf(one)}`);
  return `${body}\n\n${lines.join("\n")}`;
}

/** A quick reply has a title alone, so the text above has the descriptions. */
function describedText(body: string, options: readonly InteractiveOption[]): string {
  const lines = options.filter(({ description }) => description !== undefined).map(wordsOf);
  return lines.length === 0 ? body : `${body}\n\n${lines.join("\n")}`;
}

/**
 * The option that a customer's text names by its number, such as `2`, `2.` or `2)`.
 * @returns null for any other text or number
 */
export function findNumbered(
  options: readonly InteractiveOption[],
  text: string,
): InteractiveOption | null {
  const number = readNumber(text);
  return number === null ? null : (options[number - 1] ?? null);
}

/** The number that is the whole text, or null. */
export function readNumber(text: string): number | null {
  const found = /^\s*([1-9]\d?)\s*[.)]?\s*$/u.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

/** Options of a stored message of ours, or null for other messages. */
export function readSentInteractive(stored: object | null): SentInteractive | null {
  return stored !== null && "sent_as" in stored ? (stored as SentInteractive) : null;
}
