import { In } from "typeorm";
import { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import { Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField, type ErrorDetail } from "../../errors.ts";
import type { GoogleLinksBody } from "../../model/calendar-connection.ts";
import type { ListedCalendar } from "../../model/google-consent.ts";
import { recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { getOwned, lockOwned } from "../sql.ts";
import { createCalendarLink } from "./calendar-links.ts";
import { beginLink, endLink } from "./link-lifecycle.ts";

type WantedLink = GoogleLinksBody["links"][number];

/** A wanted link with its place in the body, and the link that it changes. */
interface PlannedLink {
  path: string;
  wanted: WantedLink;
  /** The link between the same calendar and agenda; null for a new pair. */
  known: CalendarLink | null;
}

/**
 * Makes the list the calendars of a Google account. A link that is not in the list ends, and its
 * appointments stay. An agenda leaves a calendar of another account only if that is disconnected.
 * @param listed the calendars of the account, or null if none of the list is new
 * @throws AppError `calendar_connection_not_found`, `calendar_disconnected`, `validation_error`
 */
export async function replaceGoogleLinks(
  tx: Tx,
  connectionId: number,
  { links }: GoogleLinksBody,
  listed: readonly ListedCalendar[] | null,
): Promise<void> {
  const resources = await lockLinkedResources(tx, links);
  const connection = await lockOwned(tx, CalendarConnection, "calendar_connection", {
    id: connectionId,
    provider: "google",
  });
  if (connection.state !== "connected") throw new AppError("calendar_disconnected");
  const rows = await lockLinks(tx, connection);
  const planned = planLinks(rows, links, listed);
  requireResources(resources, planned);
  await leaveOthers(tx, connection, planned);
  for (const row of rows) {
    if (!planned.some(({ known }) => known?.id === row.id)) await removeLink(tx, row);
  }
  for (const { wanted, known } of planned) {
    if (known === null) await addLink(tx, connection, wanted, listed);
    else await changeLink(tx, known, wanted);
  }
  await recordChange(tx, { kind: "calendar.updated" });
}

/** A connection to Google. @throws AppError `calendar_connection_not_found` */
export async function getGoogleConnection(tx: Tx, id: number): Promise<CalendarConnection> {
  return await getOwned(tx, CalendarConnection, "calendar_connection", { id, provider: "google" });
}

/** Begins every link of an account that was connected again. */
export async function resumeLinks(tx: Tx, connection: CalendarConnection): Promise<void> {
  for (const link of await lockLinks(tx, connection)) await beginLink(tx, link);
}

/** Ends every link of an account that an admin disconnects. The rows stay. */
export async function pauseLinks(tx: Tx, connection: CalendarConnection): Promise<void> {
  for (const link of await lockLinks(tx, connection)) await endLink(tx, link);
}

/** @returns true if the list names a calendar that no link of the connection has */
export async function hasNewCalendar(
  tx: Tx,
  connectionId: number,
  { links }: GoogleLinksBody,
): Promise<boolean> {
  const known = await tx.manager.findBy(CalendarLink, {
    connectionId,
    accountId: tx.actor.accountId,
  });
  return links.some(({ calendar_id: id }) => !known.some(({ calendarId }) => calendarId === id));
}

async function lockLinks(tx: Tx, { id, accountId }: CalendarConnection): Promise<CalendarLink[]> {
  return await tx.manager.find(CalendarLink, {
    where: { connectionId: id, accountId },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
}

/** @throws AppError `validation_error` naming each calendar that the account cannot take */
function planLinks(
  rows: readonly CalendarLink[],
  links: readonly WantedLink[],
  listed: readonly ListedCalendar[] | null,
): PlannedLink[] {
  const faults: ErrorDetail[] = [];
  const planned = links.map((given, index) => {
    const wanted = { ...given, calendar_id: idOf(given, listed) };
    const { calendar_id: calendarId, resource_id: resourceId } = wanted;
    const path = `body.links.${index}`;
    const earlier = links.slice(0, index);
    if (earlier.some((one) => idOf(one, listed) === calendarId))
      faults.push(faultOf(`${path}.calendar_id`, "duplicate_calendar"));
    if (earlier.some((one) => one.resource_id === resourceId))
      faults.push(faultOf(`${path}.resource_id`, "duplicate_resource"));
    const ofCalendar = rows.find((row) => row.calendarId === calendarId);
    const found = listed?.find((one) => one.calendarId === calendarId);
    if (ofCalendar === undefined && found === undefined)
      faults.push(faultOf(`${path}.calendar_id`, "calendar_unknown"));
    if (found?.isWritable === false && wanted.direction !== "busy_only")
      faults.push(faultOf(`${path}.direction`, "calendar_not_writable"));
    const known = ofCalendar?.resourceId === resourceId ? ofCalendar : null;
    return { path, wanted, known };
  });
  if (faults.length > 0) throw new AppError("validation_error", { details: faults });
  return planned;
}

/** Google takes `primary` for the main calendar of an account, whose id is its address. */
function idOf({ calendar_id: id }: WantedLink, listed: readonly ListedCalendar[] | null): string {
  if (id !== "primary") return id;
  return listed?.find(({ isPrimary }) => isPrimary)?.calendarId ?? id;
}

/**
 * Takes a shared lock on the resources, so that none is deleted before its link is stored.
 * Resources come before links, the lock order of a reading.
 */
async function lockLinkedResources(tx: Tx, links: readonly WantedLink[]): Promise<Resource[]> {
  const ids = links.map(({ resource_id: id }) => id);
  return await tx.manager.find(Resource, {
    where: { id: In(ids), accountId: tx.actor.accountId },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_read" },
  });
}

/** @throws AppError `validation_error` for an agenda that is unknown or archived */
function requireResources(rows: readonly Resource[], planned: readonly PlannedLink[]): void {
  for (const { path, wanted, known } of planned) {
    const row = rows.find(({ id }) => id === wanted.resource_id);
    const isOpen = row !== undefined && (row.archivedAt === null || known !== null);
    if (!isOpen) throw faultAt(`${path}.resource_id`, "unknown_resource");
  }
}

/** @throws AppError `validation_error` for an agenda that another account keeps */
async function leaveOthers(
  tx: Tx,
  connection: CalendarConnection,
  planned: readonly PlannedLink[],
): Promise<void> {
  const ids = planned.map(({ wanted }) => wanted.resource_id);
  const rows = await tx.manager.find(CalendarLink, {
    where: { resourceId: In(ids), accountId: connection.accountId },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  for (const row of rows.filter(({ connectionId }) => connectionId !== connection.id)) {
    const taken = planned.find(({ wanted }) => wanted.resource_id === row.resourceId);
    if (row.state === "connected" && taken !== undefined)
      throw faultAt(`${taken.path}.resource_id`, "resource_linked");
    await removeLink(tx, row);
  }
}

async function removeLink(tx: Tx, link: CalendarLink): Promise<void> {
  await endLink(tx, link);
  await tx.manager.delete(CalendarLink, { id: link.id, accountId: link.accountId });
  await recordAudit(tx, {
    action: "calendar_link.deleted",
    targetType: "calendar_link",
    targetId: link.id,
    details: { resource_id: link.resourceId, connection_id: link.connectionId },
  });
}

async function addLink(
  tx: Tx,
  connection: CalendarConnection,
  { calendar_id: calendarId, resource_id: resourceId, direction, other_events }: WantedLink,
  listed: readonly ListedCalendar[] | null,
): Promise<void> {
  const name = listed?.find((one) => one.calendarId === calendarId)?.name ?? calendarId;
  const id = await createCalendarLink(tx, connection.id, {
    resourceId,
    calendarId,
    name,
    direction,
    otherEvents: other_events,
  });
  await beginLink(tx, await tx.manager.findOneByOrFail(CalendarLink, { id }));
}

async function changeLink(
  tx: Tx,
  link: CalendarLink,
  { direction, other_events: otherEvents }: WantedLink,
): Promise<void> {
  const isSame =
    link.state === "connected" && link.direction === direction && link.otherEvents === otherEvents;
  if (isSame) return;
  const before = link.direction;
  Object.assign(link, { direction, otherEvents, state: "connected", version: link.version + 1 });
  const { id, accountId, state, version } = link;
  const columns = { direction, otherEvents, state, version, updatedAt: tx.now };
  await tx.manager.update(CalendarLink, { id, accountId }, columns);
  await recordAudit(tx, {
    action: "calendar_link.changed",
    targetType: "calendar_link",
    targetId: id,
    details: { from: before, to: direction, other_events: otherEvents },
  });
  await beginLink(tx, link);
}

const faultTexts = {
  calendar_not_writable: "The account may only read this calendar. Use the direction busy_only.",
  calendar_unknown: "The account has no such calendar.",
  duplicate_calendar: "This calendar is in the list already.",
  duplicate_resource: "This resource is in the list already.",
  resource_linked: "This resource is kept on a calendar of another account. Remove it there first.",
  unknown_resource: "There is no such resource.",
} as const;

function faultOf(path: string, code: keyof typeof faultTexts): ErrorDetail {
  return { path, code, message: faultTexts[code] };
}

function faultAt(path: string, code: keyof typeof faultTexts): AppError {
  return invalidField(path, code, faultTexts[code]);
}
