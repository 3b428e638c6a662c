import { In, LessThan, MoreThan } from "typeorm";
import { BusyBlock } from "../../../db/entities/calendar-read.ts";
import type { Tx } from "../../../db/transaction.ts";
import { recordChange } from "../outbox/changes.ts";

/** A time that an event of an external calendar takes on a resource. */
export type BusyTime = Pick<
  BusyBlock,
  "resourceId" | "connectionId" | "linkId" | "eventId" | "startTime" | "endTime"
> & {
  /** The reading that saw the event; 0 where readings are not counted. */
  generation?: number;
};

/**
 * Blocks times of one account, or moves the blocks of the same events, in one statement. The times
 * are no slots any more.
 */
export async function putBusyBlocks(tx: Tx, times: readonly BusyTime[]): Promise<void> {
  if (times.length === 0) return;
  const { accountId } = tx.actor;
  await tx.manager.query(
    `INSERT INTO busy_blocks (account_id, resource_id, connection_id, link_id, event_id, start_time,
            end_time, generation, created_at, updated_at)
     VALUES ${times.map(() => "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")} AS given
     ON DUPLICATE KEY UPDATE link_id = given.link_id, start_time = given.start_time,
            end_time = given.end_time, generation = given.generation, updated_at = given.updated_at`,
    times.flatMap((time) => [
      accountId,
      time.resourceId,
      time.connectionId,
      time.linkId,
      time.eventId,
      time.startTime,
      time.endTime,
      time.generation ?? 0,
      tx.now,
      tx.now,
    ]),
  );
  await recordChange(tx, { kind: "agenda.updated" });
}

/**
 * Frees the time of an event on one resource. The event may be in the calendar of another one, too.
 * @returns false if no time was blocked
 */
export async function removeBusyBlock(
  tx: Tx,
  { resourceId, connectionId, eventId }: Pick<BusyBlock, "resourceId" | "connectionId" | "eventId">,
): Promise<boolean> {
  const { accountId } = tx.actor;
  const own = { accountId, resourceId, connectionId, eventId };
  const { affected } = await tx.manager.delete(BusyBlock, own);
  if ((affected ?? 0) === 0) return false;
  await recordChange(tx, { kind: "agenda.updated" });
  return true;
}

/** Busy times of resources that meet a range, in order. */
export async function listBusyBlocks(
  tx: Tx,
  resourceIds: readonly number[],
  range: { start: Date; end: Date },
): Promise<BusyBlock[]> {
  return await tx.manager.find(BusyBlock, {
    where: {
      accountId: tx.actor.accountId,
      resourceId: In([...resourceIds]),
      startTime: LessThan(range.end),
      endTime: MoreThan(range.start),
    },
    order: { startTime: "ASC", id: "ASC" },
  });
}
