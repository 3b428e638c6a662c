import {
  listRatings,
  presentRating,
  rateMessage,
  removeRating,
} from "../../core/services/agent/ratings.ts";
import { agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

const tag = "AI agent";

/** Ratings of the agent's messages. */
export const agentRatingRoutes = [
  dashboardRoute("GET /conversations/:id/ratings", {
    access: agent,
    tag,
    noun: "conversation",
    summary: "List the newest 200 ratings of the AI agent's messages in a conversation",
    run: async (tx, { id }) => ({ data: (await listRatings(tx, id)).map(presentRating) }),
  }),
  dashboardRoute("PUT /messages/:id/rating", {
    access: agent,
    tag,
    noun: "message",
    summary: "Rate a message of the AI agent up or down, in place of one's earlier rating",
    run: async (tx, { id, body }) => ({ data: presentRating(await rateMessage(tx, id, body)) }),
  }),
  dashboardRoute("DELETE /messages/:id/rating", {
    access: agent,
    tag,
    noun: "message",
    summary: "Remove one's own rating of a message",
    run: async (tx, { id }) => {
      await removeRating(tx, id);
      return { data: { id } };
    },
  }),
];
