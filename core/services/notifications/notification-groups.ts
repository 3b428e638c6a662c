import type { Tx } from "../../../db/transaction.ts";
import { notFound } from "../../errors.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import type { NotificationGroupView } from "../../model/views/dashboard.ts";
import {
  addressedTo,
  contactColumns,
  joinContact,
  markReadInBatches,
  newestNotifications,
  presentNotification,
  type NotificationRow,
} from "./notifications.ts";
import { countAll, type SqlPart } from "../sql.ts";

type GroupRow = NotificationRow &
  Pick<NotificationGroupView, "delivery_state" | "subscription_state" | "conversation_status"> & {
    group_count: number;
    group_unread: number;
  };

/**
 * Notifications that a person may read, grouped by cause. The cause with the newest notification
 * comes first.
 */
export async function listNotificationGroups(
  tx: Tx,
  userId: number,
  page: PageBounds & { unreadOnly: boolean },
): Promise<Page<NotificationGroupView>> {
  const { sql, values } = await groupsOf(tx, userId, page.unreadOnly);
  const rows = await tx.manager.query<GroupRow[]>(
    `SELECT n.*, r.read_at, g.group_count, g.group_unread, d.state AS delivery_state,
            s.state AS subscription_state, c.status AS conversation_status, ${contactColumns}
       FROM (SELECT * FROM (${sql}) AS own ORDER BY newest_id DESC LIMIT ? OFFSET ?) AS g
       JOIN notifications n ON n.id = g.newest_id
       LEFT JOIN notification_reads r ON r.notification_id = n.id AND r.user_id = ?
       LEFT JOIN deliveries d ON d.id = n.delivery_id AND d.account_id = n.account_id
       LEFT JOIN subscriptions s ON s.id = n.subscription_id AND s.account_id = n.account_id
       ${joinContact}
      ORDER BY n.id DESC`,
    [...values, page.limit, page.offset, userId],
  );
  const count = await countAll(tx, { sql: `FROM (${sql}) AS own`, values });
  return { rows: rows.map(presentGroup), ...count };
}

/** Groups the newest notifications alone, so that a page costs the same in any account. */
async function groupsOf(tx: Tx, userId: number, unreadOnly: boolean): Promise<SqlPart> {
  const newest = await newestNotifications(tx, userId);
  const sql = `SELECT n.group_key, MAX(n.id) AS newest_id, COUNT(*) AS group_count,
           COUNT(*) - COUNT(seen.notification_id) AS group_unread
      FROM (${newest.sql}) n
      LEFT JOIN notification_reads seen ON seen.notification_id = n.id AND seen.user_id = ?
     GROUP BY n.group_key${unreadOnly ? " HAVING group_unread > 0" : ""}`;
  return { sql, values: [...newest.values, userId] };
}

function presentGroup(row: GroupRow): NotificationGroupView {
  return {
    group_key: row.group_key,
    count: Number(row.group_count),
    unread: Number(row.group_unread),
    newest: presentNotification(row),
    delivery_state: row.delivery_state,
    subscription_state: row.subscription_state,
    conversation_status: row.conversation_status,
  };
}

/**
 * Marks the notifications of one cause as read, for one person, up to the newest one that they saw.
 * Later notifications stay unread.
 * @throws AppError `notification_not_found` where the person may read no notification of that cause
 */
export async function markGroupRead(
  tx: Tx,
  userId: number,
  { groupKey, throughId }: { groupKey: string; throughId: number },
): Promise<void> {
  const { where, values } = addressedTo(tx, userId);
  const from = `notifications n FORCE INDEX (notifications_group) WHERE ${where} AND n.group_key = ?`;
  const known = await tx.manager.query<unknown[]>(`SELECT 1 FROM ${from} LIMIT 1`, [
    ...values,
    groupKey,
  ]);
  if (known.length === 0) throw notFound("notification");
  const seen = { sql: `${from} AND n.id <= ?`, values: [...values, groupKey, throughId] };
  await markReadInBatches(tx, userId, seen);
}
