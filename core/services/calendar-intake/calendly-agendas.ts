import { In } from "typeorm";
import { CalendlyEventType, CalendlyUser } from "../../../db/entities/calendly.ts";
import { Resource, Service } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { CalendlyEvent } from "../../calendars/calendly-payload.ts";

/** Agendas of the hosts of an event. */
export interface EventAgendas {
  /** Host whose agenda has the appointments. */
  hostId: string;
  resourceId: number;
  /** Agendas of the other hosts, whose time the event takes. */
  otherResourceIds: number[];
}

/**
 * The agenda of an event: that of its first host who has one, and those of its other hosts. Archived
 * agendas do not count.
 * @returns null if none of its hosts has an agenda
 */
export async function findAgendasOfEvent(
  tx: Tx,
  connectionId: number,
  { hosts }: Pick<CalendlyEvent, "hosts">,
): Promise<EventAgendas | null> {
  const { accountId } = tx.actor;
  if (hosts.length === 0) return null;
  const users = await tx.manager.findBy(CalendlyUser, {
    accountId,
    connectionId,
    externalId: In(hosts.map(({ userId }) => userId)),
  });
  const ids = users.flatMap(({ resourceId }) => resourceId ?? []);
  const resources = await tx.manager.findBy(Resource, { accountId, id: In(ids) });
  const open = new Set(resources.filter((row) => row.archivedAt === null).map(({ id }) => id));
  const found = hosts.flatMap(({ userId: hostId }) => {
    const resourceId = users.find((user) => user.externalId === hostId)?.resourceId ?? null;
    return resourceId !== null && open.has(resourceId) ? [{ hostId, resourceId }] : [];
  });
  const [first] = found;
  if (first === undefined) return null;
  // Several hosts may share an agenda.
  const others = new Set(found.map(({ resourceId }) => resourceId));
  others.delete(first.resourceId);
  return { ...first, otherResourceIds: [...others] };
}

/** The service of an event type, or null if the type has none or the service is gone. */
export async function findServiceId(
  tx: Tx,
  connectionId: number,
  typeId: string | null,
): Promise<number | null> {
  if (typeId === null) return null;
  const { accountId } = tx.actor;
  const where = { accountId, connectionId, externalId: typeId };
  const serviceId = (await tx.manager.findOneBy(CalendlyEventType, where))?.serviceId ?? null;
  if (serviceId === null) return null;
  return (await tx.manager.existsBy(Service, { accountId, id: serviceId })) ? serviceId : null;
}
