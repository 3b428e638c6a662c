import { z } from "zod";
import { optionalTools } from "../agent.ts";
import { draftSources } from "../agent-draft.ts";
import { recordId, timestamp } from "../wire.ts";

/** A reply of the agent that waits for a person. */
export const agentDraftView = z.strictObject({
  id: recordId,
  turn_id: recordId,
  source: z.enum(draftSources).describe("`automatic`: by the channel's mode. `requested`: asked."),
  text: z.string().describe("Empty: the confirmations of the proposals are the text."),
  proposals: z.array(
    z.strictObject({ id: recordId, tool: z.enum(optionalTools), words: z.string() }),
  ),
  fallback: z
    .enum(["budget", "provider_failing"])
    .nullable()
    .describe("Reason why the built-in agent wrote, although the account has a provider."),
  created_at: timestamp,
});
export type AgentDraftView = z.output<typeof agentDraftView>;
