import { z } from "zod";
import { logMeta } from "./page.ts";
import { idParameter, logParameters, recordId, searchInQuery, timestamp } from "./wire.ts";

/** Parameters of which a page of messages takes one at most. */
const places = ["before_id", "after_id", "around_id", "at"] as const;

/** Query of a page of a conversation in the Dashboard: from its newest message, or from a place. */
export const messagePlaceQuery = z
  .object({
    limit: logParameters.limit,
    before_id: idParameter.optional().describe("Messages older than this one."),
    after_id: idParameter.optional().describe("The messages that follow this one."),
    around_id: idParameter.optional().describe("This message, with those on both sides."),
    at: z.iso
      .datetime({ offset: true, error: "Send a time like 2026-11-24T06:00:00Z." })
      .transform((moment) => new Date(moment))
      .optional()
      .describe("The first message from this time on, with those on both sides."),
  })
  .refine((query) => places.filter((name) => query[name] !== undefined).length <= 1, {
    error: `Send one of ${places.join(", ")}.`,
  });
export type MessagePlaceQuery = z.output<typeof messagePlaceQuery>;

/** `meta` of a page of a conversation, which continues in both directions. */
export const messagePlaceMeta = logMeta.extend({
  previous: z
    .int()
    .nullable()
    .describe("`after_id` of the page of newer messages; null at the newest message."),
});

/** Query of a search in the messages of a conversation. */
export const messageSearchQuery = z.object({
  q: searchInQuery
    .refine((text) => text !== undefined, "Send the text to find.")
    .transform((text) => text ?? ""),
  ...logParameters,
});
export type MessageSearchQuery = z.output<typeof messageSearchQuery>;

/** A message that a search found. */
export const messageMatch = z.strictObject({ id: recordId, created_at: timestamp });

/** `meta` of a search. A page reads a bounded number of messages, so it may be empty. */
export const messageSearchMeta = z.strictObject({
  limit: z.int(),
  next: z
    .int()
    .nullable()
    .describe("`before_id` of the next page, also after an empty page; null at the beginning."),
});
