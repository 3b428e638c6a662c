import { User } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { minuteMs } from "../../model/durations.ts";
import type { MailKind } from "../../model/mail.ts";
import { actingUserId } from "../accounts/actor.ts";
import { queueMail } from "../accounts/mails.ts";
import {
  findMailReader,
  getNotificationPreference,
  listMailReaders,
} from "../accounts/notification-preferences.ts";
import { recordChange } from "../outbox/changes.ts";
import { recordNotification } from "./notifications.ts";

/** Kinds of notification about a conversation that one person gets. */
const personalKinds = ["message_received", "conversation_assigned", "mentioned"] as const;
type PersonalKind = (typeof personalKinds)[number];

/** The conversation of a notification. */
interface Place {
  id: number;
  contactId: number;
  channel: string;
}

/** Mails of one conversation about new messages go to one person at most this often. */
const messageMailMs = 10 * minuteMs;

/**
 * Notifies the assignee of a customer's message. A conversation has at most one unread notification
 * of this kind for a person, and at most one mail in 10 minutes. The conversation is locked, so two
 * messages at once are counted one after the other.
 */
export async function notifyOfMessage(
  tx: Tx,
  place: Place & { assignedToUserId: number | null },
  messageId: number,
): Promise<void> {
  const { assignedToUserId: userId } = place;
  if (userId === null) return;
  if (!(await hasUnread(tx, userId, place))) {
    const key = `message:${messageId}:${userId}`;
    await record(tx, "message_received", { place, userId, key, params: { message_id: messageId } });
  }
  const mailed = `new_message:${place.id}:${userId}`;
  if (await wasMailed(tx, mailed)) return;
  const to = { userId, conversationId: place.id, dedupeKey: `${mailed}:${messageId}` };
  await mail(tx, "message_received", "new_message", to);
}

/** Notifies a new assignee, unless they took the conversation, or no person gave it to them. */
export async function notifyOfAssignment(
  tx: Tx,
  place: Place & { version: number },
  userId: number | null,
): Promise<void> {
  const by = actingUserId(tx.actor);
  if (userId === null || by === null || by === userId) return;
  const key = `assigned:${place.id}:${place.version}`;
  await record(tx, "conversation_assigned", {
    place,
    userId,
    key,
    params: await actorParams(tx, by),
  });
  const to = { userId, conversationId: place.id, dedupeKey: key };
  await mail(tx, "conversation_assigned", "assigned", to);
}

/** Notifies the members whom a note names. Whoever names themselves gets no notification. */
export async function notifyOfMentions(
  tx: Tx,
  place: Place,
  { noteId, userIds }: { noteId: number; userIds: number[] },
): Promise<void> {
  const by = actingUserId(tx.actor);
  if (by === null) return;
  const params = { ...(await actorParams(tx, by)), note_id: noteId };
  for (const userId of userIds.filter((id) => id !== by)) {
    const key = `mention:${noteId}:${userId}`;
    await record(tx, "mentioned", { place, userId, key, params });
    const to = { userId, conversationId: place.id, dedupeKey: key };
    await mail(tx, "mentioned", "mentioned", to);
  }
}

/** Notifies all members of an appointment that no member has booked in the Dashboard. */
export async function notifyOfBooking(
  tx: Tx,
  appointment: { id: number; startTime: Date; source: string | null },
  resourceName: string,
): Promise<void> {
  const { id: appointmentId, startTime, source } = appointment;
  await recordNotification(tx, {
    kind: "appointment_booked",
    params: { resource_name: resourceName, start_time: startTime.toISOString(), source },
    dedupeKey: `booked:${appointmentId}`,
    groupKey: `appointment:${appointmentId}`,
    deliveryId: null,
    subscriptionId: null,
    appointmentId,
  });
  for (const userId of await listMailReaders(tx, "appointment_booked")) {
    const dedupeKey = `booked:${appointmentId}:${userId}`;
    await queueMail(tx, { kind: "booked", userId, appointmentId, dedupeKey });
  }
}

/**
 * Notifies all members of an appointment that an external calendar put over another one. A time is
 * told once.
 */
