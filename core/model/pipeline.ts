import { z } from "zod";
import type { Principal } from "./principal.ts";
import { maxNameLength, pageParameters, recordId, timestamp, toWellFormed } from "./wire.ts";

/** Maximum number of pipelines in an account, and of stages in a pipeline. */
export const maxPipelines = 20;
export const maxStages = 30;

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

/** Body of a change of a pipeline. Absent fields stay as they are. */
export const pipelinePatchBody = z.strictObject({
  name: nameInput.optional(),
  default: z.boolean().optional().describe("True takes it from the pipeline that is it now."),
});
export type PipelinePatchBody = z.output<typeof pipelinePatchBody>;

/** Body of a new stage, or of a new name for a stage. */
export const stageBody = z.strictObject({ name: nameInput });

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

/** Query of a column of the board. */
export const cardListQuery = z.object({
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
      cards: z.int().min(0).describe("Contacts that stand in it."),
    }),
  ),
  created_at: timestamp,
  updated_at: timestamp,
});
export type PipelineView = z.output<typeof pipelineView>;

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

/** Distance between two cards after renumbering. 20 more cards fit into any one gap. */
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
