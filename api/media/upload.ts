import { createReadStream } from "node:fs";
import { randomBytes } from "node:crypto";
import type Router from "@koa/router";
import type { Context } from "koa";
import { AppError } from "../../core/errors.ts";
import { readMediaType } from "../../core/media/media-type.ts";
import { FileTooLargeError, type SpooledFile } from "../../core/media/spool.ts";
import { mediaKey } from "../../core/media/storage.ts";
import { maxMediaBytes, kindOfType } from "../../core/model/media.ts";
import { toWellFormed } from "../../core/model/wire.ts";
import { announceUpload, completeUpload } from "../../core/services/media/uploads.ts";
import { transaction, type TxOptions } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { authorizePerson, readIp } from "../http/serve.ts";
import { refuseCrossSite } from "../http/session-auth.ts";

const path = "/dashboard/api/media";
const maxNameLength = 255;

/**
 * Takes the bytes of a file that a person attaches to a message. Does not use `route()`, because the
 * body is no JSON. The type comes from the content, not from the header.
 */
export function mountUpload(deps: Deps, router: Router): void {
  router.post(path, async (ctx) => {
    ctx.state["route"] = path;
    refuseCrossSite(ctx, deps.config.publicUrl);
    const actor = await authorizePerson(deps, "agent", ctx);
    const file = await receiveFile(deps, ctx, maxMediaBytes);
    try {
      const origin = { ip: readIp(ctx), requestId: String(ctx.state["requestId"]) };
      const data = await store(
        deps,
        { actor, origin },
        {
          file,
          filename: nameIn(ctx, "filename"),
        },
      );
      ctx.status = 201;
      ctx.body = { success: true, data };
    } finally {
      await file.remove();
    }
  });
}

/** The name in a parameter of the query, as the sender's computer gives it; null without one. */
export function nameIn(ctx: Context, parameter: string): string | null {
  const given = ctx.query[parameter];
  const name = typeof given === "string" ? given.slice(0, maxNameLength) : "";
  return name === "" ? null : toWellFormed(name);
}

/**
 * Writes the body of a request to a file, which the caller removes.
 * @throws AppError `payload_too_large`, `request_timeout`, `media_empty`
 */
export async function receiveFile(
  { media }: Pick<Deps, "media">,
  ctx: Context,
  maxBytes: number,
): Promise<SpooledFile> {
  const message = `The file is larger than ${maxBytes / 1_024 / 1_024} MiB.`;
  const tooLarge = () => new AppError("payload_too_large", { message });
  if (Number(ctx.get("content-length") || 0) > maxBytes) throw tooLarge();
  const name = `upload-${randomBytes(8).toString("hex")}`;
  // Else the refusal would close the connection, and nobody could read the answer.
  const body = ctx.req.iterator({ destroyOnReturn: false });
  const file = await media.spool.write(name, body, maxBytes).catch((error: unknown) => {
    if (error instanceof FileTooLargeError) throw tooLarge();
    // The person closed the page, or the network failed.
    if (ctx.req.destroyed && !ctx.req.complete) throw new AppError("request_timeout");
    throw error;
  });
  if (file.size > 0) return file;
  await file.remove();
  throw new AppError("media_empty");
}

/**
 * The type of a file by its content, once the scanner has passed it.
 * @throws AppError `media_refused`; `service_unavailable` while the scanner is away
 */
export async function requireCleanType(media: Deps["media"], file: SpooledFile): Promise<string> {
  const verdict = media.scan === null ? "clean" : await media.scan(createReadStream(file.path));
  if (verdict === "infected" || verdict === "too_large") throw new AppError("media_refused");
  if (verdict === "away") {
    const message = "The virus scanner does not answer. Try again in a moment.";
    throw new AppError("service_unavailable", { message, retryAfterSeconds: 30 });
  }
  return await readMediaType(file.path);
}

async function store(
  { dataSource, media }: Deps,
  options: TxOptions & { actor: { userId: number; accountId: number } },
  { file, filename }: { file: SpooledFile; filename: string | null },
) {
  const mime = await requireCleanType(media, file);
  const { size, sha256 } = file;
  const { userId, accountId } = options.actor;
  const facts = { filename, mime, size, sha256 };
  const id = await transaction(dataSource, options, (tx) => announceUpload(tx, userId, facts));
  const key = mediaKey(accountId, `upload-${id}`, "original");
  await media.storage.put(key, createReadStream(file.path), size);
  await transaction(dataSource, options, (tx) => completeUpload(tx, id, key));
  return { id, kind: kindOfType(mime), mime_type: mime, size, filename };
}
