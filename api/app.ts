import Router from "@koa/router";
import Koa, { type Context, type Next } from "koa";
import helmet from "koa-helmet";
import { AppError } from "../core/errors.ts";
import { loopGuardHeader } from "../core/model/workflow/delivery.ts";
import { isOwnLoopMark } from "../core/signature.ts";
import { mountBooking } from "./booking/index.ts";
import { mountFeeds } from "./calendars/feeds.ts";
import { mountCalendly } from "./calendars/calendly.ts";
import { mountCalendlyCallback } from "./calendars/calendly-callback.ts";
import { mountGoogleCallback } from "./calendars/google-callback.ts";
import { mountGooglePushes } from "./calendars/google-pushes.ts";
import { mountMeta } from "./channels/meta.ts";
import { mountExportFile } from "./dashboard/exports.ts";
import { dashboardRoutes } from "./dashboard/index.ts";
import type { Deps } from "./deps.ts";
import { mountDocs } from "./openapi/docs.ts";
import { answerError } from "./http/answer-error.ts";
import { presentError } from "./http/errors.ts";
import { mountHealth } from "./health.ts";
import { inboundKind, voiceKind } from "./inbound/kinds.ts";
import { mountInbound } from "./inbound/inbound.ts";
import { serveStream } from "./live/serve-stream.ts";
import { mountImportErrors } from "./imports/errors-file.ts";
import { mountImportUpload } from "./imports/upload.ts";
import { mountMedia } from "./media/serve-media.ts";
import { mountUpload } from "./media/upload.ts";
import { mountPages } from "./pages.ts";
import { newRequestId } from "./http/request-id.ts";
import type { Route } from "./http/route.ts";
import { serve, type MountedRoute } from "./http/serve.ts";
import { createSharedTransactions } from "./http/shared-transactions.ts";
import { v1Routes } from "./v1/index.ts";
import { mountWidget } from "./widget/index.ts";

/** Builds the HTTP application: routes, the envelope of errors, request ids, logs and metrics. */
export function createApp(deps: Deps): Koa {
  // Only the last entry of X-Forwarded-For counts, which our own proxy appended. A caller can send
  // the others.
  const app = new Koa({ proxy: deps.config.trustProxy, maxIpsCount: 1 });
  // Koa cannot answer a client that has disconnected. That is no error of ours.
  app.on("error", (error: unknown) => deps.log.debug({ err: error }, "http.connection_lost"));
  // A router tests a path against its routes one by one, so each call meets those of its kind alone.
  const kinds = [
    { prefix: "/api/v1", router: new Router(), routes: v1Routes },
    { prefix: "/dashboard/api", router: new Router(), routes: dashboardRoutes },
  ];
  const router = new Router();
  const routers = [router, ...kinds.map((kind) => kind.router)];
  for (const kind of kinds) {
    for (const route of kind.routes) mount(deps, { ...kind, routers }, route);
  }
  mountStream(deps, router, routers);
  for (const kind of [inboundKind, voiceKind]) mountInbound(deps, router, kind);
  mountMeta(deps, router);
  mountCalendly(deps, router);
  mountGoogleCallback(deps, router);
  mountCalendlyCallback(deps, router);
  mountGooglePushes(deps, router);
  mountBooking(deps, router);
  mountFeeds(deps, router);
  mountHealth(deps, router);
  mountMedia(deps, router);
  mountUpload(deps, router);
  mountExportFile(deps, router);
  mountImportUpload(deps, router);
  mountImportErrors(deps, router);
  mountDocs(deps, router);
  mountWidget(deps, router);
  mountPages(router, deps.config.widgetUrl);
  app.use(observe(deps));
  app.use(answerErrors(deps));
  app.use(helmet(securityHeaders(deps.config.publicUrl)));
  app.use(noStore);
  app.use(refuseOwnDeliveries(deps));
  for (const kind of kinds) app.use(below(kind.prefix, kind.router));
  app.use(router.routes());
  app.use((ctx) => refuseUnmatched(routers, ctx));
  return app;
}

/**
 * Headers for all pages. No site may frame ours, and no script is inline. HSTS is sent only if our
 * public URL is https.
 */
