import { In, IsNull, MoreThan, Not } from "typeorm";
import {
  CalendlyEventType,
  CalendlyInviteeRow,
  CalendlyUser,
} from "../../../db/entities/calendly.ts";
import { Resource, Service } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { calendlyId } from "../../calendars/calendly-ids.ts";
import type { CalendlyInvitee } from "../../calendars/calendly-payload.ts";
import { invalidField } from "../../errors.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { recordAudit } from "../accounts/audit.ts";
import { lockCalendlyAccount } from "../calendars/calendly-accounts.ts";
import { freeResource, reapplyBookings } from "../calendars/calendly-busy-blocks.ts";
import { requestCalendlyRead } from "../calendars/calendly-commands.ts";
import { recordChange } from "../outbox/changes.ts";
import { findPage } from "../sql.ts";
import { applyInvitee } from "./calendly-intake.ts";

/** Agendas of hosts, and services of event types. Entries that are left out stay as they are. */
export interface CalendlyMapping {
  users?: readonly { uri: string; resource_id: number | null }[] | undefined;
  event_types?: readonly { uri: string; service_id: number | null }[] | undefined;
}

/** Bookings that one change takes in. The others follow with the next read. */
const maxTakenIn = 100;
/** Waiting bookings that are read in one statement. */
const batchSize = 1_000;

/**
 * Stores a mapping, and takes in the bookings that waited for an agenda.
 * @throws AppError `validation_error` with `unknown_resource`, `unknown_service`, `unknown_user`
 * and `unknown_event_type`
 */
export async function mapCalendly(
  tx: Tx,
  connectionId: number,
  { users = [], event_types: eventTypes = [] }: CalendlyMapping,
): Promise<void> {
  const { accountId } = tx.actor;
  await lockCalendlyAccount(tx, connectionId);
  await requireAgendas(tx, users);
  await mapUsers(tx, connectionId, users);
  for (const { uri, service_id: serviceId } of eventTypes) {
    const where = { accountId, connectionId, externalId: calendlyId("event_types", uri) ?? "" };
    if (!(await tx.manager.existsBy(CalendlyEventType, where))) {
      throw unknown("event_types", "unknown_event_type");
    }
    const isService =
      serviceId === null || (await tx.manager.existsBy(Service, { accountId, id: serviceId }));
    if (!isService) throw unknown("event_types", "unknown_service");
    await tx.manager.update(CalendlyEventType, where, { serviceId });
  }
  await recordAudit(tx, {
    action: "calendar_connection.mapped",
    targetType: "calendar_connection",
    targetId: connectionId,
    details: { users: users.length, event_types: eventTypes.length },
  });
  await takeIn(tx, connectionId);
  await recordChange(tx, { kind: "calendar.updated" });
}

/**
 * Stores the agendas of hosts. A host may take part in bookings of others, which are read again.
 * @throws AppError `validation_error` with `unknown_user`
 */
async function mapUsers(
  tx: Tx,
  connectionId: number,
  users: NonNullable<CalendlyMapping["users"]>,
): Promise<void> {
  const { accountId } = tx.actor;
  let isChanged = false;
  for (const { uri, resource_id: resourceId } of users) {
    const where = { accountId, connectionId, externalId: calendlyId("users", uri) ?? "" };
    const user = await tx.manager.findOneBy(CalendlyUser, where);
    if (user === null) throw unknown("users", "unknown_user");
    if (user.resourceId === resourceId) continue;
    isChanged = true;
    if (user.resourceId !== null) await freeResource(tx, connectionId, user.resourceId);
    await tx.manager.update(CalendlyUser, where, { resourceId });
  }
  if (!isChanged) return;
  await reapplyBookings(tx, connectionId);
  await requestCalendlyRead(tx, connectionId);
}

/**
 * Takes in bookings to come that waited for an agenda, up to 100. More of them wait for the next
 * read. Bookings whose hosts have none, however many, hold no others up.
 * @returns the number of those that have an appointment now
 */
