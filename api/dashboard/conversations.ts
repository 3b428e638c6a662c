import { inboxViews, presentQueueCursor, type InboxView } from "../../core/model/inbox-queue.ts";
import { mostCounted } from "../../core/model/wire.ts";
import { assignConversation } from "../../core/services/conversations/conversation-assignee.ts";
import {
  listConversations,
  withAssignee,
} from "../../core/services/read-models/conversation-list.ts";
import { countSavedViews, countViews } from "../../core/services/read-models/inbox-counts.ts";
import { findNextInView, listView } from "../../core/services/read-models/inbox-views.ts";
import {
  addNote,
  listNotes,
  presentNote,
} from "../../core/services/conversation-records/conversation-notes.ts";
import { getConversationRow } from "../../core/services/conversation-records/conversation-records.ts";
import {
  markConversationRead,
  markConversationUnread,
  openConversation,
  setBot,
  setConversationStatus,
} from "../../core/services/conversations/conversations.ts";
import {
  snoozeConversation,
  unsnoozeConversation,
} from "../../core/services/conversations/snoozes.ts";
import {
  presentInboxConversation,
  presentInboxRows,
} from "../../core/services/read-models/inbox.ts";
import { presentMessage } from "../../core/services/conversations/message-views.ts";
import type { Count } from "../../core/services/sql.ts";
import { agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Inbox";
const noun = "conversation";

type ViewCounts = Record<InboxView, ReturnType<typeof presentCount>>;

function presentCount({ total, totalAtLeast }: Count) {
  return { total, total_at_least: totalAtLeast };
}

/** The inbox: conversations, as members work them. */
export const inboxRoutes = [
  dashboardRoute("GET /conversations", {
    access: agent,
    tag,
    summary: "List and search conversations, those with the newest message first",
    run: async (tx, { query: { view, order, cursor, ...query } }) => {
      const filter = withAssignee(tx, query);
      if (view === undefined) {
        const page = await listConversations(tx, { ...query, ...filter }, mostCounted);
        return { data: await presentInboxRows(tx, page.rows), meta: pageMetaOf(page, query) };
      }
      const { next, ...page } = await listView(tx, filter, { ...query, view, order, cursor });
      const key = next === null ? null : presentQueueCursor(next);
      return {
        data: await presentInboxRows(tx, page.rows),
        meta: { ...pageMetaOf(page, query), next: key },
      };
    },
  }),
  dashboardRoute("GET /conversations/counts", {
    access: agent,
    tag,
    summary: "Count the conversations of each view and saved view, up to 1,000",
    run: async (tx) => {
      const counts = await countViews(tx);
      const views = inboxViews.map((view) => [view, presentCount(counts[view])] as const);
      const saved = await countSavedViews(tx);
      return {
        data: {
          views: Object.fromEntries(views) as ViewCounts,
          saved: saved.map(({ id, ...count }) => ({ id, ...presentCount(count) })),
        },
      };
    },
  }),
  dashboardRoute("POST /conversations", {
    access: agent,
    tag,
    summary: "Open the WhatsApp conversation with a phone; its contact is created if missing",
    errors: ["channel_not_connected", "channel_account_not_found"],
    run: async (tx, { body }) => {
      const { row, created, initialMessage } = await openConversation(tx, body);
      const message = initialMessage === null ? null : await presentMessage(tx, initialMessage);
      const view = await presentInboxConversation(tx, row);
      return { status: created ? 201 : 200, data: { ...view, created, initial_message: message } };
    },
  }),
  dashboardRoute("GET /conversations/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a conversation",
    run: async (tx, { id }) => ({
      data: await presentInboxConversation(tx, await getConversationRow(tx, id)),
    }),
  }),
  dashboardRoute("GET /conversations/:id/next", {
    access: agent,
    tag,
    noun,
    summary: "Find the conversation after this one in a view, also if this one has just left it",
    run: async (tx, { id, query: { view, order, ...query } }) => {
      const row = await getConversationRow(tx, id);
      const filter = withAssignee(tx, query);
      return { data: { id: await findNextInView(tx, row, filter, { view, order }) } };
    },
  }),
  dashboardRoute("PATCH /conversations/:id", {
    access: agent,
    tag,
    noun,
    summary: "Set the status; the AI agent stays as it is",
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await setConversationStatus(tx, id, body.status)),
    }),
  }),
  dashboardRoute("POST /conversations/:id/bot", {
    access: agent,
    tag,
    noun,
    summary: "Turn the AI agent on, or pause it and take over",
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await setBot(tx, id, body)),
    }),
  }),
  dashboardRoute("POST /conversations/:id/assign", {
    access: agent,
    tag,
    noun,
    summary: "Assign to a member of the account, or to nobody",
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await assignConversation(tx, id, body.user_id)),
    }),
  }),
  dashboardRoute("POST /conversations/:id/read", {
    access: agent,
    tag,
    noun,
    summary: "Mark the customer's messages as seen, up to one of them or all",
    run: async (tx, { id, body }) => {
      await markConversationRead(tx, id, body.up_to_message_id);
      return { data: { id } };
    },
  }),
  dashboardRoute("POST /conversations/:id/unread", {
    access: agent,
    tag,
    noun,
    summary: "Mark as unread, for another look at it",
    run: async (tx, { id }) => {
      await markConversationUnread(tx, id);
      return { data: { id } };
    },
  }),
  dashboardRoute("POST /conversations/:id/snooze", {
    access: agent,
    tag,
    noun,
    summary: "Snooze until a moment; the customer's next message ends it",
    errors: ["conversation_resolved"],
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await snoozeConversation(tx, id, body.until)),
    }),
  }),
  dashboardRoute("DELETE /conversations/:id/snooze", {
    access: agent,
    tag,
    noun,
    summary: "End the snooze",
    run: async (tx, { id }) => ({
      data: await presentInboxConversation(tx, await unsnoozeConversation(tx, id)),
    }),
  }),
  dashboardRoute("GET /conversations/:id/notes", {
    access: agent,
    tag,
    noun,
    summary: "Notes of people and what happened, newest first",
    run: async (tx, { id, query }) => {
      const page = await listNotes(tx, id, query);
      return { data: page.rows.map(presentNote), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /conversations/:id/notes", {
    access: agent,
    tag,
    noun,
    summary: "Add a note, which the customer never sees",
    run: async (tx, { id, body }) => {
      const { row, created } = await addNote(tx, id, body);
      return { status: created ? 201 : 200, data: presentNote(row) };
    },
  }),
];
