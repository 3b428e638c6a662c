import { z } from "zod";
import { reasonInput } from "../conversation.ts";
import { contentInput, externalId } from "../message.ts";

/** Body of a note. */
export const noteBody = z.strictObject({
  text: contentInput,
  external_id: externalId
    .optional()
    .describe("Your own id, unique in the conversation: a repeat reads the first note."),
});

/** An operator's reason, for later questions. Optional. */
export const optionalReasonBody = z.strictObject({ reason: reasonInput.optional() });

/** An operator's reason. Required. */
export const reasonBody = z.strictObject({
  reason: reasonInput.refine((text) => text !== undefined, "Say why, in a few words."),
});

/** Group of notifications with the same cause: the `group_key` of any of them. */
export const groupKeyInput = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[ -~]+$/, "Take it from a notification: it is plain ASCII.");
