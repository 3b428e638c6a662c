import type { Tx } from "../../db/transaction.ts";
import { NotificationRead } from "../../db/entities/notification.ts";
import { errorNumber, notFound } from "../errors.ts";
import { renderNotification, type NotificationKind } from "../model/notification.ts";
import { recordChange } from "./changes.ts";
import { contactName } from "./contact-records.ts";
import { placeholders } from "./sql.ts";

/** Something people should know, once. */
export interface NotificationRecord {
  kind: NotificationKind;
  /** What its words are made of: names, counts and codes. */
  params: Record<string, string | number | null>;
  /** A second one with the same key in the account changes nothing. */
  dedupeKey: string;
  /** What the bell folds together. */
  groupKey: string;
  deliveryId: number | null;
  subscriptionId: number | null;
  conversationId?: number | null;
  /** The one person it is for; null: everyone in the account. */
  userId?: number | null;
  adminsOnly?: boolean;
}

/** A notification as the Dashboard reads it. */
export interface NotificationView {
  id: number;
  kind: NotificationKind;
  delivery_id: number | null;
  subscription_id: number | null;
  conversation_id: number | null;
  title: string;
  body: string;
  params: Record<string, string | number | null>;
  /** Whom the conversation is with, by name; null without one. */
  contact_name: string | null;
  group_key: string;
  read_at: string | null;
  created_at: string;
}

/**
 * Records a notification; however often it is called, one `dedupeKey` makes one row.
 * @returns whether it is a new one.
 */
