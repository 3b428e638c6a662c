import { z } from "zod";
import { inboundEndpointCreateBody, inboundEndpointPatchBody } from "../../core/model/inbound.ts";
import type { Principal } from "../../core/model/principal.ts";
import { listMeta, pageParameters, recordId } from "../../core/model/wire.ts";
import {
  createInboundEndpoint,
  deleteInboundEndpoint,
  getInboundEndpoint,
  listInboundEndpoints,
  rotateInboundSecret,
  updateInboundEndpoint,
} from "../../core/services/inbound-endpoints.ts";
import { listInboundRequests } from "../../core/services/inbound-requests.ts";
import type { InboundEndpoint, InboundRequest } from "../../db/entities/inbound-endpoint.ts";
import type { Deps } from "../deps.ts";
import { route } from "../route.ts";
import { admin, agent } from "./access.ts";
import { inboundEndpointView, inboundEndpointWithSecret, inboundRequestView } from "./views.ts";

const noun = "endpoint";
const tag = "Inbound endpoints";

/** Inbound endpoints. Source: contract, Inbound endpoint; the routes are our choice. */
export const inboundEndpointRoutes = [
  route({
    method: "GET",
    path: "/inbound-endpoints",
    access: agent,
    tag,
    summary: "List inbound endpoints, newest first",
    query: z.object(pageParameters),
    successes: {
      200: { description: "Rows.", data: z.array(inboundEndpointView), meta: listMeta },
    },
    run: async (tx, { query, actor }, deps) => {
      const [rows, total] = await listInboundEndpoints(tx, query);
      return { data: rows.map((row) => present(row, actor, deps)), meta: { total, ...query } };
    },
  }),
  route({
    method: "POST",
    path: "/inbound-endpoints",
    access: admin,
    tag,
    summary: "Add an inbound endpoint; its secret is in this answer alone",
    body: inboundEndpointCreateBody,
    successes: { 201: { description: "Added.", data: inboundEndpointWithSecret } },
    run: async (tx, { body, actor }, deps) => {
      const { row, secret } = await createInboundEndpoint(tx, deps.secretBox, body);
      return { data: { ...present(row, actor, deps), secret } };
    },
  }),
  route({
    method: "GET",
    path: "/inbound-endpoints/:id",
    access: agent,
    tag,
    noun,
    summary: "Read an inbound endpoint",
    successes: { 200: { description: "The endpoint.", data: inboundEndpointView } },
    run: async (tx, { id, actor }, deps) => ({
      data: present(await getInboundEndpoint(tx, id), actor, deps),
    }),
  }),
  route({
    method: "PATCH",
    path: "/inbound-endpoints/:id",
    access: admin,
    tag,
    noun,
    summary: "Change name or strict mode; the next call already follows",
    body: inboundEndpointPatchBody,
    successes: { 200: { description: "As it is now.", data: inboundEndpointView } },
    run: async (tx, { id, body, actor }, deps) => ({
      data: present(await updateInboundEndpoint(tx, id, body), actor, deps),
    }),
  }),
  route({
    method: "DELETE",
    path: "/inbound-endpoints/:id",
    access: admin,
    tag,
    noun,
    summary: "Delete an inbound endpoint; whoever calls it reads 404",
    successes: { 200: { description: "Deleted.", data: z.strictObject({ id: recordId }) } },
    run: async (tx, { id }) => {
      await deleteInboundEndpoint(tx, id);
      return { data: { id } };
    },
  }),
  route({
    method: "POST",
    path: "/inbound-endpoints/:id/rotate-secret",
    access: admin,
    tag,
    noun,
    summary: "Give the endpoint a new secret; the old one is taken for 24 hours more",
    successes: {
      200: {
        description: "The new secret.",
        data: z.strictObject({ id: recordId, secret: z.string() }),
      },
    },
    run: async (tx, { id }, { secretBox }) => ({
      data: { id, secret: await rotateInboundSecret(tx, secretBox, id) },
    }),
  }),
  route({
    method: "GET",
    path: "/inbound-endpoints/:id/requests",
    access: agent,
    tag,
    noun,
    summary: "List the calls of the last 30 days, refused ones too, newest first",
    query: z.object(pageParameters),
    successes: {
      200: { description: "Rows.", data: z.array(inboundRequestView), meta: listMeta },
    },
    run: async (tx, { id, query }) => {
      const [rows, total] = await listInboundRequests(tx, id, query);
      return { data: rows.map(presentRequest), meta: { total, ...query } };
    },
  }),
];

function present(row: InboundEndpoint, actor: Principal, { config }: Deps) {
  // The slug is half of what a call takes, and agents make none.
  const slug = actor.type === "user" && actor.role === "admin" ? row.slug : null;
  return {
    id: row.id,
    name: row.name,
    strict: row.strict,
    url: slug === null ? null : `${config.publicUrl}/api/webhooks/inbound/${slug}`,
    slug,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function presentRequest(row: InboundRequest) {
  return {
    id: row.id,
    received_at: row.receivedAt.toISOString(),
    event: row.event,
    event_id: row.eventId,
    status_code: row.statusCode,
    error_code: row.errorCode,
    result: row.result,
    replayed: row.replayed,
    contact_id: row.contactId,
    ip: row.ip,
    duration_ms: row.durationMs,
    body_bytes: row.bodyBytes,
    body: row.body?.toString("utf8") ?? null,
  };
}
