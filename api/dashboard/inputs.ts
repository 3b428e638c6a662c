import { z } from "zod";
import { reasonInput } from "../../core/model/conversation.ts";
import { contentInput } from "../../core/model/message.ts";

const maxSearchLength = 100;

/** Text that is looked for; an empty one is none. */
export const searchInQuery = z
  .string("Send this parameter once.")
  .trim()
  .max(maxSearchLength, `Use at most ${maxSearchLength} characters.`)
  .transform((text) => (text === "" ? undefined : text));

/** `true` or `false` in a query. */
export const flagInQuery = z
  .enum(["true", "false"], "Use true or false.")
  .transform((text) => text === "true");

/** Body of a note. */
export const noteBody = z.strictObject({ text: contentInput });

/** Why an operator did it, for those who ask later. */
export const whyBody = z.strictObject({
  reason: reasonInput.refine((text) => text !== undefined, "Say why, in a few words."),
});
