import { z } from "zod";
import { ratingReasons } from "../agent-rating.ts";

const count = z.int().min(0);
const day = z.string().describe("A day in the account's time zone, such as `2026-11-24`.");
const range = { from: day, to: day.describe("The last day, which counts too.") };

const usage = {
  turns: count,
  input_tokens: count,
  output_tokens: count,
  cost_micros: count.describe("Millionths of the account's currency."),
};

/** Turns, tokens and cost of the agent in a range of days. */
export const agentUsageView = z.strictObject({
  ...range,
  total: z.strictObject(usage),
  days: z.array(z.strictObject({ day, ...usage })).describe("Each day of the range, oldest first."),
  engines: z
    .array(z.strictObject({ engine: z.string(), ...usage }))
    .describe("By the kind of the provider that served last, the costliest first."),
  budgets: z
    .array(
      z.strictObject({
        period: z.enum(["day", "month"]),
        limit_micros: count,
        spent_micros: count,
      }),
    )
    .describe("Budgets of the published settings, with today's and this month's cost."),
});
export type AgentUsageView = z.output<typeof agentUsageView>;

/** Quality of the agent's answers in a range of days. Only turns with customers count. */
export const agentQualityView = z.strictObject({
  ...range,
  turns: count,
  replied: count.describe("Turns that ended in a reply, without a person."),
  handed_off: count,
  handovers: z
    .array(z.strictObject({ reason: z.string(), turns: count }))
    .describe("Handovers by reason, the most frequent first."),
  reopened: count.describe("Turns of customers who came back within 24 h of the end."),
  paused: count.describe("Turns that a pause cut."),
  silence_ms: z
    .strictObject({ average: count, longest: count })
    .nullable()
    .describe("Time from a pause to the end of the step that it cut; null without one."),
  drafts_sent: count.describe("Drafts of these days that a person sent as they were."),
  drafts_edited: count.describe("Drafts of these days that a person sent after a change."),
  rated_up: count.describe("Turns with a rating of up."),
  rated_down: count,
  down_reasons: z.array(z.strictObject({ reason: z.enum(ratingReasons), ratings: count })),
});
export type AgentQualityView = z.output<typeof agentQualityView>;
