import { presentCursor } from "../../core/model/pipeline.ts";
import { listCards, presentCards } from "../../core/services/read-models/board.ts";
import { presentInboxConversation } from "../../core/services/read-models/inbox.ts";
import {
  deleteStage,
  emptyStage,
  renameStage,
} from "../../core/services/pipelines/pipeline-stages.ts";
import { presentPipeline } from "../../core/services/pipelines/pipelines.ts";
import { moveContact, moveConversation } from "../../core/services/conversations/stage-moves.ts";
import { admin, agent } from "./access.ts";
import { logMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Pipelines";
const noun = "stage";

/** The board: stages with their cards, and moves of customers. */
export const stageRoutes = [
  dashboardRoute("GET /stages/:id/cards", {
    access: agent,
    tag,
    noun,
    summary: "List the contacts that stand in a stage, from the top of the column down",
    run: async (tx, { id, query }) => {
      const page = await listCards(tx, id, query);
      const next = page.next === null ? null : presentCursor(page.next);
      const meta = logMetaOf({ ...page, next }, query);
      return { data: await presentCards(tx, page.rows), meta };
    },
  }),
  dashboardRoute("PATCH /stages/:id", {
    access: admin,
    tag,
    noun,
    summary: "Rename a stage",
    run: async (tx, { id, body }) => {
      const { pipelineId } = await renameStage(tx, id, body.name);
      return { data: await presentPipeline(tx, pipelineId) };
    },
  }),
  dashboardRoute("DELETE /stages/:id", {
    access: admin,
    tag,
    noun,
    summary: "Delete a stage that nobody stands in",
    errors: ["last_stage", "stage_not_empty"],
    run: async (tx, { id }) => ({ data: await presentPipeline(tx, await deleteStage(tx, id)) }),
  }),
  dashboardRoute("POST /stages/:id/empty", {
    access: admin,
    tag,
    noun,
    summary: "Move the contacts of a stage to another one of its pipeline, 100 at a time",
    run: async (tx, { id, body }) => ({ data: await emptyStage(tx, id, body.stage_id) }),
  }),
  dashboardRoute("POST /conversations/:id/stage", {
    access: agent,
    tag,
    noun: "conversation",
    summary: "Move the contact of a conversation to a stage, or to another place in its column",
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await moveConversation(tx, id, body)),
    }),
  }),
  dashboardRoute("POST /contacts/:id/stage", {
    access: agent,
    tag,
    noun: "contact",
    summary: "Move a contact in its newest conversation",
    errors: ["contact_needs_conversation"],
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await moveContact(tx, id, body)),
    }),
  }),
];
