import { z } from "zod";
import {
  pipelineCreateBody,
  pipelinePatchBody,
  pipelineView,
  stageBody,
  stageOrderBody,
} from "../../core/model/pipeline.ts";
import { listMeta, pageParameters, recordId } from "../../core/model/wire.ts";
import { createStage, orderStages } from "../../core/services/pipelines/pipeline-stages.ts";
import {
  createPipeline,
  deletePipeline,
  listPipelines,
  presentPipeline,
  presentPipelines,
  updatePipeline,
} from "../../core/services/pipelines/pipelines.ts";
import { route } from "../http/route.ts";
import { admin, agent } from "./access.ts";

const tag = "Pipelines";
const noun = "pipeline";
/** A route that changes a pipeline or its stages answers with the pipeline. */
export const pipelineResponse = {
  200: { description: "The pipeline as it is now.", data: pipelineView },
};

/** Pipelines and their stages, which admins manage. */
export const pipelineRoutes = [
  route({
    method: "GET",
    path: "/pipelines",
    access: agent,
    tag,
    summary: "List pipelines with their stages and how many contacts stand in each",
    query: z.object(pageParameters),
    successes: { 200: { description: "Rows.", data: z.array(pipelineView), meta: listMeta } },
    run: async (tx, { query }) => {
      const [rows, total] = await listPipelines(tx, query);
      return { data: await presentPipelines(tx, rows), meta: { total, ...query } };
    },
  }),
  route({
    method: "POST",
    path: "/pipelines",
    access: admin,
    tag,
    summary: "Add a pipeline with its stages",
    body: pipelineCreateBody,
    successes: { 201: { description: "Added.", data: pipelineView } },
    run: async (tx, { body }) => {
      const { id } = await createPipeline(tx, body);
      return { data: await presentPipeline(tx, id) };
    },
  }),
  route({
    method: "GET",
    path: "/pipelines/:id",
    access: agent,
    tag,
    noun,
    summary: "Read a pipeline",
    successes: { 200: { description: "The pipeline.", data: pipelineView } },
    run: async (tx, { id }) => ({ data: await presentPipeline(tx, id) }),
  }),
  route({
    method: "PATCH",
    path: "/pipelines/:id",
    access: admin,
    tag,
    noun,
    summary: "Rename a pipeline, or make it the one that new conversations enter",
    body: pipelinePatchBody,
    successes: pipelineResponse,
    run: async (tx, { id, body }) => {
      await updatePipeline(tx, id, body);
      return { data: await presentPipeline(tx, id) };
    },
  }),
  route({
    method: "DELETE",
    path: "/pipelines/:id",
    access: admin,
    tag,
    noun,
    summary: "Delete a pipeline with its stages; its contacts stand in it no more",
    successes: { 200: { description: "Deleted.", data: z.strictObject({ id: recordId }) } },
    run: async (tx, { id }) => {
      await deletePipeline(tx, id);
      return { data: { id } };
    },
  }),
  route({
    method: "POST",
    path: "/pipelines/:id/stages",
    access: admin,
    tag,
    noun,
    summary: "Add a stage at the end of a pipeline",
    body: stageBody,
    successes: { 201: { description: "The pipeline as it is now.", data: pipelineView } },
    run: async (tx, { id, body }) => {
      await createStage(tx, id, body.name);
      return { data: await presentPipeline(tx, id) };
    },
  }),
  route({
    method: "PUT",
    path: "/pipelines/:id/stages",
    access: admin,
    tag,
    noun,
    summary: "Put the stages of a pipeline in another order",
    body: stageOrderBody,
    successes: pipelineResponse,
    run: async (tx, { id, body }) => {
      await orderStages(tx, id, body.stage_ids);
      return { data: await presentPipeline(tx, id) };
    },
  }),
];
