import { z } from "zod";
import { inboundEndpointCreateBody, inboundEndpointPatchBody } from "../../core/model/inbound.ts";
import { inboundVerdicts } from "../../core/model/inbound-log.ts";
import type { Principal } from "../../core/model/principal.ts";
import {
  listMeta,
  logMeta,
  logParameters,
  pageParameters,
  recordId,
} from "../../core/model/wire.ts";
import {
  createInboundEndpoint,
  deleteInboundEndpoint,
  getInboundEndpoint,
  listInboundEndpoints,
  rotateInboundSecret,
  updateInboundEndpoint,
} from "../../core/services/inbound/inbound-endpoints.ts";
import { listInboundRequests } from "../../core/services/inbound/inbound-requests.ts";
import type { InboundEndpoint } from "../../db/entities/inbound-endpoint.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { inboundKind, voiceKind, type InboundKind } from "../inbound/kinds.ts";
import { route, type Route } from "../http/route.ts";
import { admin, agent } from "./access.ts";
import {
  inboundEndpointView,
  inboundEndpointWithSecret,
  inboundRequestView,
} from "../../core/model/views/inbound.ts";
import { endpointPresenter, presentRequest } from "./present-inbound.ts";
import { metaOf } from "./list-meta.ts";

const noun = "endpoint";

/** Inbound endpoints. Rules C61 to C68. */
export const inboundEndpointRoutes = routesOf({
  ...inboundKind,
  below: "/inbound-endpoints",
  tag: "Inbound endpoints",
  what: "an inbound endpoint",
});

/** Voice integrations: endpoints through which callers book. */
export const voiceIntegrationRoutes = routesOf({
  ...voiceKind,
  below: "/voice-integrations",
  tag: "Voice integrations",
  what: "a voice integration",
});

function routesOf(managed: Managed): Route[] {
  return [...readingRoutes(managed), ...changingRoutes(managed), rotatingRoute(managed)];
}

/** A kind of endpoint in the Dashboard. */
interface Managed extends Pick<InboundKind, "kind" | "path"> {
  below: string;
  tag: string;
  what: string;
}

function readingRoutes(managed: Managed): Route[] {
  const { kind, below, tag, what } = managed;
  const { present, presentAll } = presenters(managed);
  return [
    route({
      method: "GET",
      path: below,
      access: agent,
      tag,
      summary: "List them, newest first",
      query: z.object(pageParameters),
      successes: {
        200: { description: "Rows.", data: z.array(inboundEndpointView), meta: listMeta },
      },
      run: async (tx, { query, actor }, deps) => {
        const [rows, total] = await listInboundEndpoints(tx, kind, query);
        return { data: await presentAll(tx, rows, actor, deps), meta: { total, ...query } };
      },
    }),
    route({
      method: "GET",
      path: `${below}/:id`,
      access: agent,
      tag,
      noun,
      summary: `Read ${what}`,
      successes: { 200: { description: "The endpoint.", data: inboundEndpointView } },
      run: async (tx, { id, actor }, deps) => ({
        data: await present(tx, await getInboundEndpoint(tx, kind, id), actor, deps),
      }),
    }),
    route({
      method: "GET",
      path: `${below}/:id/requests`,
      access: agent,
      tag,
      noun,
      summary: "List the calls of the last 30 days, refused ones too, newest first",
      query: z.object({ ...logParameters, verdict: z.enum(inboundVerdicts).optional() }),
      successes: {
        200: { description: "Rows.", data: z.array(inboundRequestView), meta: logMeta },
      },
      run: async (tx, { id, query }) => {
        const page = await listInboundRequests(tx, kind, id, query);
        return { data: page.rows.map(presentRequest), meta: metaOf(page, query.limit) };
      },
    }),
  ];
}

function changingRoutes(managed: Managed): Route[] {
  const { kind, below, tag, what } = managed;
  const { present } = presenters(managed);
  return [
    route({
      method: "POST",
      path: below,
      access: admin,
      tag,
      summary: `Add ${what}; its secret is in this answer alone`,
      body: inboundEndpointCreateBody,
      successes: { 201: { description: "Added.", data: inboundEndpointWithSecret } },
      run: async (tx, { body, actor }, deps) => {
        const { row, secret } = await createInboundEndpoint(tx, deps.secretBox, kind, body);
        return { data: { ...(await present(tx, row, actor, deps)), secret } };
      },
    }),
    route({
      method: "PATCH",
      path: `${below}/:id`,
      access: admin,
      tag,
      noun,
      summary: "Change name or strict mode, or disable it; the next call already follows",
      body: inboundEndpointPatchBody,
      successes: { 200: { description: "As it is now.", data: inboundEndpointView } },
      run: async (tx, { id, body, actor }, deps) => ({
        data: await present(tx, await updateInboundEndpoint(tx, kind, id, body), actor, deps),
      }),
    }),
    route({
      method: "DELETE",
      path: `${below}/:id`,
      access: admin,
      tag,
      noun,
      summary: `Delete ${what}; whoever calls it reads 404`,
      successes: { 200: { description: "Deleted.", data: z.strictObject({ id: recordId }) } },
      run: async (tx, { id }) => {
        await deleteInboundEndpoint(tx, kind, id);
        return { data: { id } };
      },
    }),
  ];
}

function rotatingRoute({ kind, below, tag, what }: Managed): Route {
  return route({
    method: "POST",
    path: `${below}/:id/rotate-secret`,
    access: admin,
    tag,
    noun,
    summary: `Give ${what} a new secret; the old one is taken for 24 hours more`,
    successes: {
      200: {
        description: "The new secret.",
        data: z.strictObject({ id: recordId, secret: z.string() }),
      },
    },
    run: async (tx, { id }, { secretBox }) => ({
      data: { id, secret: await rotateInboundSecret(tx, secretBox, kind, id) },
    }),
  });
}

function presenters({ path }: Managed) {
  const presenter = async (tx: Tx, rows: InboundEndpoint[], actor: Principal, deps: Deps) =>
    await endpointPresenter(tx, rows, { actor, publicUrl: deps.config.publicUrl, path });
  return {
    presentAll: async (tx: Tx, rows: InboundEndpoint[], actor: Principal, deps: Deps) =>
      rows.map(await presenter(tx, rows, actor, deps)),
    present: async (tx: Tx, row: InboundEndpoint, actor: Principal, deps: Deps) =>
      (await presenter(tx, [row], actor, deps))(row),
  };
}
