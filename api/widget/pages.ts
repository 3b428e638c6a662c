import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type Router from "@koa/router";
import type { Context } from "koa";
import { AppError, notFound } from "../../core/errors.ts";
import { loaderConfigOf, type FrameConfig } from "../../core/model/widget-files.ts";
import { widgetLocales } from "../../core/model/widget.ts";
import { isOriginAllowed } from "../../core/model/site-origin.ts";
import {
  findWidgetByKey,
  readWidgetConfig,
  type LiveWidget,
} from "../../core/services/widgets/find-widget.ts";
import { createSeenMarks } from "../../core/services/widgets/seen.ts";
import { snapshot, systemOf } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { readWidgetFiles, type WidgetAsset, type WidgetFiles } from "../widget-files.ts";
import { mountDemo } from "./demo-page.ts";
import { framePage, framePolicy } from "./frame-page.ts";

/** Time in seconds for which a browser uses a script again before it asks. */
const scriptMaxAge = 60;

/**
 * Serves the files of the web chat: `/widget/KEY.js` with the launcher, `/widget/frame/KEY` with the
 * panel, and the panel's assets. Companies' sites load them, so they lift some of our global headers.
 */
export function mountWidgetPages(deps: Deps, router: Router): void {
  const files = readWidgetFiles();
  mountScript(deps, router, files);
  router.get("/widget/frame/:key", async (ctx) => {
    ctx.state["route"] = "/widget/frame/:key";
    const built = requireFiles(files);
    const widget = await getWidget(deps, ctx);
    sendFrame(deps, ctx, frameConfigOf(deps, widget), built);
  });
  for (const asset of files?.assets ?? []) mountAsset(router, asset);
  if (!deps.config.production) mountDemo(deps, router);
}

function requireFiles(files: WidgetFiles | null): WidgetFiles {
  if (files !== null) return files;
  const message = "The web chat is not built. Run `npm run build`, then start the API again.";
  throw new AppError("route_not_found", { message });
}

async function getWidget({ dataSource }: Deps, ctx: Context): Promise<LiveWidget> {
  const { key = "" }: Record<string, string> = ctx["params"];
  const widget = await snapshot(dataSource, systemOf(), (tx) => findWidgetByKey(tx.manager, key));
  if (widget === null) throw notFound("widget");
  return widget;
}

function frameConfigOf({ config }: Deps, widget: LiveWidget): FrameConfig {
  return {
    ...readWidgetConfig(widget, config.widgetUrl),
    allowed_origins: widget.allowedOrigins,
    dashboard_origin: config.publicUrl,
  };
}

/** The script is the same for all visitors of a widget, so it is packed once for each content. */
function mountScript(deps: Deps, router: Router, files: WidgetFiles | null): void {
  const packed = new Map<string, Buffer>();
  const marks = createSeenMarks(deps.dataSource);
  router.get("/widget/:key.js", async (ctx) => {
    ctx.state["route"] = "/widget/:key.js";
    const { loader } = requireFiles(files);
    const widget = await getWidget(deps, ctx);
    const site = readSite(ctx, widget);
    if (site !== null) await marks.mark(widget.id, site);
    const config = loaderConfigOf(readWidgetConfig(widget, deps.config.widgetUrl));
    // The script reads its settings as a parameter, which no other script of the site can see.
    const text = `(function(parleyConfig){${loader}})(${JSON.stringify(config)});`;
    const tag = createHash("sha256").update(text).digest("base64url").slice(0, 27);
    ctx.set("Access-Control-Allow-Origin", "*");
    ctx.set("Cross-Origin-Resource-Policy", "cross-origin");
    ctx.set("Cache-Control", `public, max-age=${scriptMaxAge}, stale-while-revalidate=86400`);
    ctx.etag = tag;
    if (ctx.get("if-none-match").includes(`"${tag}"`)) {
      ctx.status = 304;
      return;
    }
    ctx.type = "text/javascript; charset=utf-8";
    // Widgets come and go. A script that is dropped here is packed anew.
    if (packed.size > 500) packed.clear();
    const gzip = packed.get(tag) ?? gzipSync(text, { level: 9 });
    packed.set(tag, gzip);
    sendPacked(ctx, Buffer.from(text), gzip);
  });
}

/** The origin of the site that loads the script, as its browser says. Null where it says none. */
function readSite(ctx: Context, { allowedOrigins }: LiveWidget): string | null {
  const referrer = ctx.get("referer");
  if (!/^https?:\/\//u.test(referrer) || !URL.canParse(referrer)) return null;
  const { origin } = new URL(referrer);
  return isOriginAllowed(origin, allowedOrigins) ? origin : null;
}

function sendFrame(deps: Deps, ctx: Context, config: FrameConfig, files: WidgetFiles): void {
  const { publicUrl, turnstile } = deps.config;
  ctx.set("Content-Security-Policy", framePolicy(config, publicUrl, turnstile?.url ?? null));
  // The policy names the sites that may frame the page. The older header knows none or our own alone.
  ctx.remove("X-Frame-Options");
  ctx.set("Cross-Origin-Resource-Policy", "cross-origin");
  // A site with cross-origin isolation shows only frames with this header. Cloudflare's frame has it
  // not, so a browser would leave out the check.
  if (turnstile === null) ctx.set("Cross-Origin-Embedder-Policy", "credentialless");
  ctx.remove("Cross-Origin-Opener-Policy");
  ctx.set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()");
  // Never cached, because the page names the files of the current version.
  ctx.set("Cache-Control", "no-cache");
  ctx.type = "text/html";
  const locale = widgetLocales.find((one) => one === ctx.query["locale"]);
  ctx.body = framePage(config, files, locale ?? config.settings.default_locale);
}

function mountAsset(router: Router, { name, type, bytes, gzip }: WidgetAsset): void {
  router.get(`/widget/assets/${name}`, (ctx) => {
    ctx.state["route"] = "/widget/assets";
    ctx.set("Cache-Control", "public, max-age=31536000, immutable");
    ctx.set("Cross-Origin-Resource-Policy", "cross-origin");
    ctx.type = type;
    sendPacked(ctx, bytes, gzip);
  });
}

function sendPacked(ctx: Context, bytes: Buffer, gzip: Buffer): void {
  ctx.vary("Accept-Encoding");
  if (ctx.acceptsEncodings("gzip", "identity") !== "gzip") {
    ctx.body = bytes;
    return;
  }
  ctx.set("Content-Encoding", "gzip");
  ctx.body = gzip;
}
