import type { Context } from "koa";
import { sessionRequired } from "../../core/services/accounts/users.ts";
import type { Deps } from "../deps.ts";
import { authenticateSession, readCookies, refuseCrossSite } from "../http/session-auth.ts";

/**
 * Serves the changes of an account as Server-Sent Events: `change` with the ids of what changed,
 * after `ready` or, where `Last-Event-ID` is no longer known, `reset`. At either of these a reader
 * reads everything once; who comes back with a known `Last-Event-ID` is sent neither and misses nothing.
 * The first connection of an `EventSource` cannot send that header; its URL may name, as `after`, the
 * `stream_from` of the session.
 */
export async function serveStream(deps: Deps, ctx: Context): Promise<void> {
  const { dataSource, config, liveStreams } = deps;
  refuseCrossSite(ctx, config.publicUrl);
  const { userId, accountId } = await authenticateSession(dataSource, ctx, config.publicUrl);
  const { sessionHash } = readCookies(ctx, config.publicUrl);
  if (sessionHash === null) throw sessionRequired();
  await liveStreams.open({
    response: ctx.res,
    writeHead: () => writeHead(ctx),
    requestId: String(ctx.state["requestId"]),
    sessionHash,
    userId,
    accountId,
    lastEventId: ctx.get("last-event-id") || readAfter(ctx, accountId),
  });
}

/** Null where it was read in another account: the reader must notice that the login has moved. */
function readAfter(ctx: Context, accountId: number): string | null {
  const after = /^(\d+)-(\d+)$/.exec(ctx.query["after"]?.toString() ?? "");
  return after?.[1] === String(accountId) ? (after[2] ?? null) : null;
}

/** From here on the response is the stream's; Koa must not end it. */
function writeHead(ctx: Context): void {
  ctx.status = 200;
  ctx.set("Content-Type", "text/event-stream");
  // nginx would keep back what does not fill its buffer.
  ctx.set("X-Accel-Buffering", "no");
  ctx.respond = false;
  ctx.flushHeaders();
}
