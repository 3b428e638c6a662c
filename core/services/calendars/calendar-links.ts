import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import { Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { CalendarCredentials, CalendarProvider } from "../../model/calendar.ts";
import type { SecretBox } from "../../secrets.ts";
import { recordAudit } from "../accounts/audit.ts";
import { recordNotification } from "../notifications/notifications.ts";
import { insertRow } from "../sql.ts";

/** Connects a resource to an external calendar. A resource has at most one calendar. */
export async function createCalendarLink(
  tx: Tx,
  secretBox: SecretBox,
  link: {
    resourceId: number;
    provider: CalendarProvider;
    calendarId: string;
    credentials: CalendarCredentials;
  },
): Promise<number> {
  const { resourceId, provider, calendarId, credentials } = link;
  const { accountId } = tx.actor;
  const context = calendarLinkContext(accountId, resourceId);
  const sealed = secretBox.seal(JSON.stringify(credentials), context);
  const id = await insertRow(tx, CalendarLink, {
    accountId,
    resourceId,
    provider,
    calendarId,
    sealed,
    keyId: secretBox.keyIdOf(sealed),
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  await recordAudit(tx, {
    action: "calendar_link.created",
    targetType: "calendar_link",
    targetId: id,
    details: { resource_id: resourceId, provider },
  });
  return id;
}

/**
 * Marks a calendar as disconnected and notifies the admins, because writes to the calendar are
 * refused. Does nothing if the calendar was connected again meanwhile.
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

/** The connected calendar of a resource; null if there is none, or it is disconnected. */
export async function findConnectedLink(tx: Tx, resourceId: number): Promise<CalendarLink | null> {
  return await tx.manager.findOneBy(CalendarLink, {
    resourceId,
    accountId: tx.actor.accountId,
    state: "connected",
  });
}

/** Context of sealed credentials: they open for the calendar of their own resource alone. */
export function calendarLinkContext(accountId: number, resourceId: number): string {
  return `calendar_links:sealed:${accountId}:${resourceId}`;
}
