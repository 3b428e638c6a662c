import { z } from "zod";
import { restChannel } from "./channels.ts";
import { maxNameLength, momentInput, recordId, toWellFormed } from "./wire.ts";

/** Most characters that a customer writes at once, and most lines of a trial. */
export const maxTrialText = 4_000;
export const maxTrialLines = 20;

/** Body of one line that an admin writes as a customer, to try the draft of the agent. */
export const playgroundBody = z
  .strictObject({
    text: z
      .string()
      .trim()
      .min(1, "Write something.")
      .max(maxTrialText, `Use at most ${maxTrialText} characters.`)
      .overwrite(toWellFormed),
    channel: restChannel.default("whatsapp"),
    contact_id: recordId.optional().describe("A contact who writes. Absent: somebody new."),
    contact: z
      .strictObject({ name: z.string().trim().min(1).max(maxNameLength).overwrite(toWellFormed) })
      .optional()
      .describe("Name of somebody new. Not with `contact_id`."),
    now: momentInput.optional().describe("The moment to pretend; not in the past."),
    provider_id: recordId
      .nullable()
      .optional()
      .describe("The provider to ask; null: the built-in agent. Absent: the one that serves."),
    trial: z
      .string()
      .max(700_000)
      .optional()
      .describe("`trial` of the last answer, to go on. Its channel and contact then stay."),
  })
  .superRefine((body, ctx) => {
    if (body.contact_id === undefined || body.contact === undefined) return;
    ctx.addIssue({
      code: "custom",
      path: ["contact"],
      message: "Name a contact or somebody new, not both.",
      params: { code: "not_both" },
    });
  });
export type PlaygroundBody = z.output<typeof playgroundBody>;
