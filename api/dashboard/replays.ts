import { missedStates, replayableStates } from "../../core/model/replay.ts";
import {
  changeReplay,
  draftReplay,
  getReplay,
  listReplays,
  type ReplayStep,
} from "../../core/services/deliveries/replays.ts";
import type { Replay } from "../../db/entities/replay.ts";
import type { Route } from "../http/route.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const noun = "replay";
const tag = "Replays";

const summaries: Record<ReplayStep, string> = {
  start: "Start a drafted replay",
  pause: "Pause a running replay; what is queued goes out",
  resume: "Go on with a paused replay where it stopped",
  cancel: "Cancel a replay; what is queued goes out",
};

/** Replays: many deliveries of a subscription are counted, then sent again. */
export const replayRoutes: Route[] = [
  dashboardRoute("GET /subscriptions/:id/replays", {
    access: agent,
    tag,
    noun: "subscription",
    summary: "List the replays of a subscription, newest first",
    run: async (tx, { id, query }) => {
      const page = await listReplays(tx, id, query);
      return { data: page.rows.map(present), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /subscriptions/:id/replays", {
    access: admin,
    tag,
    noun: "subscription",
    summary: "Draft a replay: count what it covers, send nothing yet",
    run: async (tx, { id, body }) => {
      const since = body.since === undefined ? null : new Date(body.since);
      // With a time and no states: every delivery since then.
      const states = body.states ?? (since === null ? missedStates : replayableStates);
      return { data: present(await draftReplay(tx, id, { since, states: [...new Set(states)] })) };
    },
  }),
  dashboardRoute("GET /replays/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a replay and how far it has come",
    run: async (tx, { id }) => ({ data: present(await getReplay(tx, id)) }),
  }),
  stepRoute("start"),
  stepRoute("pause"),
  stepRoute("resume"),
  stepRoute("cancel"),
];

function stepRoute(step: ReplayStep): Route {
  return dashboardRoute(`POST /replays/:id/${step}`, {
    access: admin,
    tag,
    noun,
    summary: summaries[step],
    errors: ["replay_state"],
    run: async (tx, { id, body }) => ({
      data: present(await changeReplay(tx, id, step, body.reason)),
    }),
  });
}

function present(row: Replay) {
  return {
    id: row.id,
    subscription_id: row.subscriptionId,
    state: row.state,
    states: row.states,
    since: row.since?.toISOString() ?? null,
    total: row.total,
    total_at_least: row.totalAtLeast,
    queued: row.queued,
    passed_over: row.passedOver,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}
