import type { Tx } from "../../../db/transaction.ts";
import { NotificationRead } from "../../../db/entities/notification.ts";
import { errorNumber, mysqlError, notFound } from "../../errors.ts";
import { renderNotification, type NotificationKind } from "../../model/notification.ts";
import { mostCounted } from "../../model/wire.ts";
import type { LogBounds, LogPage } from "../../model/page.ts";
import type { NotificationView } from "../../model/views/dashboard.ts";
import type { NotificationSurface } from "../../model/notification-preferences.ts";
import { listHiddenKinds } from "../accounts/notification-preferences.ts";
import { recordChange } from "../outbox/changes.ts";
import { contactName } from "../contacts/contact-records.ts";
import { countRows, countUpTo, cutPage, placeholders, type SqlPart } from "../sql.ts";

/** A notification to record once. */
export interface NotificationRecord {
  kind: NotificationKind;
  /** Values for its texts: names, counts and codes. */
  params: Record<string, string | number | null>;
  /** A second notification with the same key in the account changes nothing. */
  dedupeKey: string;
  /** Key by which the bell groups notifications. */
  groupKey: string;
  deliveryId: number | null;
  subscriptionId: number | null;
  conversationId?: number | null;
  appointmentId?: number | null;
  /** The only reader; null: every member of the account. */
  userId?: number | null;
  adminsOnly?: boolean;
}

/**
 * Records a notification. Any number of calls with one `dedupeKey` makes one row.
 * @returns true for a new notification.
 */
