import { z } from "zod";
import { recordId, timestamp, toWellFormed } from "./wire.ts";

/** Ratings of a message of the agent. */
export const ratingValues = ["up", "down"] as const;
export type RatingValue = (typeof ratingValues)[number];

/** Reasons for a rating of `down`. */
export const ratingReasons = [
  "wrong_facts",
  "misunderstood",
  "incomplete",
  "wrong_tone",
  "person_needed",
  "other",
] as const;
export type RatingReason = (typeof ratingReasons)[number];

/** Longest free text of a rating. */
export const maxRatingComment = 500;

/** Body of a rating. It replaces the person's earlier rating of the message. */
export const ratingBody = z
  .strictObject({
    value: z.enum(ratingValues),
    reason: z.enum(ratingReasons).nullable().default(null).describe("For `down` only."),
    comment: z
      .string()
      .trim()
      .max(maxRatingComment, `Use at most ${maxRatingComment} characters.`)
      .overwrite(toWellFormed)
      .nullable()
      .default(null)
      .describe("For `down` only."),
  })
  .superRefine(({ value, reason, comment }, ctx) => {
    for (const [path, given] of Object.entries({ reason, comment })) {
      if (value === "down" || given === null) continue;
      const message = "Only a rating of `down` takes this field.";
      ctx.addIssue({ code: "custom", path: [path], message, params: { code: "not_allowed" } });
    }
  });
export type RatingBody = z.output<typeof ratingBody>;

/** A person's rating of a message of the agent. */
export const ratingView = z.strictObject({
  message_id: recordId,
  user_id: recordId,
  value: z.enum(ratingValues),
  reason: z.enum(ratingReasons).nullable(),
  comment: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type RatingView = z.output<typeof ratingView>;
