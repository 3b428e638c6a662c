import type Router from "@koa/router";
import type { Deps } from "../deps.ts";
import { mountBookings } from "./bookings.ts";
import { mountMessages } from "./messages.ts";
import { mountWidgetPages } from "./pages.ts";
import { mountSessions } from "./sessions.ts";
import { mountVisitStream } from "./stream.ts";
import { mountUploads } from "./uploads.ts";
import { mountVisitor } from "./visitor.ts";

/** Mounts what visitors of web chat call. */
export function mountWidget(deps: Deps, router: Router): void {
  mountSessions(deps, router);
  mountMessages(deps, router);
  mountVisitStream(deps, router);
  mountWidgetPages(deps, router);
  mountVisitor(deps, router);
  mountUploads(deps, router);
  mountBookings(deps, router);
}
