import { z } from "zod";
import { caseExpectation, caseResult } from "../agent-case.ts";
import { restChannel } from "../channels.ts";
import { recordId, timestamp } from "../wire.ts";

/** A test case of the agent, with the result of its last run. */
export const agentCaseView = z.strictObject({
  id: recordId,
  channel: restChannel,
  lines: z.array(z.string()),
  expected: caseExpectation,
  item_question: z
    .string()
    .nullable()
    .describe("Question of the expected item. Null: none is expected, or it was deleted."),
  state: z.enum(["new", "passed", "failed"]),
  queued: z.boolean().describe("The case waits for a run, or runs now."),
  stale: z.boolean().describe("The last run was of another draft."),
  result: caseResult.nullable(),
  ran_at: timestamp.nullable(),
  created_at: timestamp,
});
export type AgentCaseView = z.output<typeof agentCaseView>;
