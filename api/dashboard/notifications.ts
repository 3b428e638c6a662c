import { z } from "zod";
import { flagInQuery, logMeta, logParameters, recordId } from "../../core/model/wire.ts";
import {
  countUnread,
  listNotifications,
  markAllNotificationsRead,
  markNotificationsRead,
} from "../../core/services/notifications/notifications.ts";
import { requireUserId } from "../../core/services/accounts/actor.ts";
import type { Tx } from "../../db/transaction.ts";
import { route, type Answer } from "../http/route.ts";
import { agent } from "./access.ts";
import { groupKeyInput } from "./inputs.ts";
import { metaOf } from "./list-meta.ts";
import { notificationView } from "../../core/model/views/dashboard.ts";

const tag = "Notifications";
const marked = {
  200: { description: "Marked.", data: z.strictObject({ unread: z.int().min(0) }) },
};

/** Notifications for the people of the account. */
export const notificationRoutes = [
  route({
    method: "GET",
    path: "/notifications",
    access: agent,
    tag,
    summary: "List notifications, newest first",
    query: z.object({
      unread: flagInQuery.default(false),
      group_key: groupKeyInput.optional(),
      ...logParameters,
    }),
    successes: {
      200: {
        description: "Rows.",
        data: z.array(notificationView),
        meta: logMeta.extend({ unread: z.int().min(0) }),
      },
    },
    run: async (tx, { query }) => {
      const { limit, before_id } = query;
      const wanted = { limit, before_id, unreadOnly: query.unread, groupKey: query.group_key };
      const page = await listNotifications(tx, requireUserId(tx.actor), wanted);
      return { data: page.views, meta: { ...metaOf(page, limit), unread: page.unread } };
    },
  }),
  route({
    method: "POST",
    path: "/notifications/read",
    access: agent,
    tag,
    summary: "Mark notifications as read: some by id, or all of them",
    body: z.strictObject({ ids: z.union([z.literal("all"), z.array(recordId).min(1).max(500)]) }),
    successes: marked,
    errors: ["notification_not_found"],
    run: async (tx, { body }) => await markRead(tx, body.ids),
  }),
  route({
    method: "POST",
    path: "/notifications/:id/read",
    access: agent,
    tag,
    noun: "notification",
    summary: "Mark one notification as read",
    successes: marked,
    run: async (tx, { id }) => await markRead(tx, [id]),
  }),
];

async function markRead(tx: Tx, ids: number[] | "all"): Promise<Answer> {
  const userId = requireUserId(tx.actor);
  if (ids === "all") await markAllNotificationsRead(tx, userId);
  else await markNotificationsRead(tx, userId, ids);
  return { data: { unread: await countUnread(tx, userId) } };
}
