import type Router from "@koa/router";
import { AppError } from "../../core/errors.ts";
import type { Deps } from "../deps.ts";
import { writeStreamHead } from "../live/serve-stream.ts";
import { authenticateVisit } from "./visit-auth.ts";

const path = "/widget/api/stream";

/**
 * Mounts the visitor's stream: the content of one conversation as Server-Sent Events, as
 * `VisitEvents` lists them. It begins with `ready`. With a known `Last-Event-ID` come the events that
 * the reader missed instead, and with an unknown one comes `reset`. The state of the conversation
 * follows in any case.
 *
 * The token comes in a header, so the widget reads the stream with `fetch`.
 */
export function mountVisitStream(deps: Deps, router: Router): void {
  router.register(path, ["GET"], async (ctx) => {
    if (ctx.method === "HEAD") throw new AppError("method_not_allowed");
    ctx.state["route"] = path;
    const visit = await authenticateVisit(deps, ctx);
    deps.liveStreams.openVisit({
      response: ctx.res,
      writeHead: () => writeStreamHead(ctx),
      requestId: String(ctx.state["requestId"]),
      visit,
      lastEventId: ctx.get("last-event-id") || null,
    });
  });
}
