import { z } from "zod";
import { macroStep } from "../macro.ts";
import { recordId, timestamp } from "../wire.ts";
import { inboxConversation } from "./conversation.ts";

/** A macro with its steps in their order. */
export const macroView = z.strictObject({
  id: recordId,
  name: z.string(),
  steps: z.array(macroStep),
  shared: z.boolean().describe("False for one that only you see."),
  created_at: timestamp,
  updated_at: timestamp,
});
export type MacroView = z.output<typeof macroView>;

/** The conversation after a run of a macro. */
export const macroRunView = inboxConversation.extend({
  repeated: z.boolean().describe("True where this run was taken before, so nothing was done."),
});
