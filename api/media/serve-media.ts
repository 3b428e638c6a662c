import type Router from "@koa/router";
import type { Context } from "koa";
import { AppError } from "../../core/errors.ts";
import { contentDisposition, safeFileName } from "../../core/media/file-name.ts";
import { openMediaToken, type MediaGrant } from "../../core/media/media-token.ts";
import { isInlineType } from "../../core/media/media-type.ts";
import type { ByteRange } from "../../core/media/storage.ts";
import { findStoredFile, type StoredFile } from "../../core/services/media/stored-files.ts";
import { oneStatement, systemOf } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { readByteRange } from "./byte-range.ts";

const path = "/media/:token";
/** Seconds in which a browser may show a file again without asking. */
const cacheSeconds = 600;

/**
 * Serves files of messages by signed links. A link is the whole right to read, so an unknown,
 * changed or expired one is answered like a missing file.
 */
export function mountMedia(deps: Deps, router: Router): void {
  router.get(path, async (ctx) => {
    // The token is as good as a password, so only the pattern is logged.
    ctx.state["route"] = path;
    await serveFile(deps, ctx, String(ctx["params"]?.["token"] ?? ""));
  });
}

async function serveFile(deps: Deps, ctx: Context, token: string): Promise<void> {
  const { secretBox, dataSource, media } = deps;
  const grant = openMediaToken(secretBox, token, new Date());
  if (grant === null) throw new AppError("media_not_found");
  const { accountId, mediaId, variant } = grant;
  const file = await oneStatement(dataSource, systemOf(accountId), (tx) =>
    findStoredFile(tx, mediaId, variant),
  );
  const found = file && (await media.storage.stat(file.key));
  if (file === null || found === null) throw new AppError("media_not_found");
  const { size } = found;
  const { mime: type } = file;
  setHeaders(ctx, grant, file, type);
  const etag = `"${file.sha256}-${variant}"`;
  ctx.set("ETag", etag);
  // Not `ctx.fresh`: a caller that names the tag knows the bytes, also where it asks for no cache.
  if (
    ctx
      .get("if-none-match")
      .split(/\s*,\s*/u)
      .includes(etag)
  ) {
    ctx.status = 304;
    return;
  }
  ctx.status = 200;
  const ranges = ctx.get("if-range");
  const asked = ranges === "" || ranges === etag ? ctx.get("range") : "";
  const range = readByteRange(asked, size);
  if (range === "unsatisfiable") {
    ctx.set("Content-Range", `bytes */${size}`);
    ctx.status = 416;
    ctx.body = "";
    return;
  }
  if (range !== null) {
    ctx.status = 206;
    ctx.set("Content-Range", `bytes ${range.start}-${range.end}/${size}`);
  }
  await sendBytes(deps, ctx, file.key, { size, range, type });
}

/** Nothing in a file can run, or load anything, even where a browser opens it as a page. */
function setHeaders(ctx: Context, grant: MediaGrant, file: StoredFile, type: string): void {
  const isInline = grant.disposition === "inline" && isInlineType(type);
  const name = safeFileName(file.filename, type);
  ctx.set("Content-Disposition", contentDisposition(isInline ? "inline" : "attachment", name));
  ctx.set("Content-Security-Policy", "sandbox; default-src 'none'");
  ctx.set("X-Content-Type-Options", "nosniff");
  ctx.set("Cross-Origin-Resource-Policy", "same-origin");
  ctx.set("Accept-Ranges", "bytes");
  ctx.set("Cache-Control", `private, max-age=${cacheSeconds}`);
}

async function sendBytes(
  { media }: Deps,
  ctx: Context,
  key: string,
  { size, range, type }: { size: number; range: ByteRange | null; type: string },
): Promise<void> {
  ctx.set("Content-Type", type);
  const length = range === null ? size : range.end - range.start + 1;
  if (ctx.method === "HEAD" || length === 0) {
    ctx.length = length;
    if (ctx.method !== "HEAD") ctx.body = "";
    return;
  }
  const stream = await media.storage.get(key, range ?? undefined);
  if (stream === null) throw new AppError("media_not_found");
  ctx.body = stream;
  // Set after the body, which clears both.
  ctx.set("Content-Type", type);
  ctx.length = length;
}
