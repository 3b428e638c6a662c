import { isDeepStrictEqual } from "node:util";
import { IsNull, Not } from "typeorm";
import { Appointment, AppointmentReschedule } from "../../../db/entities/appointment.ts";
import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import { Resource, ResourceClosure, ServiceResource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ResourceCreateBody, ResourcePatchBody } from "../../model/resource.ts";
import { isOpen } from "../../model/slots.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { recordAgendaChange } from "./agenda-changes.ts";
import { getAccount } from "../accounts/accounts.ts";
import { findPage, getOwned, insertRow, lockOwned } from "../sql.ts";
import { loadOpeningHours } from "./resource-times.ts";
import { auditOf } from "../accounts/audit.ts";
import { requireRoom } from "../accounts/require-room.ts";

const audit = auditOf("resource");

/** The account's resources, oldest first. */
export async function listResources(
  tx: Tx,
  { archived, ...page }: PageBounds & { archived: boolean },
): Promise<Page<Resource>> {
  return await findPage(tx, Resource, page, {
    where: { accountId: tx.actor.accountId, archivedAt: archived ? Not(IsNull()) : IsNull() },
    order: { id: "ASC" },
  });
}

/** @throws AppError `resource_not_found` */
export async function getResource(tx: Tx, id: number): Promise<Resource> {
  return await getOwned(tx, Resource, "resource", { id });
}

/** Maximum number of resources that are not archived. Free times are computed for all of them. */
const maxResources = 200;
const limit = {
  max: maxResources,
  code: "too_many_resources",
  message: `An account has at most ${maxResources} resources. Archive one first.`,
};

/** Adds a resource. @throws AppError `validation_error` for the 201st that is not archived */
export async function createResource(tx: Tx, body: ResourceCreateBody): Promise<Resource> {
  await requireRoom(tx, Resource, { archivedAt: IsNull() }, limit);
  const row = tx.manager.create(Resource, {
    accountId: tx.actor.accountId,
    name: body.name,
    timeZone: body.time_zone ?? (await getAccount(tx)).timeZone,
    weeklyHours: body.weekly_hours,
    archivedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertRow(tx, Resource, row);
  await recordAgendaChange(tx, audit("created", row.id, { name: row.name }));
  return row;
}

/** Changes the fields sent. Appointments stay, even outside the new hours. */
export async function updateResource(
  tx: Tx,
  id: number,
  patch: ResourcePatchBody,
): Promise<Resource> {
  const row = await lockOwned(tx, Resource, "resource", { id });
  const { name, timeZone, weeklyHours, archivedAt } = row;
  const before = { name, timeZone, weeklyHours, archivedAt };
  const archived = patch.archived ?? archivedAt !== null;
  if (archivedAt !== null && !archived) {
    await requireRoom(tx, Resource, { archivedAt: IsNull() }, limit);
  }
  const after = {
    name: patch.name ?? name,
    timeZone: patch.time_zone ?? timeZone,
    weeklyHours: patch.weekly_hours ?? weeklyHours,
    archivedAt: archived ? (archivedAt ?? tx.now) : null,
  };
  if (isDeepStrictEqual(after, before)) return row;
  const changed = { ...after, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(Resource, id, changed);
  await recordAgendaChange(tx, audit("updated", id, { fields: Object.keys(patch).toSorted() }));
  return Object.assign(row, changed);
}

/**
 * Deletes a resource with its closures, or archives it while it is in use. A resource is in use if
 * it was booked, an open move goes to it, a service names it, or it has an external calendar. Without
 * its only resource a service would be given by all resources.
 * @returns true if archived.
 */
export async function deleteResource(tx: Tx, id: number): Promise<boolean> {
  const row = await lockOwned(tx, Resource, "resource", { id });
  const { accountId } = row;
  const inUse = { accountId, resourceId: id };
  if (
    (await tx.manager.existsBy(Appointment, inUse)) ||
    (await tx.manager.existsBy(AppointmentReschedule, { ...inUse, state: "requested" })) ||
    (await tx.manager.existsBy(ServiceResource, inUse)) ||
    (await tx.manager.existsBy(CalendarLink, inUse))
  ) {
    await updateResource(tx, id, { archived: true });
    return true;
  }
  await tx.manager.delete(ResourceClosure, inUse);
  await tx.manager.delete(Resource, { accountId, id });
  await recordAgendaChange(tx, audit("deleted", id, { name: row.name }));
  return false;
}

/** Number of coming confirmed appointments outside the opening hours of a resource. */
export async function countOutside(tx: Tx, resource: Resource): Promise<number> {
  const rows = await tx.manager.query<{ start: Date; end: Date }[]>(
    `SELECT start_time AS start, end_time AS end FROM appointments FORCE INDEX (appointments_resource)
      WHERE account_id = ? AND resource_id = ? AND start_time > ? AND status = 'confirmed'
      ORDER BY start_time`,
    [tx.actor.accountId, resource.id, tx.now],
  );
  const last = rows.reduce((latest, { end }) => (end > latest ? end : latest), tx.now);
  const opening = await loadOpeningHours(tx, resource, { start: tx.now, end: last });
  return rows.filter((interval) => !isOpen(opening, interval)).length;
}
