import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type Router from "@koa/router";
import type { Context } from "koa";
import { AppError } from "../core/errors.ts";
import { dashboardSections } from "../core/model/dashboard-sections.ts";

const buildFolder = fileURLToPath(new URL("../dashboard/dist", import.meta.url));

/** Placeholder in the built page; each answer replaces it with a nonce of its own. */
const noncePlaceholder = "PARLEY_STYLE_NONCE";

const types: Record<string, string> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

interface Asset {
  type: string;
  bytes: Buffer;
  /** The same bytes packed with gzip; null for formats that are compressed already. */
  gzip: Buffer | null;
}

/**
 * Serves the built Dashboard. Its page is served only at the app's own URLs, so that a wrong path
 * stays a 404. Its files have names that change with their content.
 * @param widgetUrl address of the widgets, which pages may frame
 */
export function mountPages(router: Router, widgetUrl: string): void {
  const html = join(buildFolder, "index.html");
  const page = existsSync(html) ? readFileSync(html, "utf8") : null;
  // A pattern, because the path "/" would match "//" too.
  for (const path of [/^\/$/, ...dashboardSections.map((section) => `/${section}{/*rest}`)]) {
    router.get(path, (ctx) => {
      ctx.state["route"] = "dashboard";
      if (page === null) throw notBuilt();
      sendPage(ctx, page, widgetUrl);
    });
  }
  if (page === null) return;
  const icon = readAsset(join(buildFolder, "icon.svg"));
  router.get("/icon.svg", (ctx) => sendAsset(ctx, icon, "public, max-age=3600"));
  mountAssets(router);
}

function notBuilt(): AppError {
  const message = "The Dashboard is not built. Run `npm run build`, then start the API again.";
  return new AppError("route_not_found", { message });
}

function sendPage(ctx: Context, page: string, widgetUrl: string): void {
  const nonce = randomBytes(16).toString("base64");
  ctx.set("Content-Security-Policy", contentSecurityPolicy(nonce, widgetUrl));
  // Never cached, because the page names the files of the current version.
  ctx.set("Cache-Control", "no-cache");
  ctx.type = "text/html";
  ctx.body = page.replaceAll(noncePlaceholder, nonce);
}

/**
 * Stricter than the other policies: no inline script, and style elements only with this answer's
 * nonce. The app sets styles of single elements through the DOM, which no policy forbids.
 */
function contentSecurityPolicy(nonce: string, widgetUrl: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // Media of messages are stored at their channel or in the account's own systems.
    // `blob:` is a picture that a person has chosen and not sent yet.
    "img-src 'self' data: blob: https:",
    "media-src 'self' https:",
    // The preview of a widget is the widget itself.
    `frame-src 'self' ${new URL(widgetUrl).origin}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** One route for all files: the router tests a path against its routes one by one. */
function mountAssets(router: Router): void {
  const folder = join(buildFolder, "assets");
  const names = readdirSync(folder).filter((name) => !name.endsWith(".gz"));
  const assets = new Map(names.map((name) => [name, readAsset(join(folder, name))]));
  router.get("/assets/:name", (ctx) => {
    const { name = "" }: Record<string, string> = ctx["params"];
    const asset = assets.get(name);
    if (asset === undefined) throw new AppError("route_not_found");
    sendAsset(ctx, asset, "public, max-age=31536000, immutable");
  });
}

function sendAsset(ctx: Context, { type, bytes, gzip }: Asset, cacheControl: string): void {
  ctx.state["route"] = "dashboard";
  ctx.set("Cache-Control", cacheControl);
  ctx.type = type;
  if (gzip !== null) ctx.vary("Accept-Encoding");
  if (gzip === null || ctx.acceptsEncodings("gzip", "identity") !== "gzip") {
    ctx.body = bytes;
    return;
  }
  ctx.set("Content-Encoding", "gzip");
  ctx.body = gzip;
}

function readAsset(path: string): Asset {
  const packed = `${path}.gz`;
  return {
    type: types[extname(path)] ?? "application/octet-stream",
    bytes: readFileSync(path),
    gzip: existsSync(packed) ? readFileSync(packed) : null,
  };
}
