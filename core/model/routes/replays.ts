import { z } from "zod";
import { replayableStates } from "../replay.ts";
import { optionalReasonBody } from "./inputs.ts";
import { pageParameters } from "../wire.ts";
import { replayView } from "../views/dashboard.ts";
import { pageOf, type RouteShapes } from "./shape.ts";

const draftBody = z.strictObject({
  since: z.iso.datetime().optional(),
  states: z.array(z.enum(replayableStates)).min(1, "Name at least one state.").optional(),
});

/** Shapes of the routes in `api/dashboard/replays.ts`. */
export const replaysShapes = {
  "GET /subscriptions/:id/replays": {
    query: z.object(pageParameters),
    ...pageOf(replayView),
  },
  "POST /subscriptions/:id/replays": { body: draftBody, answers: { 201: replayView } },
  "GET /replays/:id": { answers: { 200: replayView } },
  "POST /replays/:id/start": { body: optionalReasonBody, answers: { 200: replayView } },
  "POST /replays/:id/pause": { body: optionalReasonBody, answers: { 200: replayView } },
  "POST /replays/:id/resume": { body: optionalReasonBody, answers: { 200: replayView } },
  "POST /replays/:id/cancel": { body: optionalReasonBody, answers: { 200: replayView } },
} satisfies RouteShapes;
