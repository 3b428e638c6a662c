import { z } from "zod";
import { agentTurnDetail } from "./agent-turn.ts";
import { recordId, timestamp } from "../wire.ts";

/** The answer to one line of a trial, with all that led to it. */
export const playgroundView = agentTurnDetail
  .pick({
    engine: true,
    reason: true,
    steps: true,
    calls: true,
    input_tokens: true,
    cached_tokens: true,
    output_tokens: true,
    cost_micros: true,
    trace: true,
  })
  .extend({
    outcome: z.enum(["replied", "handed_off", "silent"]),
    messages: z.array(z.string()).describe("Texts that the customer would get."),
    note: z.string().nullable().describe("Note that a handover would leave for the team."),
    knowledge: z
      .array(z.strictObject({ id: recordId, question: z.string(), score: z.number() }))
      .describe("Approved items that the agent found, best first."),
    cited: z.array(recordId).describe("Items whose answers the texts have."),
    at: timestamp.describe("The moment of the line."),
    duration_ms: z.int().min(0),
    trial: z.string().describe("State of the trial, sealed. Send it with the next line."),
  });
export type PlaygroundView = z.output<typeof playgroundView>;