export async function notifyOfOverlap(
  tx: Tx,
  appointment: { id: number; startTime: Date; source: string | null },
  { resourceName, otherId }: { resourceName: string; otherId: number },
): Promise<void> {
  const { id: appointmentId, startTime, source } = appointment;
  const start = startTime.toISOString();
  await recordNotification(tx, {
    kind: "appointment_overlaps",
    params: { resource_name: resourceName, start_time: start, source, other_id: otherId },
    dedupeKey: `overlaps:${appointmentId}:${start}`,
    groupKey: `appointment:${appointmentId}`,
    deliveryId: null,
    subscriptionId: null,
    appointmentId,
  });
}

/**
 * Marks what a person was told of a conversation as read, once they have opened it. Notifications
 * for all members stay as they are.
 */
export async function markPlaceRead(
  tx: Tx,
  userId: number,
  { id: conversationId, contactId }: Pick<Place, "id" | "contactId">,
): Promise<void> {
  const unread = await tx.manager.query<{ id: number }[]>(
    `SELECT n.id FROM notifications n FORCE INDEX (notifications_group)
      WHERE n.account_id = ? AND n.group_key = ? AND n.user_id = ? AND n.kind IN (?, ?, ?)
        AND NOT EXISTS (SELECT 1 FROM notification_reads seen
             WHERE seen.user_id = n.user_id AND seen.notification_id = n.id)`,
    [tx.actor.accountId, groupOf(conversationId), userId, ...personalKinds],
  );
  if (unread.length === 0) return;
  await tx.manager.query(
    `INSERT IGNORE INTO notification_reads (user_id, notification_id, read_at)
     VALUES ${unread.map(() => "(?, ?, ?)").join(", ")}`,
    unread.flatMap(({ id }) => [userId, id, tx.now]),
  );
  await recordChange(tx, { kind: "notification.read", conversationId, contactId });
}

/** The newest one tells: a second is written only once the first was read. */
async function hasUnread(tx: Tx, userId: number, { id }: Place): Promise<boolean> {
  const [newest] = await tx.manager.query<{ unread: number }[]>(
    `SELECT NOT EXISTS (SELECT 1 FROM notification_reads seen
              WHERE seen.user_id = n.user_id AND seen.notification_id = n.id) AS unread
       FROM notifications n FORCE INDEX (notifications_group)
      WHERE n.account_id = ? AND n.group_key = ? AND n.user_id = ? AND n.kind = 'message_received'
      ORDER BY n.id DESC LIMIT 1`,
    [tx.actor.accountId, groupOf(id), userId],
  );
  return Number(newest?.unread ?? 0) === 1;
}

/**
 * True where there is a mail with such a key. A cancelled one does not count, since it was not sent.
 * The keys of one conversation and person are a range of the index, up to the next character.
 */
async function wasMailed(tx: Tx, prefix: string): Promise<boolean> {
  const since = new Date(tx.now.getTime() - messageMailMs);
  const rows = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM mails FORCE INDEX (mails_dedupe)
      WHERE account_id = ? AND dedupe_key > ? AND dedupe_key < ? AND created_at > ?
        AND state <> 'cancelled' LIMIT 1`,
    [tx.actor.accountId, `${prefix}:`, `${prefix};`, since],
  );
  return rows.length > 0;
}

interface PersonalRecord {
  place: Place;
  userId: number;
  key: string;
  params: Record<string, string | number>;
}

async function record(
  tx: Tx,
  kind: PersonalKind,
  { place, userId, key, params }: PersonalRecord,
): Promise<void> {
  const { app, desktop } = await getNotificationPreference(tx.manager, userId, kind);
  if (!app && !desktop) return;
  await recordNotification(tx, {
    kind,
    params: { conversation_id: place.id, channel: place.channel, ...params },
    dedupeKey: key,
    groupKey: groupOf(place.id),
    deliveryId: null,
    subscriptionId: null,
    conversationId: place.id,
    userId,
  });
}

async function mail(
  tx: Tx,
  kind: PersonalKind,
  mailKind: MailKind,
  to: { userId: number; conversationId: number; dedupeKey: string },
): Promise<void> {
  if ((await findMailReader(tx, to.userId, kind)) === null) return;
  await queueMail(tx, { kind: mailKind, ...to });
}

async function actorParams(tx: Tx, userId: number) {
  const { name } = await tx.manager.findOneByOrFail(User, { id: userId });
  return { actor_user_id: userId, actor_name: name };
}

function groupOf(conversationId: number): string {
  return `conversation:${conversationId}`;
}
