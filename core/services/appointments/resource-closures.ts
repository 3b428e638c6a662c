import { MoreThan } from "typeorm";
import { Resource, ResourceClosure } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ClosureBody } from "../../model/resource.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { recordAgendaChange } from "./agenda-changes.ts";
import { getResource } from "./resources.ts";
import { findPage, getOwned, insertRow, lockOwned } from "../sql.ts";

/** Current and coming closures of a resource, in order. @throws AppError `resource_not_found` */
export async function listClosures(
  tx: Tx,
  resourceId: number,
  page: PageBounds,
): Promise<Page<ResourceClosure>> {
  await getResource(tx, resourceId);
  return await findPage(tx, ResourceClosure, page, {
    where: { accountId: tx.actor.accountId, resourceId, endTime: MoreThan(tx.now) },
    order: { startTime: "ASC", id: "ASC" },
  });
}

/** Closes a resource for a time. Its appointments stay. @throws AppError `resource_not_found` */
export async function addClosure(
  tx: Tx,
  resourceId: number,
  body: ClosureBody,
): Promise<ResourceClosure> {
  // Locked: a booking at the same moment either commits before, or sees the closure.
  await lockOwned(tx, Resource, "resource", { id: resourceId });
  const row = tx.manager.create(ResourceClosure, {
    accountId: tx.actor.accountId,
    resourceId,
    startTime: body.start_time,
    endTime: body.end_time,
    reason: body.reason ?? null,
    createdAt: tx.now,
  });
  row.id = await insertRow(tx, ResourceClosure, row);
  await recordAgendaChange(tx, audit("added", row));
  return row;
}

/** Removes a closure, which opens its time again. @throws AppError `closure_not_found` */
export async function removeClosure(tx: Tx, id: number): Promise<void> {
  const { accountId } = tx.actor;
  const row = await getOwned(tx, ResourceClosure, "closure", { id });
  await tx.manager.delete(ResourceClosure, { id, accountId });
  await recordAgendaChange(tx, audit("removed", row));
}

function audit(action: string, { resourceId, startTime, endTime }: ResourceClosure) {
  const details = { start_time: startTime.toISOString(), end_time: endTime.toISOString() };
  return {
    action: `resource.closure_${action}`,
    targetType: "resource",
    targetId: resourceId,
    details,
  };
}
