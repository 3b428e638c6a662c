import {
  countUnread,
  listNotifications,
  markAllNotificationsRead,
  markNotificationsRead,
} from "../../core/services/notifications/notifications.ts";
import { requireUserId } from "../../core/services/accounts/actor.ts";
import type { Tx } from "../../db/transaction.ts";
import { agent } from "./access.ts";
import { logMetaOf } from "./list-meta.ts";
import { dashboardRoute, type AnswerOf } from "./route.ts";

const tag = "Notifications";

/** Notifications for the people of the account. */
export const notificationRoutes = [
  dashboardRoute("GET /notifications", {
    access: agent,
    tag,
    summary: "List notifications, newest first",
    run: async (tx, { query }) => {
      const { unread: unreadOnly, group_key: groupKey, ...bounds } = query;
      const userId = requireUserId(tx.actor);
      const page = await listNotifications(tx, userId, { ...bounds, unreadOnly, groupKey });
      const unread = await countUnread(tx, userId);
      return { data: page.rows, meta: { ...logMetaOf(page, query), unread } };
    },
  }),
  dashboardRoute("POST /notifications/read", {
    access: agent,
    tag,
    summary: "Mark notifications as read: some by id, or all of them",
    errors: ["notification_not_found"],
    run: async (tx, { body }) => await markRead(tx, body.ids),
  }),
  dashboardRoute("POST /notifications/:id/read", {
    access: agent,
    tag,
    noun: "notification",
    summary: "Mark one notification as read",
    run: async (tx, { id }) => await markRead(tx, [id]),
  }),
];

async function markRead(
  tx: Tx,
  ids: number[] | "all",
): Promise<AnswerOf<"POST /notifications/read">> {
  const userId = requireUserId(tx.actor);
  if (ids === "all") await markAllNotificationsRead(tx, userId);
  else await markNotificationsRead(tx, userId, ids);
  return { data: { unread: await countUnread(tx, userId) } };
}
