import { z } from "zod";
import { turnOutcomes } from "../agent.ts";
import { recordId, timestamp } from "../wire.ts";

const count = z.int().min(0);
const tokens = { input_tokens: count, cached_tokens: count, output_tokens: count };

/** A turn of the agent: one burst of the customer and its answer. */
export const agentTurnView = z.strictObject({
  id: recordId,
  conversation_id: recordId,
  contact_id: recordId,
  contact_name: z.string().nullable().describe("Null if the contact was erased."),
  mode: z.enum(["live", "draft", "playground"]),
  engine: z.string().describe("`basic`, or the kind of the provider that served the last step."),
  outcome: z.enum(turnOutcomes).nullable().describe("Null while the turn is open."),
  reason: z.string().nullable().describe("Code of a handover, a guard or a failure."),
  steps: count,
  calls: count,
  ...tokens,
  cost_micros: count.describe("Millionths of the account's currency."),
  message_id: recordId.nullable(),
  settings_number: count.describe("Version of the settings that the turn had."),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
  duration_ms: count.nullable(),
});
export type AgentTurnView = z.output<typeof agentTurnView>;

const call = z.strictObject({
  position: count,
  tool: z.string(),
  input: z.unknown(),
  result: z.unknown().describe("Null once it has aged."),
  code: z.string().describe("`ok`, or the code of the refusal."),
  appointment_id: recordId.nullable(),
  told_message_id: recordId.nullable().describe("The message that told the customer."),
  untold: z.boolean().describe("The customer does not know of the effect yet."),
});

const step = z.strictObject({
  seq: count,
  state: z.enum(["running", "done", "failed"]),
  tries: count,
  provider_id: recordId.nullable().describe("Null: the built-in agent."),
  text: z.string().nullable(),
  guard: z.string().nullable().describe("The guard that refused the text."),
  repair: z.string().nullable().describe("The fact that the text missed."),
  failure: z.string().nullable(),
  ...tokens,
  duration_ms: count,
  calls: z.array(call),
});

/** A turn with its burst, steps, calls and guards. */
export const agentTurnDetail = agentTurnView.extend({
  burst: z.array(z.strictObject({ message_id: recordId, text: z.string() })),
  trace: z.array(step),
  run_url: z.string().nullable().describe("The run in Temporal UI; null where none is set up."),
});
export type AgentTurnDetail = z.output<typeof agentTurnDetail>;
