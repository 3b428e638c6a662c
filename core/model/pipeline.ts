import { z } from "zod";
import { restChannel } from "./channels.ts";
import { tagInput } from "./contact.ts";
import { hueInput } from "./hue.ts";
import { moneyInput, moneyView } from "./money.ts";
import type { Principal } from "./principal.ts";
import {
  flagInQuery,
  idParameter,
  maxNameLength,
  momentInput,
  pageParameters,
  recordId,
  searchInQuery,
  timestamp,
  toWellFormed,
} from "./wire.ts";

/** Maximum number of pipelines in an account, and of stages in a pipeline. */
export const maxPipelines = 20;
export const maxStages = 30;

/** Maximum number of lost reasons that a pipeline offers, and of characters in a reason. */
export const maxLostReasons = 30;
export const maxReasonLength = 200;
/** Maximum of a stage's slow limit, in days. */
export const maxSlowDays = 999;

/** The name of a pipeline, or of a stage. */
const nameInput = z
  .string()
  .trim()
  .min(1, "Give it a name.")
  .max(maxNameLength, `Use at most ${maxNameLength} characters.`)
  .overwrite(toWellFormed);

/** Body of a new pipeline: its stages by name, in their order. */
export const pipelineCreateBody = z.strictObject({
  name: nameInput,
  stages: z
    .array(nameInput)
    .min(1, "Name at least one stage.")
    .max(maxStages, `A pipeline has at most ${maxStages} stages.`),
  default: z.boolean().default(false).describe("Whether new conversations enter it."),
});
export type PipelineCreateBody = z.output<typeof pipelineCreateBody>;

/** A reason for which a deal is lost. */
const reasonInput = z
  .string()
  .trim()
  .min(1, "Give a reason.")
  .max(maxReasonLength, `Use at most ${maxReasonLength} characters.`)
  .overwrite(toWellFormed);

/** Body of a change of a pipeline. Absent fields stay as they are. */
export const pipelinePatchBody = z.strictObject({
  name: nameInput.optional(),
  default: z.boolean().optional().describe("True takes it from the pipeline that is it now."),
  lost_reasons: z
    .array(reasonInput)
    .max(maxLostReasons, `Keep at most ${maxLostReasons} reasons.`)
    .optional()
    .describe("Offered where a card is lost. Any other text may be given too."),
});
export type PipelinePatchBody = z.output<typeof pipelinePatchBody>;

/** Body of a new stage. */
export const stageBody = z.strictObject({ name: nameInput });

const slowHint = `Use 1 to ${maxSlowDays} days, or null.`;

/** Body of a change of a stage. Absent fields stay as they are. */
export const stagePatchBody = z.strictObject({
  name: nameInput.optional(),
  hue: hueInput.optional(),
  slow_after_days: z
    .int(slowHint)
    .min(1, slowHint)
    .max(maxSlowDays, slowHint)
    .nullable()
    .optional()
    .describe("A card that stands in it for longer is slow; null: no card is."),
});
export type StagePatchBody = z.output<typeof stagePatchBody>;

/** Body of a new order of a pipeline's stages. */
export const stageOrderBody = z.strictObject({
  stage_ids: z.array(recordId).min(1).max(maxStages).describe("Every stage of it, once."),
});

/**
 * Body of a move to a stage. Without a neighbour the card goes to the top of the column. A card
 * that is in the column already keeps its place.
 */
export const stageMoveBody = z
  .strictObject({
    stage_id: recordId,
    above_contact_id: recordId.optional().describe("The contact to stand right above."),
    below_contact_id: recordId.optional().describe("The contact to stand right below."),
  })
  .refine(
    ({ above_contact_id: above, below_contact_id: below }) =>
      above === undefined || below === undefined,
    "Name one neighbour at most.",
  );
export type StageMoveBody = z.output<typeof stageMoveBody>;

/** Position of the last card on a page of a column. */
export interface CardCursor {
  place: number;
  id: number;
}

/** A cursor as it stands in `meta` and in queries. */
export function presentCursor({ place, id }: CardCursor): string {
  return `${place}_${id}`;
}

/** Outcomes of a card. Only an open card is on the board. */
export const cardOutcomes = ["open", "won", "lost"] as const;
export type CardOutcome = (typeof cardOutcomes)[number];

