import { requireUserId } from "../../core/services/accounts/actor.ts";
import { getConversationRow } from "../../core/services/conversation-records/conversation-records.ts";
import { agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

/** Heartbeats of people in conversations. */
export const presenceRoutes = [
  dashboardRoute("PUT /conversations/:id/presence", {
    access: agent,
    tag: "Inbox",
    noun: "conversation",
    summary: "Say that you look at a conversation or type in it, and read who else does",
    run: async (tx, { id }) => {
      await getConversationRow(tx, id);
      return { data: { viewers: [] } };
    },
    settle: (_, { id, body, actor }, { liveStreams }) => {
      const who = { accountId: actor.accountId, conversationId: id, userId: requireUserId(actor) };
      return Promise.resolve({ data: { viewers: liveStreams.presence.beat(who, body.state) } });
    },
  }),
];
