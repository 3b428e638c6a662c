import { createAttempts } from "../../activities/attempt-delivery.ts";
import type { ActivityDeps } from "../../activities/deps.ts";
import { createActivities, type Activities } from "../../activities/index.ts";
import { noModels } from "./agent.ts";
import { noCalendars, noCalendly } from "./calendars.ts";
import { noGraph } from "./graph.ts";
import { noMedia } from "./media.ts";
import { noPages } from "./pages.ts";

/** For work that has to do with no service of another company: every one is unreachable. */
export const noServices = {
  calendarPorts: noCalendars,
  calendly: noCalendly,
  graph: noGraph,
  media: noMedia,
  models: noModels,
  pages: noPages,
  publicUrl: "http://127.0.0.1:9",
} satisfies Partial<ActivityDeps>;

/** Activities whose attempts no relay shares. */
export function createTestActivities(deps: ActivityDeps): Activities {
  return createActivities(deps, createAttempts(deps));
}
