import { z } from "zod";
import { agentSettingsView, providerKinds } from "../agent.ts";
import { recordId, timestamp } from "../wire.ts";

/** The AI agent of the account. */
export const agentView = z.strictObject({
  enabled: z.boolean(),
  draft: agentSettingsView.describe("Settings that people edit."),
  version: z.int().min(0).describe("Grows with every change of the draft and of the switch."),
  published: agentSettingsView.describe("Settings with which the agent answers."),
  published_number: z.int().min(0).describe("0: the agent was never set up."),
  differs: z.boolean().describe("The draft differs from the published settings."),
  versions: z.int().min(0),
  providers: z.int().min(0).describe("Without a provider the built-in agent answers."),
  knowledge_items: z.int().min(0).describe("Approved items, which answer."),
  cases: z
    .strictObject({ total: z.int().min(0), failed: z.int().min(0), unrun: z.int().min(0) })
    .describe("Test cases: all, failed with this draft, not run with this draft."),
  open_gaps: z.int().min(0),
});
export type AgentView = z.output<typeof agentView>;

/** Settings as they were published. */
export const agentVersionView = z.strictObject({
  id: recordId,
  number: recordId.describe("Counts the versions of the account."),
  settings: agentSettingsView,
  published_by_user_id: recordId.nullable(),
  created_at: timestamp,
});
export type AgentVersionView = z.output<typeof agentVersionView>;

/** A model provider. Its key never leaves the server. */
export const agentProviderView = z.strictObject({
  id: recordId,
  kind: z.enum(providerKinds),
  base_url: z.string().nullable(),
  model: z.string(),
  key_hint: z.string().describe("The last four characters of the key; empty for a short key."),
  input_price: z.int().min(0),
  output_price: z.int().min(0),
  position: z.int().min(0),
  failing_until: timestamp.nullable().describe("Other providers serve until then."),
  failure: z.string().nullable().describe("Class of the last failure."),
  created_at: timestamp,
  updated_at: timestamp,
});
export type AgentProviderView = z.output<typeof agentProviderView>;
