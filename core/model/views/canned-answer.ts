import { z } from "zod";
import { locales } from "../user.ts";
import { recordId, timestamp } from "../wire.ts";

/** A canned answer with its variables as written. */
export const cannedAnswerView = z.strictObject({
  id: recordId,
  shortcut: z.string(),
  text: z.string(),
  locale: z.enum(locales).nullable(),
  shared: z.boolean().describe("False for one that only you see."),
  created_at: timestamp,
  updated_at: timestamp,
});
export type CannedAnswerView = z.output<typeof cannedAnswerView>;
