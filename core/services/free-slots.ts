import { In, IsNull } from "typeorm";
import { Resource, Service, ServiceResource } from "../../db/entities/resource.ts";
import type { Tx } from "../../db/transaction.ts";
import { invalidField } from "../errors.ts";
import {
  maxBufferMinutes,
  maxDurationMinutes,
  minStepMinutes,
  minutesBetween,
} from "../model/appointment.ts";
import { freeSlots, type Interval } from "../model/slots.ts";
import { listBusy, loadAgenda } from "./agendas.ts";
import { findAppointment } from "./appointment-records.ts";

const minuteMs = 60_000;
/** What is offered where no service says how long it takes. Our choice. */
const plainDurationMinutes = 30;

/** Where and for what a free time is looked for. */
export interface SlotQuery {
  serviceId?: number | undefined;
  /** Without one: every resource that gives the service, or all. */
  resourceId?: number | undefined;
  /** Without a service; 30 if neither says. */
  durationMinutes?: number | undefined;
  /** Slots begin from here on, and not in the past. */
  from: Date;
  /** Slots begin before it. */
  to: Date;
  /** An appointment that is to be moved: its own time counts as free, and it keeps length and buffers. */
  exceptAppointmentId?: number | undefined;
}

/** A time that can be booked now. */
export interface Slot {
  resourceId: number;
  startTime: Date;
  endTime: Date;
}

/**
 * The times at which an appointment can be booked now, in order, and by resource where they are the
 * same. An archived resource or service has none.
 * @throws AppError `validation_error` with `unknown_service` or `unknown_resource`; `appointment_not_found`.
 */
export async function listSlots(tx: Tx, query: SlotQuery): Promise<Slot[]> {
  const service = query.serviceId === undefined ? null : await getService(tx, query.serviceId);
  if (service !== null && service.archivedAt !== null) return [];
  const resources = await listResources(tx, query);
  const offered = {
    durationMinutes: service?.durationMinutes ?? query.durationMinutes ?? plainDurationMinutes,
    bufferBeforeMinutes: service?.bufferBeforeMinutes ?? 0,
    bufferAfterMinutes: service?.bufferAfterMinutes ?? 0,
  };
  const { exceptAppointmentId: movedId } = query;
  const room = movedId === undefined ? offered : await roomOf(tx, movedId);
  const range = { start: query.from, end: query.to };
  const reach = reachOf(range);
  const slots: Slot[] = [];
  for (const resource of resources) {
    const free = freeSlots({
      agenda: await loadAgenda(tx, resource, reach),
      busy: await listBusy(tx, resource.id, reach, movedId),
      ...room,
      stepMinutes: service?.stepMinutes ?? Math.max(offered.durationMinutes, minStepMinutes),
      range,
      earliest: tx.now,
    });
    const resourceId = resource.id;
    slots.push(...free.map(({ start, end }) => ({ resourceId, startTime: start, endTime: end })));
  }
  return slots.toSorted(
    (one, other) =>
      one.startTime.getTime() - other.startTime.getTime() || one.resourceId - other.resourceId,
  );
}

/** What an appointment takes with it where it is moved, whatever its service says by now. */
async function roomOf(tx: Tx, appointmentId: number) {
  const moved = await findAppointment(tx, appointmentId);
  const { startTime, endTime, blockedFrom, blockedUntil } = moved;
  return {
    durationMinutes: minutesBetween(startTime, endTime),
    bufferBeforeMinutes: minutesBetween(blockedFrom, startTime),
    bufferAfterMinutes: minutesBetween(endTime, blockedUntil),
  };
}

/** As far as the last slot of a range and its buffers may reach. */
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
  if (
    resourceId !== undefined &&
    !(await tx.manager.existsBy(Resource, { accountId, id: resourceId }))
  ) {
    throw invalidField("query.resource_id", "unknown_resource", "Name a resource of this account.");
  }
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
  return rows.filter(({ id }) => resourceId === undefined || id === resourceId);
}
