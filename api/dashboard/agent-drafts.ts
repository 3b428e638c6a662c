import { dismissDraft, sendDraft } from "../../core/services/agent/drafts.ts";
import { cancelDraft, requestDraft } from "../../core/services/agent/suggestions.ts";
import { presentMessage } from "../../core/services/conversations/message-views.ts";
import { agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

const tag = "AI agent";

/** Drafts of the AI agent. The open one is read with its conversation. */
export const agentDraftRoutes = [
  dashboardRoute("POST /conversations/:id/suggestion", {
    access: agent,
    tag,
    noun: "conversation",
    summary: "Ask the agent for a draft, also while people have the conversation",
    errors: ["agent_is_off", "agent_is_writing", "nothing_to_answer"],
    run: async (tx, { id }) => {
      const { id: turnId } = await requestDraft(tx, id);
      return { status: 202, data: { turn_id: turnId } };
    },
  }),
  dashboardRoute("DELETE /conversations/:id/suggestion", {
    access: agent,
    tag,
    noun: "conversation",
    summary: "Cut the draft that the agent is at",
    run: async (tx, { id }) => {
      await cancelDraft(tx, id);
      return { data: { id } };
    },
  }),
  dashboardRoute("POST /agent-drafts/:id/send", {
    access: agent,
    tag,
    noun: "agent_draft",
    summary: "Send a draft as your message, with the changes that you approve",
    errors: [
      "agent_draft_closed",
      "proposal_refused",
      "messaging_window_closed",
      "message_too_long",
    ],
    run: async (tx, { id, body }) => {
      const { row, created } = await sendDraft(tx, id, body);
      return { status: created ? 201 : 200, data: await presentMessage(tx, row) };
    },
  }),
  dashboardRoute("POST /agent-drafts/:id/dismiss", {
    access: agent,
    tag,
    noun: "agent_draft",
    summary: "Put a draft aside",
    errors: ["agent_draft_closed"],
    run: async (tx, { id }) => {
      await dismissDraft(tx, id);
      return { data: { id } };
    },
  }),
];
