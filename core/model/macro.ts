import { z } from "zod";
import { variableTextInput } from "./canned-answer.ts";
import { tagInput } from "./contact.ts";
import {
  flagInQuery,
  maxNameLength,
  recordId,
  searchInQuery,
  shownPageParameters,
  toWellFormed,
} from "./wire.ts";

/** Steps of a macro at most. */
export const maxSteps = 10;

/** One step of a macro. A run takes the steps in their order. */
export const macroStep = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("reply"),
    text: variableTextInput.describe("Its variables are filled when the macro runs."),
  }),
  z.strictObject({ type: z.literal("add_tag"), tag: tagInput }),
  z.strictObject({ type: z.literal("move_to_stage"), stage_id: recordId }),
  z.strictObject({
    type: z.literal("assign"),
    to: z
      .union([z.literal("me"), z.literal("nobody"), recordId])
      .describe("`me` is whoever runs it; else `nobody`, or the id of a member."),
  }),
  z.strictObject({ type: z.literal("resolve") }),
]);
export type MacroStep = z.output<typeof macroStep>;

const fields = {
  name: z
    .string()
    .trim()
    .min(1, "Give it a name.")
    .max(maxNameLength, `Use at most ${maxNameLength} characters.`)
    .overwrite(toWellFormed),
  steps: z
    .array(macroStep)
    .min(1, "Add at least one step.")
    .max(maxSteps, `A macro has at most ${maxSteps} steps.`),
  shared: z
    .boolean()
    .describe("True for all members of the account; only an admin sets it. False for you alone."),
};

/** Body of a new macro. */
export const macroCreateBody = z.strictObject({ ...fields, shared: fields.shared.default(false) });
export type MacroCreateBody = z.output<typeof macroCreateBody>;

/** Body of a change of a macro. Absent fields stay as they are. */
export const macroPatchBody = z.strictObject(fields).partial();
export type MacroPatchBody = z.output<typeof macroPatchBody>;

/** Query of the list of macros. */
export const macroListQuery = z.object({
  ...shownPageParameters,
  search: searchInQuery.optional().describe("Part of the name."),
  shared: flagInQuery.optional(),
});
export type MacroListQuery = z.output<typeof macroListQuery>;

/** Body of a run of a macro. */
export const macroRunBody = z.strictObject({
  external_id: z
    .string()
    .regex(/^[\x21-\x7e]{1,100}$/u, "Use 1 to 100 visible ASCII characters.")
    .describe(
      "Your own id of the run, new for each one: a repeat in the conversation runs nothing.",
    ),
});
