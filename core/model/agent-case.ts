import { z } from "zod";
import { maxTrialText } from "./agent-playground.ts";
import { restChannel } from "./channels.ts";
import { pageParameters, recordId, toWellFormed } from "./wire.ts";

/** Most test cases of an account, and most lines of one. */
export const maxAgentCases = 100;
export const maxCaseLines = 6;

/** Ends of a line that a test case may expect. */
export const caseOutcomes = ["replied", "handed_off", "silent"] as const;

/** Expected end of the last line, and a tool and a knowledge item of any line. Null: not looked at. */
export const caseExpectation = z
  .strictObject({
    outcome: z.enum(caseOutcomes).nullable().default(null),
    tool: z
      .string()
      .regex(/^[a-z_]{1,64}$/u, "Name a tool of the agent.")
      .nullable()
      .default(null)
      .describe("A tool that must succeed."),
    item_id: recordId.nullable().default(null).describe("A knowledge item that must be cited."),
  })
  .refine(
    ({ outcome, tool, item_id: item }) => outcome !== null || tool !== null || item !== null,
    "Expect an outcome, a tool or a knowledge item.",
  );
export type CaseExpectation = z.output<typeof caseExpectation>;

const fields = {
  channel: restChannel,
  lines: z
    .array(
      z
        .string()
        .trim()
        .min(1, "Write something.")
        .max(maxTrialText, `Use at most ${maxTrialText} characters.`)
        .overwrite(toWellFormed),
    )
    .min(1, "Write a line of the customer.")
    .max(maxCaseLines, `Use at most ${maxCaseLines} lines.`)
    .describe("Lines of the customer, each answered before the next."),
  expected: caseExpectation,
};

/** Body of a new test case. */
export const agentCaseCreateBody = z.strictObject({
  ...fields,
  channel: fields.channel.default("whatsapp"),
});
export type AgentCaseCreateBody = z.output<typeof agentCaseCreateBody>;

/** Body of a change of a test case. Absent fields stay as they are. */
export const agentCasePatchBody = z.strictObject(fields).partial();
export type AgentCasePatchBody = z.output<typeof agentCasePatchBody>;

/** Query of the list of test cases. */
export const agentCaseListQuery = z.object(pageParameters);

/** Facts in which a run differed from its expectation. */
export const caseDifferences = ["outcome", "tool", "item", "error"] as const;

/** Result of the last run of a test case. */
export const caseResult = z.strictObject({
  outcome: z.enum(caseOutcomes).nullable().describe("Null: the run had an error."),
  reason: z.string().nullable(),
  tools: z.array(z.string()).describe("Tools that succeeded."),
  cited: z.array(recordId),
  texts: z.array(z.string()).describe("Texts that the customer would get."),
  error: z.string().nullable().describe("Code of an error, such as `agent_provider_failed`."),
  differences: z.array(z.enum(caseDifferences)),
});
export type CaseResult = z.output<typeof caseResult>;
