import { setImmediate as nextTurn } from "node:timers/promises";
import { In, IsNull } from "typeorm";
import { Resource, Service, ServiceResource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField, type AppError } from "../../errors.ts";
import {
  maxBufferMinutes,
  maxDurationMinutes,
  minStepMinutes,
  minutesBetween,
} from "../../model/appointment.ts";
import { freeSlots, type Interval } from "../../model/slots.ts";
import { listBusy, loadOpeningHours } from "./resource-times.ts";
import { getAppointmentRow } from "./appointment-records.ts";
import { dayMs, minuteMs } from "../../model/durations.ts";

/** Length of a slot if neither the service nor the query has a duration. */
export const plainDurationMinutes = 30;

/** Search for free slots. */
export interface SlotQuery {
  serviceId?: number | undefined;
  /** Default: every resource that gives the service, or all. */
  resourceId?: number | undefined;
  /** Used without a service only; default 30. */
  durationMinutes?: number | undefined;
  /** Earliest start of a slot. Slots never begin in the past. */
  from: Date;
  /** Slots begin before this time. */
  to: Date;
  /** Appointment to move: its own time counts as free, and it keeps its length and buffers. */
  exceptAppointmentId?: number | undefined;
  /** Return one slot per start time: that of the first free resource. */
  oncePerTime?: boolean | undefined;
}

/** Maximum number of slots in an answer: some 2 MB of JSON. */
const maxSlots = 20_000;

/** A time that can be booked now. */
export interface Slot {
  resourceId: number;
  startTime: Date;
  endTime: Date;
}

/**
 * Lists the slots that can be booked now, by time, then by resource. An archived resource or
 * service has none.
 * @throws AppError `validation_error` with `unknown_service`, `unknown_resource` or, for more than
 * 20,000 slots, `too_many_slots`; `appointment_not_found`.
 */
export async function listSlots(tx: Tx, query: SlotQuery): Promise<Slot[]> {
  const slots: Slot[] = [];
  const taken = new Set<number>();
  for await (const find of findersOf(tx, query)) {
    for (const slot of find({ start: query.from, end: query.to })) {
      const at = slot.startTime.getTime();
      if (query.oncePerTime === true && taken.has(at)) continue;
      taken.add(at);
      slots.push(slot);
    }
    if (slots.length > maxSlots) throw tooManySlots();
  }
  return slots.toSorted(inOrderOfTime);
}

/**
 * Finds the first slot that can be booked. The search goes day by day, so that later days are not
 * computed. Other requests are served in between.
 * @throws as `listSlots`
 */
export async function findFirstSlot(tx: Tx, query: SlotQuery, notAt?: Date): Promise<Slot | null> {
  const finders: SlotFinder[] = [];
  for await (const find of findersOf(tx, query)) finders.push(find);
  const end = query.to.getTime();
  for (let from = query.from.getTime(); from < end; from += dayMs) {
    const day = { start: new Date(from), end: new Date(Math.min(from + dayMs, end)) };
    const found: Slot[] = [];
    for (const find of finders) {
      const slot = find(day).find(({ startTime }) => startTime.getTime() !== notAt?.getTime());
      if (slot !== undefined) found.push(slot);
      await nextTurn();
    }
    const [first] = found.toSorted(inOrderOfTime);
    if (first !== undefined) return first;
  }
  return null;
}

function inOrderOfTime(one: Slot, other: Slot): number {
  return one.startTime.getTime() - other.startTime.getTime() || one.resourceId - other.resourceId;
}

function tooManySlots(): AppError {
  return invalidField(
    "query.to",
    "too_many_slots",
    `There are more than ${maxSlots} free times. Narrow the range, or name a resource or a service.`,
  );
}

/** Computes the free times of one resource within a part of the range. */
type SlotFinder = (part: Interval) => Slot[];

/**
 * Yields one finder per resource. Opening hours and busy times are read once. Other requests are
 * served between two resources.
 */
async function* findersOf(tx: Tx, query: SlotQuery): AsyncGenerator<SlotFinder> {
  const service = query.serviceId === undefined ? null : await getService(tx, query.serviceId);
  if (service !== null && service.archivedAt !== null) return;
  const resources = await listResources(tx, query);
  const offered = {
    durationMinutes: service?.durationMinutes ?? query.durationMinutes ?? plainDurationMinutes,
    bufferBeforeMinutes: service?.bufferBeforeMinutes ?? 0,
    bufferAfterMinutes: service?.bufferAfterMinutes ?? 0,
  };
  const { exceptAppointmentId: movedId } = query;
  const room = movedId === undefined ? offered : await roomOf(tx, movedId);
  const reach = reachOf({ start: query.from, end: query.to });
  const stepMinutes = service?.stepMinutes ?? Math.max(offered.durationMinutes, minStepMinutes);
  for (const { id: resourceId, ...resource } of resources) {
    const known = {
      opening: await loadOpeningHours(tx, { id: resourceId, ...resource }, reach),
      busy: await listBusy(tx, resourceId, reach, movedId),
      ...room,
      stepMinutes,
      earliest: tx.now,
    };
    yield (range) =>
      freeSlots({ ...known, range }).map(({ start, end }) => ({
        resourceId,
        startTime: start,
        endTime: end,
      }));
    await nextTurn();
  }
}

/** Length and buffers of an appointment to move. Its service may have others by now. */
async function roomOf(tx: Tx, appointmentId: number) {
  const moved = await getAppointmentRow(tx, appointmentId);
  const { startTime, endTime, blockedFrom, blockedUntil } = moved;
  return {
    durationMinutes: minutesBetween(startTime, endTime),
    bufferBeforeMinutes: minutesBetween(blockedFrom, startTime),
    bufferAfterMinutes: minutesBetween(endTime, blockedUntil),
  };
}

/** Range that the last slot of a range and its buffers can reach. */
function reachOf({ start, end }: Interval): Interval {
  return {
    start: new Date(start.getTime() - maxBufferMinutes * minuteMs),
    end: new Date(end.getTime() + (maxDurationMinutes + maxBufferMinutes) * minuteMs),
  };
}

async function getService(tx: Tx, id: number): Promise<Service> {
  const row = await tx.manager.findOneBy(Service, { id, accountId: tx.actor.accountId });
  if (row !== null) return row;
  throw invalidField("query.service_id", "unknown_service", "Name a service of this account.");
}

async function listResources(
  tx: Tx,
  { serviceId, resourceId }: Pick<SlotQuery, "serviceId" | "resourceId">,
): Promise<Resource[]> {
  const { accountId } = tx.actor;
  const givers =
    serviceId === undefined
      ? []
      : await tx.manager.findBy(ServiceResource, { accountId, serviceId });
  const rows = await tx.manager.find(Resource, {
    where: {
      accountId,
      archivedAt: IsNull(),
      ...(givers.length === 0 ? {} : { id: In(givers.map((giver) => giver.resourceId)) }),
    },
    order: { id: "ASC" },
  });
  if (resourceId === undefined) return rows;
  const asked = rows.filter(({ id }) => id === resourceId);
  // An archived resource has no slots, nor has one that does not give the service.
  if (asked.length > 0 || (await tx.manager.existsBy(Resource, { accountId, id: resourceId })))
    return asked;
  throw invalidField("query.resource_id", "unknown_resource", "Name a resource of this account.");
}