export async function takeIn(tx: Tx, connectionId: number): Promise<number> {
  const { accountId } = tx.actor;
  const mapped = await tx.manager.findBy(CalendlyUser, {
    accountId,
    connectionId,
    resourceId: Not(IsNull()),
  });
  const hosts = new Set(mapped.map(({ externalId }) => externalId));
  let taken = 0;
  let batch = hosts.size === 0 ? [] : await listWaiting(tx, connectionId, 0);
  while (batch.length > 0) {
    for (const row of batch) {
      const invitee = reviveBooking(row);
      if (invitee === null || !hostsOf(invitee).some((id) => hosts.has(id))) continue;
      if (taken >= maxTakenIn) {
        await requestCalendlyRead(tx, connectionId);
        return taken;
      }
      const applied = await applyInvitee(tx, connectionId, invitee);
      if (applied.missing === null && applied.changed) taken += 1;
    }
    batch = await listWaiting(tx, connectionId, batch.at(-1)?.id ?? 0);
  }
  return taken;
}

/** Bookings to come that wait for an agenda, with a greater id, by their id. */
async function listWaiting(
  tx: Tx,
  connectionId: number,
  after: number,
): Promise<CalendlyInviteeRow[]> {
  return await tx.manager.find(CalendlyInviteeRow, {
    where: { ...waitingFor(tx, connectionId), id: MoreThan(after) },
    order: { id: "ASC" },
    take: batchSize,
  });
}

function waitingFor(tx: Tx, connectionId: number) {
  const { accountId } = tx.actor;
  return { accountId, connectionId, state: "unmapped" as const, startTime: MoreThan(tx.now) };
}

/** Bookings to come that wait for an agenda, by their start. */
export async function listUnmapped(tx: Tx, connectionId: number, page: PageBounds) {
  const { accountId } = tx.actor;
  const found: Page<CalendlyInviteeRow> = await findPage(tx, CalendlyInviteeRow, page, {
    where: waitingFor(tx, connectionId),
    order: { startTime: "ASC", id: "ASC" },
  });
  const bookings = found.rows.map((row) => ({ row, invitee: reviveBooking(row) }));
  const typeIds = bookings.flatMap(({ invitee }) => invitee?.event.typeId ?? []);
  const hostIds = bookings.flatMap(({ invitee }) => hostsOf(invitee));
  const types = await tx.manager.findBy(CalendlyEventType, {
    accountId,
    connectionId,
    externalId: In(typeIds),
  });
  const users = await tx.manager.findBy(CalendlyUser, {
    accountId,
    connectionId,
    externalId: In(hostIds),
  });
  const rows = bookings.map(({ row, invitee }) => ({
    id: row.id,
    start_time: row.startTime.toISOString(),
    end_time: (invitee?.event.endTime ?? row.startTime).toISOString(),
    invitee_name: invitee?.name ?? null,
    invitee_email: invitee?.email ?? null,
    event_type_name:
      types.find(({ externalId }) => externalId === invitee?.event.typeId)?.name ?? null,
    hosts: hostsOf(invitee).flatMap((id) => {
      const user = users.find(({ externalId }) => externalId === id);
      return user === undefined ? [] : [{ uri: user.uri, name: user.name }];
    }),
  }));
  return { ...found, rows };
}

/** The stored booking of a waiting invitee, with its moments. */
function reviveBooking({ booking }: CalendlyInviteeRow): CalendlyInvitee | null {
  if (booking === null) return null;
  const invitee = booking as CalendlyInvitee;
  const { event } = invitee;
  return {
    ...invitee,
    updatedAt: new Date(invitee.updatedAt),
    event: {
      ...event,
      startTime: new Date(event.startTime),
      endTime: new Date(event.endTime),
      updatedAt: new Date(event.updatedAt),
    },
  };
}

function hostsOf(invitee: CalendlyInvitee | null): string[] {
  return (invitee?.event.hosts ?? []).map(({ userId }) => userId);
}

/** Read without a lock: each booking locks its contact before its agenda. */
async function requireAgendas(tx: Tx, users: NonNullable<CalendlyMapping["users"]>): Promise<void> {
  const ids = [...new Set(users.flatMap(({ resource_id: id }) => id ?? []))];
  const { accountId } = tx.actor;
  const found = await tx.manager.countBy(Resource, { accountId, id: In(ids) });
  if (found < ids.length) throw unknown("users", "unknown_resource");
}

function unknown(field: string, code: string) {
  const message = "Take an entry of this connection, and a resource or service of this account.";
  return invalidField(`body.${field}`, code, message);
}
