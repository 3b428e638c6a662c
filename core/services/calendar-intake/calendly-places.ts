import { In } from "typeorm";
import { CalendlyEventType, CalendlyUser } from "../../../db/entities/calendly.ts";
import { Resource, Service } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { CalendlyEvent } from "../../calendars/calendly-payload.ts";

/** Agenda of an event. */
export interface CalendlyPlace {
  hostId: string;
  resourceId: number;
}

/**
 * The agenda of an event: that of its first host who has one. Archived agendas do not count.
 * @returns null if none of its hosts has an agenda
 */
export async function findPlace(
  tx: Tx,
  connectionId: number,
  { hosts }: Pick<CalendlyEvent, "hosts">,
): Promise<CalendlyPlace | null> {
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
  for (const { userId: hostId } of hosts) {
    const resourceId = users.find((user) => user.externalId === hostId)?.resourceId ?? null;
    if (resourceId !== null && open.has(resourceId)) return { hostId, resourceId };
  }
  return null;
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
