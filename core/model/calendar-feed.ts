import { z } from "zod";
import { recordId, timestamp } from "./wire.ts";

/** A calendar feed of a resource. Its address is not among the members: nobody can read it again. */
export const calendarFeedView = z.strictObject({
  id: recordId,
  resource_id: recordId,
  times_only: z.boolean().describe("It says when the resource is busy, and nothing else."),
  revoked_at: timestamp.nullable(),
  created_at: timestamp,
});

/** A feed with its address, which is shown this once. */
export const calendarFeedWithUrl = calendarFeedView.extend({ url: z.url() });

/** Choices for a new feed. */
export const calendarFeedBody = z.strictObject({ times_only: z.boolean().default(false) });
