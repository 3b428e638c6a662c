import { In, IsNull, MoreThan, Not } from "typeorm";
import { BusyBlock } from "../../../db/entities/calendar-read.ts";
import { CalendlyInviteeRow, CalendlyUser } from "../../../db/entities/calendly.ts";
import type { Tx } from "../../../db/transaction.ts";
import { recordChange } from "../outbox/changes.ts";
import { putBusyBlocks } from "./busy-blocks.ts";

/** An event of a connection, with its times. */
interface TimedEvent {
  connectionId: number;
  eventId: string;
  startTime: Date;
  endTime: Date;
}

/** Makes an event take the time of these resources, and of no others. */
export async function blockOtherHosts(
  tx: Tx,
  { connectionId, eventId, startTime, endTime }: TimedEvent,
  resourceIds: readonly number[],
): Promise<void> {
  const known = await listBlocks(tx, { connectionId, eventId });
  await removeBlocks(
    tx,
    known.filter(({ resourceId }) => !resourceIds.includes(resourceId)),
  );
  const isBlocked = (id: number): boolean =>
    known.some(
      (block) =>
        block.resourceId === id &&
        block.startTime.getTime() === startTime.getTime() &&
        block.endTime.getTime() === endTime.getTime(),
    );
  const block = { connectionId, linkId: null, eventId, startTime, endTime };
  const missing = resourceIds.filter((id) => !isBlocked(id));
  await putBusyBlocks(
    tx,
    missing.map((resourceId) => ({ ...block, resourceId })),
  );
}

/** Frees the time of the other hosts of an event in which nobody takes part any more. */
export async function freeOtherHosts(
  tx: Tx,
  { connectionId, eventId }: Pick<TimedEvent, "connectionId" | "eventId">,
): Promise<void> {
  const { accountId } = tx.actor;
  const state = In(["active", "held"] as const);
  const where = { accountId, connectionId, eventId, state };
  if (await tx.manager.existsBy(CalendlyInviteeRow, where)) return;
  await removeBlocks(tx, await listBlocks(tx, { connectionId, eventId }));
}

/** Frees the time that events of a connection take on a resource. */
export async function freeResource(
  tx: Tx,
  connectionId: number,
  resourceId: number,
): Promise<void> {
  const { accountId } = tx.actor;
  await tx.manager.delete(BusyBlock, { accountId, resourceId, connectionId });
  await recordChange(tx, { kind: "agenda.updated" });
}

/**
 * Has the next read apply every booking to come once more, because the agendas of its hosts may
 * have changed. Until then a late webhook may bring an older state.
 */
export async function reapplyBookings(tx: Tx, connectionId: number): Promise<void> {
  const { accountId } = tx.actor;
  await tx.manager.update(
    CalendlyInviteeRow,
    { accountId, connectionId, startTime: MoreThan(tx.now) },
    { changedAt: new Date(0) },
  );
}

/** Blocks of an event, found by the agendas of the connection's hosts. */
async function listBlocks(
  tx: Tx,
  { connectionId, eventId }: Pick<TimedEvent, "connectionId" | "eventId">,
): Promise<BusyBlock[]> {
  const { accountId } = tx.actor;
  const hosts = { accountId, connectionId, resourceId: Not(IsNull()) };
  const users = await tx.manager.findBy(CalendlyUser, hosts);
  const resourceId = In(users.flatMap((user) => user.resourceId ?? []));
  return await tx.manager.findBy(BusyBlock, { accountId, resourceId, connectionId, eventId });
}

async function removeBlocks(tx: Tx, blocks: readonly BusyBlock[]): Promise<void> {
  if (blocks.length === 0) return;
  await tx.manager.delete(BusyBlock, { id: In(blocks.map(({ id }) => id)) });
  await recordChange(tx, { kind: "agenda.updated" });
}
