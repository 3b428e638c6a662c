import { isDeepStrictEqual } from "node:util";
import { In, IsNull, Not } from "typeorm";
import { Appointment } from "../../../db/entities/appointment.ts";
import { Resource, Service, ServiceResource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import type { ServiceCreateBody, ServicePatchBody } from "../../model/resource.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { recordAgendaChange } from "./agenda-changes.ts";
import { countRows, findPage, getOwned, insertRow, lockOwned } from "../sql.ts";
import { auditOf } from "../accounts/audit.ts";

const audit = auditOf("service");

/** A service, and the resources that give it; an empty list means all. */
export interface OfferedService {
  row: Service;
  resourceIds: number[];
}

/** The account's services, oldest first. */
export async function listServices(
  tx: Tx,
  { archived, ...page }: PageBounds & { archived: boolean },
): Promise<Page<OfferedService>> {
  const found = await findPage(tx, Service, page, {
    where: { accountId: tx.actor.accountId, archivedAt: archived ? Not(IsNull()) : IsNull() },
    order: { id: "ASC" },
  });
  return { ...found, rows: await withResources(tx, found.rows) };
}

/** @throws AppError `service_not_found` */
export async function getService(tx: Tx, id: number): Promise<OfferedService> {
  return await withOwnResources(tx, await getOwned(tx, Service, "service", { id }));
}

/** Adds a service. @throws AppError `validation_error` with `unknown_resource`. */
export async function createService(tx: Tx, body: ServiceCreateBody): Promise<OfferedService> {
  await lockGivers(tx, body.resource_ids);
  const row = tx.manager.create(Service, {
    accountId: tx.actor.accountId,
    name: body.name,
    durationMinutes: body.duration_minutes,
    bufferBeforeMinutes: body.buffer_before_minutes,
    bufferAfterMinutes: body.buffer_after_minutes,
    stepMinutes: body.step_minutes,
    hue: body.hue,
    archivedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertRow(tx, Service, row);
  await storeResources(tx, row, body.resource_ids);
  await recordAgendaChange(tx, audit("created", row.id, { name: row.name }));
  return await withOwnResources(tx, row);
}

/** Changes the fields sent. Appointments keep their length and buffers. */
export async function updateService(
  tx: Tx,
  id: number,
  patch: ServicePatchBody,
): Promise<OfferedService> {
  await lockGivers(tx, patch.resource_ids ?? []);
  const row = await lockOwned(tx, Service, "service", { id });
  const { resourceIds } = await withOwnResources(tx, row);
  const archived = patch.archived ?? row.archivedAt !== null;
  const changed = {
    name: patch.name ?? row.name,
    durationMinutes: patch.duration_minutes ?? row.durationMinutes,
    bufferBeforeMinutes: patch.buffer_before_minutes ?? row.bufferBeforeMinutes,
    bufferAfterMinutes: patch.buffer_after_minutes ?? row.bufferAfterMinutes,
    stepMinutes: patch.step_minutes === undefined ? row.stepMinutes : patch.step_minutes,
    hue: patch.hue ?? row.hue,
    archivedAt: archived ? (row.archivedAt ?? tx.now) : null,
  };
  const wanted = patch.resource_ids?.toSorted((one, other) => one - other) ?? resourceIds;
  const before = Object.keys(changed).map((field): unknown => Reflect.get(row, field));
  const same = isDeepStrictEqual(Object.values(changed), before);
  if (same && isDeepStrictEqual(wanted, resourceIds)) return { row, resourceIds };
  Object.assign(changed, { updatedAt: tx.now, version: row.version + 1 });
  await tx.manager.update(Service, id, changed);
  if (patch.resource_ids !== undefined) await storeResources(tx, row, wanted);
  await recordAgendaChange(tx, audit("updated", id, { fields: Object.keys(patch).toSorted() }));
  return { row: Object.assign(row, changed), resourceIds: wanted };
}

/** Deletes a service, or archives it if it was ever booked. @returns true if archived. */
export async function deleteService(tx: Tx, id: number): Promise<boolean> {
  const row = await lockOwned(tx, Service, "service", { id });
  const { accountId } = row;
  if (await tx.manager.existsBy(Appointment, { accountId, serviceId: id })) {
    await updateService(tx, id, { archived: true });
    return true;
  }
  await tx.manager.delete(ServiceResource, { accountId, serviceId: id });
  await tx.manager.delete(Service, { accountId, id });
  await recordAgendaChange(tx, audit("deleted", id, { name: row.name }));
  return false;
}

/**
 * Number of coming confirmed appointments of a service whose length differs from its current one.
 */
export async function countOtherLength(tx: Tx, { id, durationMinutes }: Service): Promise<number> {
  return await countRows(tx, {
    sql: `FROM appointments FORCE INDEX (appointments_service)
      WHERE service_id = ? AND account_id = ? AND start_time > ? AND status = 'confirmed'
        AND TIMESTAMPDIFF(MINUTE, start_time, end_time) <> ?`,
    values: [id, tx.actor.accountId, tx.now, durationMinutes],
  });
}

async function withResources(tx: Tx, rows: Service[]): Promise<OfferedService[]> {
  const links = await tx.manager.find(ServiceResource, {
    where: { accountId: tx.actor.accountId, serviceId: In(rows.map(({ id }) => id)) },
    order: { resourceId: "ASC" },
  });
  return rows.map((row) => ({
    row,
    resourceIds: links.filter((link) => link.serviceId === row.id).map((link) => link.resourceId),
  }));
}

async function withOwnResources(tx: Tx, row: Service): Promise<OfferedService> {
  const [service] = await withResources(tx, [row]);
  return service ?? { row, resourceIds: [] };
}

/**
 * Takes a shared lock on the resources, so that none is deleted before the service names it.
 * Resources come before the service, the lock order of bookings.
 */
async function lockGivers(tx: Tx, resourceIds: number[]): Promise<void> {
  if (resourceIds.length === 0) return;
  const known = await tx.manager.find(Resource, {
    select: { id: true },
    where: { accountId: tx.actor.accountId, id: In(resourceIds) },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_read" },
  });
  if (known.length === resourceIds.length) return;
  const message = "Name resources of this account.";
  throw invalidField("body.resource_ids", "unknown_resource", message);
}

async function storeResources(tx: Tx, { id }: Service, resourceIds: number[]): Promise<void> {
  const { accountId } = tx.actor;
  await tx.manager.delete(ServiceResource, { accountId, serviceId: id });
  for (const resourceId of resourceIds) {
    await insertRow(tx, ServiceResource, { accountId, serviceId: id, resourceId });
  }
}
