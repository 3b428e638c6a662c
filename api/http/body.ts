import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import { AppError } from "../../core/errors.ts";

/** 1 MiB. Rule C17. */
const maxBodyBytes = 1_048_576;

/**
 * The JSON body of a request, or undefined without a body. The checks come in the order of rule
 * C17: content type (415), size (413), JSON (400).
 */
export async function readJson(ctx: Context, limit = maxBodyBytes): Promise<unknown> {
  if (!hasBody(ctx)) return undefined;
  requireJsonType(ctx);
  const bytes = await readBytes(ctx.req, limit);
  if (bytes.length === 0) return undefined;
  return parseJson(bytes);
}

/** @returns true if the request announces a body. */
function hasBody(ctx: Context): boolean {
  const length = ctx.get("content-length");
  if (length !== "") return length !== "0" || ctx.get("content-type") !== "";
  return ctx.get("transfer-encoding") !== "" || ctx.get("content-type") !== "";
}

/** @throws AppError `unsupported_media_type` unless the headers say plain JSON. */
export function requireJsonType(ctx: Context): void {
  const type = ctx.get("content-type").split(";")[0]?.trim().toLowerCase();
  const encoding = ctx.get("content-encoding");
  if (type !== "application/json" || (encoding !== "" && encoding !== "identity")) {
    throw new AppError("unsupported_media_type");
  }
}

/**
 * The raw bytes of a body.
 * @param withinMs time limit for its arrival; by default the server's own limit applies.
 * @throws AppError `payload_too_large` before more than `limit` is kept; `request_timeout`.
 */
export async function readBytes(
  request: IncomingMessage,
  limit: number,
  withinMs?: number,
): Promise<Buffer> {
  if (withinMs === undefined) return await collect(request, limit);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new AppError("request_timeout"));
    }, withinMs);
  });
  try {
    return await Promise.race([collect(request, limit), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = () =>
    new AppError("payload_too_large", {
      message: `The body is larger than ${limit / 1024} KiB. Send less in one request.`,
    });
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The caller disconnected in the middle. That error's code is also the code of a lost database.
    throw new AppError("request_timeout", { message: "The body did not arrive. Send it again." });
  }
  return Buffer.concat(chunks);
}

/** @throws AppError `invalid_json` for anything but one UTF-8 JSON text. */
function parseJson(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return JSON.parse(text) as unknown;
  } catch {
    throw new AppError("invalid_json");
  }
}