/** Filter of the board, as a query. */
export const boardFilter = z.object({
  outcome: z
    .enum(cardOutcomes, `Use one of ${cardOutcomes.join(", ")}.`)
    .default("open")
    .describe("`open` by default."),
  assigned_to: z
    .union([z.literal("me"), z.literal("nobody"), idParameter])
    .optional()
    .describe("`me`, `nobody` or the id of a person."),
  tag: tagInput.optional().describe("Contacts with this tag."),
  channel: restChannel.optional().describe("Conversations on this channel."),
  appointment: flagInQuery
    .optional()
    .describe("Contacts with an appointment to come, or without one."),
  search: searchInQuery.optional().describe("Part of a name, an email or a phone."),
});
export type BoardFilter = z.output<typeof boardFilter>;

/** Query of a column of the board. */
export const cardListQuery = boardFilter.extend({
  limit: pageParameters.limit,
  cursor: z
    .string("Send this parameter once.")
    .regex(/^-?\d{1,16}_\d{1,16}$/, "Use `next` of the page before.")
    .transform((text): CardCursor => {
      const [place, id] = text.split("_").map(Number);
      return { place: place ?? 0, id: id ?? 0 };
    })
    .optional()
    .describe("`next` of the page before."),
});

/** Body of a change of a card. Absent fields stay as they are. */
export const cardPatchBody = z
  .strictObject({
    value: moneyInput.nullable().optional().describe("Null takes the value away."),
    outcome: z
      .enum(cardOutcomes, `Use one of ${cardOutcomes.join(", ")}.`)
      .optional()
      .describe("`open` puts a card back in its stage."),
    lost_reason: reasonInput.optional().describe("Required with `lost`."),
    closed_at: momentInput
      .optional()
      .describe("Former closing time of a reopened card, not in the future."),
  })
  .refine(({ outcome, lost_reason: reason }) => (outcome === "lost") === (reason !== undefined), {
    path: ["lost_reason"],
    message: "Give a reason with `lost`, and only there.",
  })
  .refine(
    ({ outcome, closed_at: closedAt }) =>
      closedAt === undefined || outcome === "won" || outcome === "lost",
    { path: ["closed_at"], message: "Give a closing time with `won` or `lost`, and only there." },
  );
export type CardPatchBody = z.output<typeof cardPatchBody>;

/** The stage of a contact in a pipeline, as views show it. */
export const stageView = z.strictObject({
  pipeline_id: recordId,
  pipeline_name: z.string(),
  stage_id: recordId,
  stage_name: z.string(),
});
export type StageView = z.output<typeof stageView>;

/** A pipeline with its stages, the first one first. */
export const pipelineView = z.strictObject({
  id: recordId,
  name: z.string(),
  default: z.boolean().describe("Whether new conversations enter its first stage."),
  stages: z.array(
    z.strictObject({
      id: recordId,
      name: z.string(),
      hue: hueInput,
      slow_after_days: z.int().nullable().describe("Days after which a card is slow."),
      cards: z.int().min(0).describe("Contacts that stand in it, with closed cards."),
    }),
  ),
  lost_reasons: z.array(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
});
export type PipelineView = z.output<typeof pipelineView>;

const sums = z.array(moneyView).describe("A sum for each currency, the highest first.");

/** Number and value of the cards of a board. */
export const boardTotals = z.strictObject({
  stages: z
    .array(z.strictObject({ stage_id: recordId, cards: z.int().min(0), values: sums }))
    .describe("For the filter; every stage in its order."),
  won_this_month: sums.describe("In the time zone of the account, without the filter."),
});
export type BoardTotals = z.output<typeof boardTotals>;

/** Values of `source` in `conversation.stage_changed`. Rule C43. */
export const stageSources = ["manual", "ai", "system", "pipeline_assignment"] as const;
export type StageSource = (typeof stageSources)[number];

/**
 * The `source` of a move by this principal. To enter a pipeline is an assignment, by any principal.
 */
export function stageSource(principal: Principal, entering: boolean): StageSource {
  if (entering) return "pipeline_assignment";
  if (principal.type === "user") return "manual";
  return principal.type === "agent" ? "ai" : "system";
}

/** Distance of a new card from the top or the bottom. 20 more cards fit into any one gap. */
export const placeStep = 2 ** 20;

/**
 * A place between two cards of a column; the higher place is nearer to the top.
 * @param above null at the top.
 * @param below null at the bottom.
 * @returns null where no whole number is left between the two.
 */
export function placeBetween(above: number | null, below: number | null): number | null {
  if (above === null) return below === null ? 0 : below + placeStep;
  if (below === null) return above - placeStep;
  const middle = Math.floor((above + below) / 2);
  return middle > below && middle < above ? middle : null;
}
