import { requireUserId } from "../../core/services/accounts/actor.ts";
import {
  listNotificationGroups,
  markGroupRead,
} from "../../core/services/notifications/notification-groups.ts";
import { countUnread } from "../../core/services/notifications/notifications.ts";
import { agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Notifications";

/** Notifications grouped by cause: one subscription that fails, one conversation that waits. */
export const notificationGroupRoutes = [
  dashboardRoute("GET /notification-groups", {
    access: agent,
    tag,
    summary: "List causes of notifications, those with the newest first",
    run: async (tx, { query }) => {
      const { unread: unreadOnly, ...bounds } = query;
      const userId = requireUserId(tx.actor);
      const page = await listNotificationGroups(tx, userId, { ...bounds, unreadOnly });
      const unread = await countUnread(tx, userId);
      return { data: page.rows, meta: { ...pageMetaOf(page, query), unread } };
    },
  }),
  dashboardRoute("POST /notification-groups/read", {
    access: agent,
    tag,
    summary: "Mark what was seen of one cause as read",
    errors: ["notification_not_found"],
    run: async (tx, { body }) => {
      const userId = requireUserId(tx.actor);
      const seen = { groupKey: body.group_key, throughId: body.through_id };
      await markGroupRead(tx, userId, seen);
      return { data: { unread: await countUnread(tx, userId) } };
    },
  }),
];
