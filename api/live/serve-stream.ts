import type { Context } from "koa";
import { AppError } from "../../core/errors.ts";
import type { Deps } from "../deps.ts";
import { authenticateSession, readCookies, refuseCrossSite } from "../http/session-auth.ts";

/**
 * Serves the changes of an account as Server-Sent Events. The stream begins with `ready`, or with
 * `reset` if `Last-Event-ID` is no longer known. At either event a reader reads everything once.
 * Then `change` names the ids of what changed. With a known `Last-Event-ID` the stream sends
 * neither and omits no change.
 *
 * The first connection of an `EventSource` cannot send that header. Its URL may name the
 * `stream_from` of the session as `after`.
 */
export async function serveStream(deps: Deps, ctx: Context): Promise<void> {
  const { dataSource, config, liveStreams } = deps;
  refuseCrossSite(ctx, config.publicUrl);
  const { userId, accountId } = await authenticateSession(dataSource, ctx, config.publicUrl);
  const { sessionHash } = readCookies(ctx, config.publicUrl);
  if (sessionHash === null) throw new AppError("session_required");
  await liveStreams.open({
    response: ctx.res,
    writeHead: () => writeStreamHead(ctx),
    requestId: String(ctx.state["requestId"]),
    sessionHash,
    userId,
    accountId,
    lastEventId: ctx.get("last-event-id") || readAfter(ctx, accountId),
  });
}

/** Null if the value is from another account: the reader must notice that the login has moved. */
function readAfter(ctx: Context, accountId: number): string | null {
  const after = /^(\d+)-(\d+)$/.exec(ctx.query["after"]?.toString() ?? "");
  return after?.[1] === String(accountId) ? (after[2] ?? null) : null;
}

/** From here on the response belongs to the stream, and Koa must not end it. */
export function writeStreamHead(ctx: Context): void {
  ctx.status = 200;
  ctx.set("Content-Type", "text/event-stream");
  // nginx would hold back data until its buffer is full.
  ctx.set("X-Accel-Buffering", "no");
  ctx.respond = false;
  ctx.flushHeaders();
}
