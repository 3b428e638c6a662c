import { z } from "zod";
import { missedStates, replayableStates } from "../../core/model/replay.ts";
import { listMeta, pageParameters } from "../../core/model/wire.ts";
import {
  changeReplay,
  draftReplay,
  getReplay,
  listReplays,
  type ReplayStep,
} from "../../core/services/deliveries/replays.ts";
import type { Replay } from "../../db/entities/replay.ts";
import { route, type Route } from "../http/route.ts";
import { admin, agent } from "./access.ts";
import { optionalReasonBody } from "./inputs.ts";
import { replayView } from "../../core/model/views/dashboard.ts";

const noun = "replay";
const tag = "Replays";

const draftBody = z.strictObject({
  since: z.iso.datetime().optional(),
  states: z.array(z.enum(replayableStates)).min(1, "Name at least one state.").optional(),
});

const summaries: Record<ReplayStep, string> = {
  start: "Start a drafted replay",
  pause: "Pause a running replay; what is queued goes out",
  resume: "Go on with a paused replay where it stopped",
  cancel: "Cancel a replay; what is queued goes out",
};

/** Replays: many deliveries of a subscription are counted, then sent again. */
export const replayRoutes: Route[] = [
  route({
    method: "GET",
    path: "/subscriptions/:id/replays",
    access: agent,
    tag,
    noun: "subscription",
    summary: "List the replays of a subscription, newest first",
    query: z.object(pageParameters),
    successes: { 200: { description: "Rows.", data: z.array(replayView), meta: listMeta } },
    run: async (tx, { id, query }) => {
      const [rows, total] = await listReplays(tx, id, query);
      return { data: rows.map(present), meta: { total, ...query } };
    },
  }),
  route({
    method: "POST",
    path: "/subscriptions/:id/replays",
    access: admin,
    tag,
    noun: "subscription",
    summary: "Draft a replay: count what it covers, send nothing yet",
    body: draftBody,
    successes: { 201: { description: "The draft.", data: replayView } },
    run: async (tx, { id, body }) => {
      const since = body.since === undefined ? null : new Date(body.since);
      // With a time and no states: every delivery since then.
      const states = body.states ?? (since === null ? missedStates : replayableStates);
      return { data: present(await draftReplay(tx, id, { since, states: [...new Set(states)] })) };
    },
  }),
  route({
    method: "GET",
    path: "/replays/:id",
    access: agent,
    tag,
    noun,
    summary: "Read a replay and how far it has come",
    successes: { 200: { description: "The replay.", data: replayView } },
    run: async (tx, { id }) => ({ data: present(await getReplay(tx, id)) }),
  }),
  stepRoute("start"),
  stepRoute("pause"),
  stepRoute("resume"),
  stepRoute("cancel"),
];

function stepRoute(step: ReplayStep): Route {
  return route({
    method: "POST",
    path: `/replays/:id/${step}`,
    access: admin,
    tag,
    noun,
    summary: summaries[step],
    body: optionalReasonBody,
    successes: { 200: { description: "As it is now.", data: replayView } },
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
