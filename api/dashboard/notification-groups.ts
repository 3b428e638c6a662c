import { z } from "zod";
import { flagInQuery, listMeta, pageParameters, recordId } from "../../core/model/wire.ts";
import { requireUserId } from "../../core/services/accounts/actor.ts";
import {
  listNotificationGroups,
  markGroupRead,
} from "../../core/services/notifications/notification-groups.ts";
import { countUnread } from "../../core/services/notifications/notifications.ts";
import { route } from "../http/route.ts";
import { agent } from "./access.ts";
import { groupKeyInput } from "./inputs.ts";
import { notificationGroupView } from "../../core/model/views/dashboard.ts";

const tag = "Notifications";
const unread = z.int().min(0).describe("Notifications that the person has yet to read, in all.");

/** Notifications grouped by cause: one subscription that fails, one conversation that waits. */
export const notificationGroupRoutes = [
  route({
    method: "GET",
    path: "/notification-groups",
    access: agent,
    tag,
    summary: "List causes of notifications, those with the newest first",
    query: z.object({ unread: flagInQuery.default(false), ...pageParameters }),
    successes: {
      200: {
        description: "Rows.",
        data: z.array(notificationGroupView),
        meta: listMeta.extend({ unread }),
      },
    },
    run: async (tx, { query }) => {
      const { limit, offset, unread: unreadOnly } = query;
      const userId = requireUserId(tx.actor);
      const page = { limit, offset, unreadOnly };
      const { groups, total } = await listNotificationGroups(tx, userId, page);
      const meta = { total, limit, offset, unread: await countUnread(tx, userId) };
      return { data: groups, meta };
    },
  }),
  route({
    method: "POST",
    path: "/notification-groups/read",
    access: agent,
    tag,
    summary: "Mark what was seen of one cause as read",
    body: z.strictObject({
      group_key: groupKeyInput,
      through_id: recordId.describe("The newest that was seen; what came after stays unread."),
    }),
    successes: { 200: { description: "Marked.", data: z.strictObject({ unread }) } },
    errors: ["notification_not_found"],
    run: async (tx, { body }) => {
      const userId = requireUserId(tx.actor);
      const seen = { groupKey: body.group_key, throughId: body.through_id };
      await markGroupRead(tx, userId, seen);
      return { data: { unread: await countUnread(tx, userId) } };
    },
  }),
];
