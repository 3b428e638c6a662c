import { z } from "zod";
import {
  cardListMeta,
  cardListQuery,
  presentCursor,
  stageBody,
  stageMoveBody,
} from "../../core/model/pipeline.ts";
import { recordId } from "../../core/model/wire.ts";
import { listCards, presentCards } from "../../core/services/read-models/board.ts";
import { presentInboxConversation } from "../../core/services/read-models/inbox.ts";
import {
  deleteStage,
  emptyStage,
  renameStage,
} from "../../core/services/pipelines/pipeline-stages.ts";
import { presentPipeline } from "../../core/services/pipelines/pipelines.ts";
import { moveContact, moveConversation } from "../../core/services/conversations/stage-moves.ts";
import { route } from "../http/route.ts";
import { admin, agent } from "./access.ts";
import { pipelineResponse } from "./pipelines.ts";
import { cardView, inboxConversation } from "../../core/model/views/conversation.ts";

const tag = "Pipelines";
const noun = "stage";
const moved = { 200: { description: "The conversation as it is now.", data: inboxConversation } };

/** The board: stages with their cards, and moves of customers. */
export const stageRoutes = [
  route({
    method: "GET",
    path: "/stages/:id/cards",
    access: agent,
    tag,
    noun,
    summary: "List the contacts that stand in a stage, from the top of the column down",
    query: cardListQuery,
    successes: { 200: { description: "Rows.", data: z.array(cardView), meta: cardListMeta } },
    run: async (tx, { id, query }) => {
      const { rows, total, next } = await listCards(tx, id, query);
      const cursor = next === null ? null : presentCursor(next);
      const meta = { total, limit: query.limit, next_cursor: cursor };
      return { data: await presentCards(tx, rows), meta };
    },
  }),
  route({
    method: "PATCH",
    path: "/stages/:id",
    access: admin,
    tag,
    noun,
    summary: "Rename a stage",
    body: stageBody,
    successes: pipelineResponse,
    run: async (tx, { id, body }) => {
      const { pipelineId } = await renameStage(tx, id, body.name);
      return { data: await presentPipeline(tx, pipelineId) };
    },
  }),
  route({
    method: "DELETE",
    path: "/stages/:id",
    access: admin,
    tag,
    noun,
    summary: "Delete a stage that nobody stands in",
    successes: pipelineResponse,
    errors: ["last_stage", "stage_not_empty"],
    run: async (tx, { id }) => ({ data: await presentPipeline(tx, await deleteStage(tx, id)) }),
  }),
  route({
    method: "POST",
    path: "/stages/:id/empty",
    access: admin,
    tag,
    noun,
    summary: "Move the contacts of a stage to another one of its pipeline, 100 at a time",
    body: z.strictObject({ stage_id: recordId.describe("Where they go.") }),
    successes: {
      200: {
        description: "How many were moved, and how many stand in it still.",
        data: z.strictObject({ moved: z.int(), left: z.int() }),
      },
    },
    run: async (tx, { id, body }) => ({ data: await emptyStage(tx, id, body.stage_id) }),
  }),
  route({
    method: "POST",
    path: "/conversations/:id/stage",
    access: agent,
    tag,
    noun: "conversation",
    summary: "Move the contact of a conversation to a stage, or to another place in its column",
    body: stageMoveBody,
    successes: moved,
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await moveConversation(tx, id, body)),
    }),
  }),
  route({
    method: "POST",
    path: "/contacts/:id/stage",
    access: agent,
    tag,
    noun: "contact",
    summary: "Move a contact in its newest conversation",
    body: stageMoveBody,
    successes: moved,
    errors: ["contact_needs_conversation"],
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await moveContact(tx, id, body)),
    }),
  }),
];