export async function recordNotification(tx: Tx, record: NotificationRecord): Promise<boolean> {
  const { conversationId = null, appointmentId = null, userId = null, adminsOnly = false } = record;
  const insert = tx.manager.query(
    `INSERT INTO notifications (account_id, kind, params, dedupe_key, group_key, delivery_id, subscription_id,
            conversation_id, appointment_id, user_id, admins_only, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      tx.actor.accountId,
      record.kind,
      JSON.stringify(record.params),
      record.dedupeKey,
      record.groupKey,
      record.deliveryId,
      record.subscriptionId,
      conversationId,
      appointmentId,
      userId,
      adminsOnly,
      tx.now,
    ],
  );
  // ON DUPLICATE KEY would count a known row like a new row: the driver asks MySQL for found rows.
  if (!(await isNew(insert))) return false;
  await recordChange(tx, { kind: "notification.created", conversationId });
  return true;
}

/** Time of the newest notification of the account with one of these keys; null without any. */
export async function lastToldAt(tx: Tx, dedupeKeys: string[]): Promise<Date | null> {
  const [row] = await tx.manager.query<{ created_at: Date }[]>(
    `SELECT created_at FROM notifications WHERE account_id = ? AND dedupe_key IN (${placeholders(dedupeKeys)})
      ORDER BY id DESC LIMIT 1`,
    [tx.actor.accountId, ...dedupeKeys],
  );
  return row?.created_at ?? null;
}

/** A duplicate rolls back its own statement alone; the transaction continues. */
async function isNew(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert;
    return true;
  } catch (error) {
    if (errorNumber(error) === mysqlError.duplicateKey) return false;
    throw error;
  }
}

/**
 * A notification as stored, with its conversation's contact, its appointment's customer, and the
 * time at which a person read it.
 */
export interface NotificationRow {
  contact_id: number | null;
  contact_name: string | null;
  contact_phone: string | null;
  contact_email: string | null;
  customer_name: string | null;
  id: number;
  kind: NotificationKind;
  params: Record<string, string | number | null>;
  group_key: string;
  delivery_id: number | null;
  subscription_id: number | null;
  conversation_id: number | null;
  appointment_id: number | null;
  created_at: Date;
  read_at: Date | null;
}

/**
 * The account's notifications, newest first, with the time at which this person read each. The
 * index is forced because the optimiser takes the account's other index, and sorts all rows of the
 * account.
 */
export async function listNotifications(
  tx: Tx,
  userId: number,
  { limit, before_id: beforeId, surface = "app", ...filter }: LogBounds & NotificationFilter,
): Promise<LogPage<NotificationView>> {
  const hidden = await listHiddenKinds(tx, userId, surface);
  const { from, where, values } = conditionsOf(tx, userId, { ...filter, hidden });
  const before =
    beforeId === undefined ? { sql: "", values: [] } : { sql: " AND n.id < ?", values: [beforeId] };
  const rows = await tx.manager.query<NotificationRow[]>(
    `SELECT n.*, r.read_at, ${contactColumns} FROM ${from}
       LEFT JOIN notification_reads r ON r.notification_id = n.id AND r.user_id = ?
       ${joinContact}
      WHERE ${where}${before.sql} ORDER BY n.id DESC LIMIT ?`,
    [userId, ...values, ...before.values, limit + 1],
  );
  const { page, next } = cutPage(rows, limit);
  const all = { sql: `FROM ${from} WHERE ${where}`, values };
  const count = await countUpTo(tx, all, { cap: mostCounted, known: page.length });
  return { rows: page.map(presentNotification), next: next?.id ?? null, ...count };
}

/**
 * Joins the conversation `c` of a notification `n`, its contact `k`, and the appointment `p` of the
 * notification.
 */
export const joinContact = `LEFT JOIN conversations c ON c.id = n.conversation_id AND c.account_id = n.account_id
       LEFT JOIN contacts k ON k.id = c.contact_id
       LEFT JOIN appointments p ON p.id = n.appointment_id AND p.account_id = n.account_id`;

/** Columns that name the contact `k`, or the customer of the appointment `p`. */
export const contactColumns =
  "k.id AS contact_id, k.name AS contact_name, k.phone AS contact_phone, k.email AS contact_email, p.customer_name";

/** Filters of the notifications that a person may read; without a filter all. */
interface NotificationFilter {
  unreadOnly?: boolean;
  groupKey?: string | undefined;
  /** Leaves out kinds that the person does not want to see there. Default: the app. */
  surface?: NotificationSurface;
}

function conditionsOf(
  tx: Tx,
  userId: number,
  { unreadOnly, groupKey, hidden }: NotificationFilter & { hidden: NotificationKind[] },
) {
  const { where, values } = addressedTo(tx, userId, hidden);
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

/**
 * Condition for the notifications `n` of the account that a person may read.
 * @param hidden kinds to leave out.
 */
export function addressedTo(
  tx: Tx,
  userId: number,
  hidden: NotificationKind[] = [],
): { where: string; values: unknown[] } {
  const isAdmin = tx.actor.type === "user" && tx.actor.role === "admin";
  return {
    where: `n.account_id = ? AND (n.user_id IS NULL OR n.user_id = ?)${isAdmin ? "" : " AND n.admins_only = 0"}${
      hidden.length === 0 ? "" : ` AND n.kind NOT IN (${placeholders(hidden)})`
    }`,
    values: [tx.actor.accountId, userId, ...hidden],
  };
}

/** Number of the newest notifications that this person has not read. */
export async function countUnread(tx: Tx, userId: number): Promise<number> {
  const { sql, values } = await newestNotifications(tx, userId);
  return await countRows(tx, {
    sql: `FROM (${sql}) n WHERE NOT EXISTS (
      SELECT 1 FROM notification_reads seen WHERE seen.user_id = ? AND seen.notification_id = n.id)`,
    values: [...values, userId],
  });
}

/**
 * The newest notifications that a person may read and wants to see in the app. No more than
 * `mostCounted` are ever counted or grouped.
 */
export async function newestNotifications(tx: Tx, userId: number): Promise<SqlPart> {
  const { where, values } = addressedTo(tx, userId, await listHiddenKinds(tx, userId, "app"));
  return {
    sql: `SELECT n.id, n.group_key FROM notifications n FORCE INDEX (notifications_account)
           WHERE ${where} ORDER BY n.id DESC LIMIT ?`,
    values: [...values, mostCounted],
  };
}

/**
 * Marks notifications as read, for one person. Ids of other accounts count as unknown.
 * @throws AppError `notification_not_found`
 */
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

/** Marks all notifications recorded so far as read, for one person. */
export async function markAllNotificationsRead(tx: Tx, userId: number): Promise<void> {
  const { where, values } = addressedTo(tx, userId);
  const from = `notifications n FORCE INDEX (notifications_account) WHERE ${where}`;
  await markReadInBatches(tx, userId, { sql: from, values });
}

/** Notifications per statement, so that each statement ends within its time limit. */
const readsAtOnce = 10_000;

/**
 * Marks notifications as read for one person, the newest first.
 * @param from the statement from its table on.
 */
export async function markReadInBatches(
  tx: Tx,
  userId: number,
  { sql: from, values }: SqlPart,
): Promise<void> {
  for (let before = Number.MAX_SAFE_INTEGER, first = 1; first > 0; before = first) {
    const [edge] = await tx.manager.query<{ id: number }[]>(
      `SELECT n.id FROM ${from} AND n.id < ? ORDER BY n.id DESC LIMIT 1 OFFSET ?`,
      [...values, before, readsAtOnce - 1],
    );
    first = Number(edge?.id ?? 0);
    await tx.manager.query(
      `INSERT IGNORE INTO notification_reads (user_id, notification_id, read_at)
       SELECT ?, n.id, ? FROM ${from} AND n.id < ? AND n.id >= ?`,
      [userId, tx.now, ...values, before, first],
    );
  }
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
    appointment_id: row.appointment_id,
    ...renderNotification(row.kind, row.params, name),
    params: row.params,
    contact_id: row.contact_id,
    contact_name: name,
    group_key: row.group_key,
    read_at: row.read_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

function nameOf(row: NotificationRow): string | null {
  const { contact_id: id, contact_name: name, contact_phone: phone, contact_email: email } = row;
  return id === null ? row.customer_name : contactName({ id, name, phone, email });
}
