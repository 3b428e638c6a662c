import { z } from "zod";
import { ratingValues } from "../agent-rating.ts";
import { handoverReasons, turnModes, turnOutcomes } from "../agent.ts";
import { agentTurnDetail, agentTurnView } from "../views/agent-turn.ts";
import { flagInQuery, idParameter, logParameters, momentInput } from "../wire.ts";
import { logOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/agent-turns.ts`. */
export const agentTurnsShapes = {
  "GET /agent-turns": {
    query: z.object({
      conversation_id: idParameter.optional().describe("Turns of one conversation."),
      message_id: idParameter.optional().describe("The turn that wrote this message."),
      outcome: z.enum(turnOutcomes).optional(),
      reason: z.enum(handoverReasons).optional().describe("Reason of a handover."),
      mode: z.enum(turnModes).optional(),
      rating: z.enum(ratingValues).optional().describe("Turns that somebody rated so."),
      reopened: flagInQuery.optional().describe("`true`: the customer came back within 24 h."),
      since: momentInput.optional(),
      until: momentInput.optional(),
      ...logParameters,
    }),
    ...logOf(agentTurnView),
  },
  "GET /agent-turns/:id": { answers: { 200: agentTurnDetail } },
} satisfies RouteShapes;
