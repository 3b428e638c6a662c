import { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import { Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { CalendarDirection, OtherEvents } from "../../model/calendar.ts";
import { recordAudit } from "../accounts/audit.ts";
import { recordNotification } from "../notifications/notifications.ts";
import { recordChange } from "../outbox/changes.ts";
import { findOwned, insertRow } from "../sql.ts";

/** A calendar for an agenda. */
export interface NewCalendarLink {
  resourceId: number;
  calendarId: string;
  name: string;
  direction: CalendarDirection;
  otherEvents: OtherEvents;
}

/** A link that may be written to, with the connection that holds its credentials. */
export interface ConnectedLink {
  link: CalendarLink;
  connection: CalendarConnection;
}

/** Keeps a resource on a calendar of a Google account. A resource has at most one calendar. */
export async function createCalendarLink(
  tx: Tx,
  connectionId: number,
  { resourceId, calendarId, name, direction, otherEvents }: NewCalendarLink,
): Promise<number> {
  const { accountId } = tx.actor;
  const provider = "google";
  const id = await insertRow(tx, CalendarLink, {
    accountId,
    connectionId,
    resourceId,
    provider,
    calendarId,
    name,
    direction,
    otherEvents,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  await recordAudit(tx, {
    action: "calendar_link.created",
    targetType: "calendar_link",
    targetId: id,
    details: { resource_id: resourceId, connection_id: connectionId, provider, direction },
  });
  return id;
}

/**
 * Marks a calendar as disconnected and notifies the admins, because the account has lost the
 * calendar. Does nothing if the calendar was connected again meanwhile.
 */
export async function disconnectCalendarLink(tx: Tx, link: CalendarLink): Promise<void> {
  const { id, version, resourceId } = link;
  const { accountId } = tx.actor;
  const { affected } = await tx.manager.update(
    CalendarLink,
    { id, version, accountId, state: "connected" },
    { state: "disconnected", version: version + 1, updatedAt: tx.now },
  );
  if (affected === 0) return;
  const resource = await tx.manager.findOneBy(Resource, { id: resourceId, accountId });
  await recordChange(tx, { kind: "calendar.updated" });
  await recordNotification(tx, {
    kind: "calendar_disconnected",
    params: { resource_id: resourceId, resource_name: resource?.name ?? null },
    dedupeKey: `calendar_disconnected:${id}:${version}`,
    groupKey: `calendar:${id}`,
    deliveryId: null,
    subscriptionId: null,
    adminsOnly: true,
  });
}

/**
 * The calendar that a resource's appointments are written to; null if there is none, it is
 * disconnected, or it is only read.
 */
export async function findWritableLink(tx: Tx, resourceId: number): Promise<ConnectedLink | null> {
  const link = await findOwned(tx, CalendarLink, { resourceId, state: "connected" });
  return link === null || link.direction === "busy_only" ? null : await withConnection(tx, link);
}

/** A connected link by its id, whatever its direction, with its connection; else null. */
export async function findConnectedLink(tx: Tx, id: number): Promise<ConnectedLink | null> {
  const link = await findOwned(tx, CalendarLink, { id, state: "connected" });
  return link === null ? null : await withConnection(tx, link);
}

async function withConnection(tx: Tx, link: CalendarLink): Promise<ConnectedLink | null> {
  const connection = await findOwned(tx, CalendarConnection, {
    id: link.connectionId,
    state: "connected",
  });
  return connection === null ? null : { link, connection };
}