function securityHeaders(publicUrl: string): Parameters<typeof helmet>[0] {
  const self = ["'self'"];
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: self,
        scriptSrc: self,
        // The API reference sets styles on its elements.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", "data:"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: self,
        frameAncestors: ["'none'"],
      },
    },
    xFrameOptions: { action: "deny" },
    strictTransportSecurity: publicUrl.startsWith("https:"),
  };
}

/** A place for routes. */
interface Mount {
  prefix: string;
  router: Router;
  /** All routers of the application. */
  routers: readonly Router[];
}

function mount(deps: Deps, { prefix, router, routers }: Mount, route: Route): void {
  const { runTogether } = route;
  const mounted: MountedRoute = {
    ...route,
    share: runTogether ? createSharedTransactions(deps.dataSource, runTogether) : null,
  };
  router.register(`${prefix}${route.path}`, [route.method], async (ctx) => {
    // The router adds HEAD to every GET, but no route here documents HEAD.
    if (ctx.method === "HEAD") refuseUnmatched(routers, ctx);
    ctx.state["route"] = `${prefix}${route.path}`;
    await serve(deps, mounted, ctx);
  });
}

/** Case does not matter, as in the paths of routes. */
function below(prefix: string, router: Router) {
  const serveRoutes = router.routes();
  return async (...[ctx, next]: Parameters<typeof serveRoutes>): Promise<void> => {
    const isBelow = ctx.path.slice(0, prefix.length).toLowerCase() === prefix;
    await (isBelow ? serveRoutes(ctx, next) : next());
  };
}

function mountStream(deps: Deps, router: Router, routers: readonly Router[]): void {
  const path = "/dashboard/api/stream";
  router.register(path, ["GET"], async (ctx) => {
    if (ctx.method === "HEAD") refuseUnmatched(routers, ctx);
    ctx.state["route"] = path;
    await serveStream(deps, ctx);
  });
}

/** A known path with another method is 405 and lists the allowed methods. Any other path is 404. */
function refuseUnmatched(routers: readonly Router[], ctx: Context): never {
  const layers = routers.flatMap((router) => router.match(ctx.path, ctx.method).path);
  const methods = layers.flatMap((layer) => layer.methods);
  const allowed = [...new Set(methods)].filter((method) => method !== "HEAD");
  if (allowed.length === 0) {
    throw new AppError("route_not_found");
  }
  ctx.set("Allow", allowed.join(", "));
  throw new AppError("method_not_allowed", { message: `This path takes ${allowed.join(", ")}.` });
}

/** Answers depend on the caller and the moment, so no cache may keep them. */
async function noStore(ctx: Context, next: Next): Promise<void> {
  ctx.set("Cache-Control", "no-store");
  await next();
}

/**
 * Refuses our own deliveries. Such a subscription reaches this service by another host name. Rule
 * C76.
 */
function refuseOwnDeliveries({ secretBox }: Deps) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const mark = ctx.get(loopGuardHeader);
    if (mark !== "" && isOwnLoopMark(secretBox, mark)) {
      throw new AppError("loop_detected");
    }
    await next();
  };
}

/**
 * Gives every request an id, one log line and its metrics. Path and query are left out, because
 * they hold ids and text.
 */
function observe({ log, metrics, requestCount }: Deps) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const started = performance.now();
    const sent = ctx.get("x-request-id");
    const requestId = /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : newRequestId();
    ctx.state["requestId"] = requestId;
    ctx.set("X-Request-Id", requestId);
    await next();
    const route = String(ctx.state["route"] ?? "-");
    const durationMs = performance.now() - started;
    requestCount.add();
    metrics.requests.inc({ method: ctx.method, route, status: ctx.status });
    metrics.requestSeconds.observe({ method: ctx.method, route }, durationMs / 1000);
    const error_code: unknown = ctx.state["errorCode"];
    log.info(
      {
        request_id: requestId,
        method: ctx.method,
        route,
        status: ctx.status,
        error_code,
        duration_ms: Math.round(durationMs),
      },
      "http.answered",
    );
  };
}

/** The one place that turns a thrown error into an answer. */
function answerErrors({ log }: Deps) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (thrown) {
      const error = answerError(log, ctx, thrown);
      ctx.body = presentError(error, String(ctx.state["requestId"]));
    }
  };
}