export async function recordNotification(tx: Tx, record: NotificationRecord): Promise<boolean> {
  const { conversationId = null, userId = null, adminsOnly = false } = record;
  const insert = tx.manager.query(
    `INSERT INTO notifications (account_id, kind, params, dedupe_key, group_key, delivery_id, subscription_id,
            conversation_id, user_id, admins_only, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      tx.actor.accountId,
      record.kind,
      JSON.stringify(record.params),
      record.dedupeKey,
      record.groupKey,
      record.deliveryId,
      record.subscriptionId,
      conversationId,
      userId,
      adminsOnly,
      tx.now,
    ],
  );
  // ON DUPLICATE KEY would count a known row like a new one: the driver asks MySQL for found rows.
  if (!(await isNew(insert))) return false;
  await recordChange(tx, { kind: "notification.created", conversationId });
  return true;
}

/** When the newest notification with one of these keys was recorded in the account; null: none was. */
export async function lastToldAt(tx: Tx, dedupeKeys: string[]): Promise<Date | null> {
  const [row] = await tx.manager.query<{ created_at: Date }[]>(
    `SELECT created_at FROM notifications WHERE account_id = ? AND dedupe_key IN (${placeholders(dedupeKeys)})
      ORDER BY id DESC LIMIT 1`,
    [tx.actor.accountId, ...dedupeKeys],
  );
  return row?.created_at ?? null;
}

/** A refused duplicate undoes its own statement alone: the transaction goes on. */
async function isNew(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert;
    return true;
  } catch (error) {
    if (errorNumber(error) === 1062) return false;
    throw error;
  }
}

/** A notification as stored, with its conversation's contact and when a person has read it. */
export interface NotificationRow {
  contact_id: number | null;
  contact_name: string | null;
  contact_phone: string | null;
  contact_email: string | null;
  id: number;
  kind: NotificationKind;
  params: Record<string, string | number | null>;
  group_key: string;
  delivery_id: number | null;
  subscription_id: number | null;
  conversation_id: number | null;
  created_at: Date;
  read_at: Date | null;
}

/**
 * The account's notifications, newest first, with whether this person has read them. The index is
 * forced because the optimiser takes the other one of the account's, and sorts all it has.
 */
export async function listNotifications(
  tx: Tx,
  userId: number,
  { limit, offset, ...filter }: { limit: number; offset: number } & NotificationFilter,
): Promise<{ views: NotificationView[]; total: number; unread: number }> {
  const { from, where, values } = conditionsOf(tx, userId, filter);
  const rows = await tx.manager.query<NotificationRow[]>(
    `SELECT n.*, r.read_at, ${contactColumns} FROM ${from}
       LEFT JOIN notification_reads r ON r.notification_id = n.id AND r.user_id = ?
       ${joinContact}
      WHERE ${where} ORDER BY n.id DESC LIMIT ? OFFSET ?`,
    [userId, ...values, limit, offset],
  );
  const total = await countNotifications(tx, userId, filter);
  const countsUnread = filter.unreadOnly && filter.groupKey === undefined;
  const unread = countsUnread ? total : await countUnread(tx, userId);
  return { views: rows.map(presentNotification), total, unread };
}

/** Joins the conversation `c` of a notification `n`, and its contact `k`. */
export const joinContact = `LEFT JOIN conversations c ON c.id = n.conversation_id AND c.account_id = n.account_id
       LEFT JOIN contacts k ON k.id = c.contact_id`;

/** What names the contact. */
export const contactColumns =
  "k.id AS contact_id, k.name AS contact_name, k.phone AS contact_phone, k.email AS contact_email";

/** Which notifications of those that a person may read; all, where nothing is given. */
interface NotificationFilter {
  unreadOnly?: boolean;
  groupKey?: string | undefined;
}

function conditionsOf(tx: Tx, userId: number, { unreadOnly, groupKey }: NotificationFilter) {
  const { where, values } = addressedTo(tx, userId);
  const grouped = groupKey !== undefined;
  const index = grouped ? "notifications_group" : "notifications_account";
  const unread = `NOT EXISTS (
    SELECT 1 FROM notification_reads seen WHERE seen.user_id = ? AND seen.notification_id = n.id)`;
  return {
    from: `notifications n FORCE INDEX (${index})`,
    where: [where, ...(grouped ? ["n.group_key = ?"] : []), ...(unreadOnly ? [unread] : [])].join(
      " AND ",
    ),
    values: [...values, ...(grouped ? [groupKey] : []), ...(unreadOnly ? [userId] : [])],
  };
}

/** What a person may read: the account's notifications `n` without those for others. */
export function addressedTo(tx: Tx, userId: number): { where: string; values: unknown[] } {
  const isAdmin = tx.actor.type === "user" && tx.actor.role === "admin";
  return {
    where: `n.account_id = ? AND (n.user_id IS NULL OR n.user_id = ?)${isAdmin ? "" : " AND n.admins_only = 0"}`,
    values: [tx.actor.accountId, userId],
  };
}

async function countNotifications(
  tx: Tx,
  userId: number,
  filter: NotificationFilter,
): Promise<number> {
  const { from, where, values } = conditionsOf(tx, userId, filter);
  const [count] = await tx.manager.query<{ total: number }[]>(
    `SELECT COUNT(*) AS total FROM ${from} WHERE ${where}`,
    values,
  );
  return Number(count?.total ?? 0);
}

/** How many notifications of the account this person has yet to read. */
export async function countUnread(tx: Tx, userId: number): Promise<number> {
  return await countNotifications(tx, userId, { unreadOnly: true });
}

/** Marks as read, for one person. Ids of other accounts count as unknown. @throws AppError `notification_not_found` */
export async function markNotificationsRead(tx: Tx, userId: number, ids: number[]): Promise<void> {
  const { where, values } = addressedTo(tx, userId);
  const known = await tx.manager.query<{ id: number }[]>(
    `SELECT n.id FROM notifications n WHERE ${where} AND n.id IN (${placeholders(ids)})`,
    [...values, ...ids],
  );
  if (known.length !== new Set(ids).size) throw notFound("notification");
  const reads = known.map(({ id }) => ({ userId, notificationId: id, readAt: tx.now }));
  await tx.manager
    .createQueryBuilder()
    .insert()
    .orIgnore()
    .into(NotificationRead)
    .values(reads)
    .execute();
}

/** Marks everything recorded so far as read, for one person. */
export async function markAllNotificationsRead(tx: Tx, userId: number): Promise<void> {
  const { where, values } = addressedTo(tx, userId);
  await tx.manager.query(
    `INSERT IGNORE INTO notification_reads (user_id, notification_id, read_at)
     SELECT ?, n.id, ? FROM notifications n WHERE ${where}`,
    [userId, tx.now, ...values],
  );
}

/** A notification in an answer. */
export function presentNotification(row: NotificationRow): NotificationView {
  const name = nameOf(row);
  return {
    id: row.id,
    kind: row.kind,
    delivery_id: row.delivery_id,
    subscription_id: row.subscription_id,
    conversation_id: row.conversation_id,
    ...renderNotification(row.kind, row.params, name),
    params: row.params,
    contact_name: name,
    group_key: row.group_key,
    read_at: row.read_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

function nameOf(row: NotificationRow): string | null {
  const { contact_id: id, contact_name: name, contact_phone: phone, contact_email: email } = row;
  return id === null ? null : contactName({ id, name, phone, email });
}
