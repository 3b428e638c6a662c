import { z } from "zod";
import { contentInput } from "./message.ts";
import { textVariables, unknownVariables } from "./text-variables.ts";
import { locales } from "./user.ts";
import { flagInQuery, searchInQuery, shownPageParameters } from "./wire.ts";

const maxShortcutLength = 40;

/** A text with variables. An unknown variable is refused with `unknown_variable`. */
export const variableTextInput = contentInput.superRefine((text, ctx) => {
  const unknown = unknownVariables(text);
  if (unknown.length === 0) return;
  const known = textVariables.map((name) => `{{${name}}}`).join(", ");
  ctx.addIssue({
    code: "custom",
    message: `There is no variable {{${unknown.join("}}, {{")}}}. Use ${known}.`,
    params: { code: "unknown_variable" },
  });
});

const shortcutInput = z
  .string()
  .overwrite((text) => text.trim().normalize("NFC"))
  .regex(/^[\p{L}\p{N}-]+$/u, "Use letters, digits and hyphens.")
  .max(maxShortcutLength, `Use at most ${maxShortcutLength} characters.`)
  .describe("Unique among those of its owner, in any case. Accents count.");

const sharedInput = z
  .boolean()
  .describe("True for all members of the account; only an admin sets it. False for you alone.");

const localeInput = z.enum(locales).nullable().describe("Null: for customers of any language.");

/** Body of a new canned answer. */
export const cannedAnswerCreateBody = z.strictObject({
  shortcut: shortcutInput,
  text: variableTextInput,
  locale: localeInput.default(null),
  shared: sharedInput.default(false),
});
export type CannedAnswerCreateBody = z.output<typeof cannedAnswerCreateBody>;

/** Body of a change of a canned answer. Absent fields stay as they are. */
export const cannedAnswerPatchBody = z.strictObject({
  shortcut: shortcutInput.optional(),
  text: variableTextInput.optional(),
  locale: localeInput.optional(),
  shared: sharedInput.optional(),
});
export type CannedAnswerPatchBody = z.output<typeof cannedAnswerPatchBody>;

/** Query of the list of canned answers. */
export const cannedAnswerListQuery = z.object({
  ...shownPageParameters,
  search: searchInQuery
    .optional()
    .describe("Beginning of the shortcut, or part of the text. Shortcuts come first."),
  locale: z.enum(locales).optional().describe("Those of this language, and those of any language."),
  shared: flagInQuery.optional(),
});
export type CannedAnswerListQuery = z.output<typeof cannedAnswerListQuery>;
