import { setImmediate as nextTurn } from "node:timers/promises";
import { In, IsNull, LessThan, MoreThan } from "typeorm";
import { Resource, ResourceClosure } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { openIntervals, type Interval } from "../../model/slots.ts";

/** Opening hours of a resource within a range, and the closures that overlap it. */
export interface OpeningTimes {
  resourceId: number;
  open: Interval[];
  closures: ResourceClosure[];
}

/** Opening hours within `range` of each resource that is not archived. */
export async function listOpeningTimes(tx: Tx, range: Interval): Promise<OpeningTimes[]> {
  const { accountId } = tx.actor;
  const resources = await tx.manager.find(Resource, {
    where: { accountId, archivedAt: IsNull() },
    order: { id: "ASC" },
  });
  const closures = await tx.manager.find(ResourceClosure, {
    where: {
      accountId,
      resourceId: In(resources.map(({ id }) => id)),
      endTime: MoreThan(range.start),
      startTime: LessThan(range.end),
    },
    order: { startTime: "ASC", id: "ASC" },
  });
  const times: OpeningTimes[] = [];
  for (const { id, timeZone, weeklyHours } of resources) {
    const own = closures.filter(({ resourceId }) => resourceId === id);
    const closed = own.map(({ startTime, endTime }) => ({ start: startTime, end: endTime }));
    const opening = { timeZone, weeklyHours, closures: closed };
    times.push({ resourceId: id, open: openIntervals(opening, range), closures: own });
    // Serves other requests in between.
    await nextTurn();
  }
  return times;
}
