import { z } from "zod";
import { agentSettingsPatch, providerKinds } from "./agent.ts";
import { pageParameters, toWellFormed } from "./wire.ts";

/** Most model providers of an account. */
export const maxProviders = 10;

/** Version of the draft that the caller has read. */
const draftVersion = z
  .int()
  .min(0)
  .optional()
  .describe("`version` of the draft that was read; another one answers 409 `draft_changed`.");

/** Body of a step that takes the draft as the caller has read it. */
export const draftStepBody = z.strictObject({ version: draftVersion }).default({});

/** Body of a change of the agent. Absent settings stay as they are. */
export const agentPatchBody = agentSettingsPatch.extend({
  version: draftVersion,
  enabled: z.boolean().optional().describe("True: the agent answers with its published settings."),
});
export type AgentPatchBody = z.output<typeof agentPatchBody>;

/** Query of the list of versions. */
export const agentVersionListQuery = z.object(pageParameters);

const price = z
  .int()
  .min(0)
  .max(4_000_000_000)
  .describe("Millionths of the account's currency for a million tokens.");

const provider = {
  kind: z.enum(providerKinds),
  base_url: z
    .url({ protocol: /^https?$/u, error: "Use an http or https URL." })
    .max(500)
    .regex(/^[\x21-\x7e]+$/u, "Use ASCII characters.")
    .nullable()
    .describe("Null: the provider's own address. Required for `openai_compatible`."),
  model: z.string().trim().min(1, "Name a model.").max(200).overwrite(toWellFormed),
  api_key: z
    .string()
    .trim()
    .max(300, "Use at most 300 characters.")
    .regex(/^[\x21-\x7e]*$/u, "Use the key as the provider shows it.")
    .describe("Never returned. May be empty for a server that wants none."),
  input_price: price,
  output_price: price,
  position: z.int().min(0).max(1_000).describe("Providers serve in this order."),
};

/** Body of a new model provider. */
export const providerCreateBody = z
  .strictObject({
    ...provider,
    base_url: provider.base_url.default(null),
    input_price: provider.input_price.default(0),
    output_price: provider.output_price.default(0),
    position: provider.position.optional().describe("Default: after the others."),
  })
  .superRefine((body, ctx) => {
    if (body.kind !== "openai_compatible" || body.base_url !== null) return;
    ctx.addIssue({
      code: "custom",
      path: ["base_url"],
      message: "Name the address of the server.",
      params: { code: "required" },
    });
  });
export type ProviderCreateBody = z.output<typeof providerCreateBody>;

/** Body of a change of a model provider. Absent fields stay as they are. */
export const providerPatchBody = z.strictObject(provider).partial();
export type ProviderPatchBody = z.output<typeof providerPatchBody>;
