import { notFound } from "../../core/errors.ts";
import { changeCard } from "../../core/services/pipelines/card-changes.ts";
import { createStage, orderStages } from "../../core/services/pipelines/pipeline-stages.ts";
import {
  createPipeline,
  deletePipeline,
  listPipelines,
  presentPipeline,
  presentPipelines,
  updatePipeline,
} from "../../core/services/pipelines/pipelines.ts";
import { presentCards } from "../../core/services/read-models/board.ts";
import { readTotals } from "../../core/services/read-models/board-totals.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Pipelines";
const noun = "pipeline";

/** Pipelines and their stages, which admins manage. */
export const pipelineRoutes = [
  dashboardRoute("GET /pipelines", {
    access: agent,
    tag,
    summary: "List pipelines with their stages and how many contacts stand in each",
    run: async (tx, { query }) => {
      const page = await listPipelines(tx, query);
      return { data: await presentPipelines(tx, page.rows), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /pipelines", {
    access: admin,
    tag,
    summary: "Add a pipeline with its stages",
    run: async (tx, { body }) => {
      const { id } = await createPipeline(tx, body);
      return { data: await presentPipeline(tx, id) };
    },
  }),
  dashboardRoute("GET /pipelines/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a pipeline",
    run: async (tx, { id }) => ({ data: await presentPipeline(tx, id) }),
  }),
  dashboardRoute("PATCH /pipelines/:id", {
    access: admin,
    tag,
    noun,
    summary: "Change a pipeline's name or lost reasons, or let new conversations enter it",
    run: async (tx, { id, body }) => {
      await updatePipeline(tx, id, body);
      return { data: await presentPipeline(tx, id) };
    },
  }),
  dashboardRoute("DELETE /pipelines/:id", {
    access: admin,
    tag,
    noun,
    summary: "Delete a pipeline with its stages; its contacts stand in it no more",
    run: async (tx, { id }) => {
      await deletePipeline(tx, id);
      return { data: { id } };
    },
  }),
  dashboardRoute("GET /pipelines/:id/totals", {
    access: agent,
    tag,
    noun,
    summary: "Count the cards of each stage for a filter, with the sum of their values",
    run: async (tx, { id, query }) => ({ data: await readTotals(tx, id, query) }),
  }),
  dashboardRoute("PATCH /pipelines/:id/cards/:contactId", {
    access: agent,
    tag,
    noun,
    secondNoun: "card",
    summary: "Change a card's value, or mark the card as won, lost or open",
    run: async (tx, { id, secondId: contactId, body }) => {
      const [card] = await presentCards(tx, [await changeCard(tx, id, contactId, body)]);
      if (card === undefined) throw notFound("card");
      return { data: card };
    },
  }),
  dashboardRoute("POST /pipelines/:id/stages", {
    access: admin,
    tag,
    noun,
    summary: "Add a stage at the end of a pipeline",
    run: async (tx, { id, body }) => {
      await createStage(tx, id, body.name);
      return { data: await presentPipeline(tx, id) };
    },
  }),
  dashboardRoute("PUT /pipelines/:id/stages", {
    access: admin,
    tag,
    noun,
    summary: "Put the stages of a pipeline in another order",
    run: async (tx, { id, body }) => {
      await orderStages(tx, id, body.stage_ids);
      return { data: await presentPipeline(tx, id) };
    },
  }),
];
