import { presentCursor } from "../../core/model/pipeline.ts";
import { listCards, presentCards } from "../../core/services/read-models/board.ts";
import { presentInboxConversation } from "../../core/services/read-models/inbox.ts";
import {
  deleteStage,
  emptyStage,
  updateStage,
} from "../../core/services/pipelines/pipeline-stages.ts";
import { presentPipeline } from "../../core/services/pipelines/pipelines.ts";
import { moveContact, moveConversation } from "../../core/services/pipelines/stage-moves.ts";
import { admin, agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Pipelines";
const noun = "stage";

/** The board: stages with their cards, and moves of customers. */
export const stageRoutes = [
  dashboardRoute("GET /stages/:id/cards", {
    access: agent,
    tag,
    noun,
    summary: "List the cards of a stage for a filter, from the top of the column down",
    run: async (tx, { id, query }) => {
      const { rows, next } = await listCards(tx, id, query);
      const meta = { limit: query.limit, next: next === null ? null : presentCursor(next) };
      return { data: await presentCards(tx, rows), meta };
    },
  }),
  dashboardRoute("PATCH /stages/:id", {
    access: admin,
    tag,
    noun,
    summary: "Change a stage's name, colour or slow limit",
    run: async (tx, { id, body }) => {
      const { pipelineId } = await updateStage(tx, id, body);
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
