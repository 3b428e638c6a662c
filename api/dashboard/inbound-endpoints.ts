import type { Principal } from "../../core/model/principal.ts";
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
import type { Route } from "../http/route.ts";
import { admin, agent } from "./access.ts";
import { endpointPresenter, presentRequest } from "./present-inbound.ts";
import { logMetaOf, pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

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
  below: "/inbound-endpoints" | "/voice-integrations";
  tag: string;
  what: string;
}

function readingRoutes(managed: Managed): Route[] {
  const { kind, below, tag, what } = managed;
  const { present, presentAll } = presenters(managed);
  return [
    dashboardRoute(`GET ${below}`, {
      access: agent,
      tag,
      summary: "List them, newest first",
      run: async (tx, { query, actor }, deps) => {
        const page = await listInboundEndpoints(tx, kind, query);
        return {
          data: await presentAll(tx, page.rows, actor, deps),
          meta: pageMetaOf(page, query),
        };
      },
    }),
    dashboardRoute(`GET ${below}/:id`, {
      access: agent,
      tag,
      noun,
      summary: `Read ${what}`,
      run: async (tx, { id, actor }, deps) => ({
        data: await present(tx, await getInboundEndpoint(tx, kind, id), actor, deps),
      }),
    }),
    dashboardRoute(`GET ${below}/:id/requests`, {
      access: agent,
      tag,
      noun,
      summary: "List the calls of the last 30 days, refused ones too, newest first",
      run: async (tx, { id, query }) => {
        const page = await listInboundRequests(tx, kind, id, query);
        return { data: page.rows.map(presentRequest), meta: logMetaOf(page, query) };
      },
    }),
  ];
}

function changingRoutes(managed: Managed): Route[] {
  const { kind, below, tag, what } = managed;
  const { present } = presenters(managed);
  return [
    dashboardRoute(`POST ${below}`, {
      access: admin,
      tag,
      summary: `Add ${what}; its secret is in this answer alone`,
      run: async (tx, { body, actor }, deps) => {
        const { row, secret } = await createInboundEndpoint(tx, deps.secretBox, kind, body);
        return { data: { ...(await present(tx, row, actor, deps)), secret } };
      },
    }),
    dashboardRoute(`PATCH ${below}/:id`, {
      access: admin,
      tag,
      noun,
      summary: "Change name or strict mode, or disable it; the next call already follows",
      run: async (tx, { id, body, actor }, deps) => ({
        data: await present(tx, await updateInboundEndpoint(tx, kind, id, body), actor, deps),
      }),
    }),
    dashboardRoute(`DELETE ${below}/:id`, {
      access: admin,
      tag,
      noun,
      summary: `Delete ${what}; whoever calls it reads 404`,
      run: async (tx, { id }) => {
        await deleteInboundEndpoint(tx, kind, id);
        return { data: { id } };
      },
    }),
  ];
}

function rotatingRoute({ kind, below, tag, what }: Managed): Route {
  return dashboardRoute(`POST ${below}/:id/rotate-secret`, {
    access: admin,
    tag,
    noun,
    summary: `Give ${what} a new secret; the old one is taken for 24 hours more`,
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
