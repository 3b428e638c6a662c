import type { Tx } from "../../../db/transaction.ts";
import { bookingHorizonMs, bookingNoticeMs, type SlotChoice } from "../../model/booking-link.ts";
import type { Interval } from "../../model/slots.ts";
import { companyOf, type Company } from "../accounts/accounts.ts";
import { findFirstSlot, listSlots, type Slot, type SlotQuery } from "../appointments/free-slots.ts";

/** A booking link with the account's data for its page. */
export interface OpenLink {
  id: number;
  accountId: number;
  title: string;
  resourceId: number | null;
  serviceId: number | null;
  /** True while the link takes bookings. Bookings made before can be changed in any case. */
  open: boolean;
  accountTimeZone: string;
  locale: string;
  company: Company;
}

/** The link behind a URL; null if it is unknown, or its account is disabled. */
export async function findBookingLink(tx: Tx, slug: string): Promise<OpenLink | null> {
  const [row] = await tx.manager.query<
    {
      id: number;
      account_id: number;
      title: string;
      resource_id: number | null;
      service_id: number | null;
      open: number;
      time_zone: string;
      locale: string;
      name: string;
      settings: unknown;
    }[]
  >(
    `SELECT l.id, l.account_id, l.title, l.resource_id, l.service_id,
            l.enabled = 1 AND l.deleted_at IS NULL AS open, a.time_zone, a.locale,
            a.name, a.settings
       FROM booking_links l JOIN accounts a ON a.id = l.account_id AND a.disabled_at IS NULL
      WHERE l.id = ?`,
    [await findLinkId(tx, slug)],
  );
  if (row === undefined) return null;
  return {
    id: Number(row.id),
    accountId: Number(row.account_id),
    title: row.title,
    resourceId: row.resource_id,
    serviceId: row.service_id,
    open: Number(row.open) === 1,
    accountTimeZone: row.time_zone,
    locale: row.locale,
    company: companyOf(row),
  };
}

/** A link by its unguessable slug, else by a readable one that it has or had. */
async function findLinkId(tx: Tx, slug: string): Promise<number | null> {
  const [own] = await tx.manager.query<{ id: number }[]>(
    "SELECT id FROM booking_links WHERE slug = ?",
    [slug],
  );
  if (own !== undefined) return Number(own.id);
  const [named] = await tx.manager.query<{ id: number }[]>(
    "SELECT link_id AS id FROM booking_slugs WHERE slug = ?",
    [slug],
  );
  return named === undefined ? null : Number(named.id);
}

/** A service that can be booked through a link, with its resources. */
export interface Offer {
  serviceId: number;
  serviceName: string;
  durationMinutes: number;
  /** At least one. */
  resources: OfferedResource[];
  /** Time zone of the resources, or the account's if theirs differ. */
  timeZone: string;
}

/** A resource on a booking page. */
export interface OfferedResource {
  id: number;
  name: string;
  timeZone: string;
}

/** Services that can be booked through a link, by name. @param serviceId only this service. */
export async function listOffers(
  tx: Tx,
  link: OpenLink,
  serviceId: number | null = null,
): Promise<Offer[]> {
  const pairs = await listPairs(tx, link, serviceId);
  const offers = new Map<number, Offer>();
  for (const { serviceId: id, serviceName, durationMinutes, ...resource } of pairs) {
    const known = offers.get(id);
    if (known === undefined) {
      const { timeZone } = resource;
      offers.set(id, {
        serviceId: id,
        serviceName,
        durationMinutes,
        resources: [resource],
        timeZone,
      });
    } else {
      known.resources.push(resource);
      if (resource.timeZone !== known.timeZone) known.timeZone = link.accountTimeZone;
    }
  }
  return [...offers.values()];
}

/** Pairs of service and resource. A service without resources of its own is given by all. */
async function listPairs(
  tx: Tx,
  { resourceId, serviceId }: OpenLink,
  only: number | null,
): Promise<(OfferedResource & Pick<Offer, "serviceId" | "serviceName" | "durationMinutes">)[]> {
  return await tx.manager.query(
    `SELECT s.id AS serviceId, s.name AS serviceName, s.duration_minutes AS durationMinutes,
            r.id, r.name, r.time_zone AS timeZone
       FROM services s
       JOIN resources r ON r.account_id = s.account_id AND r.archived_at IS NULL
        AND (NOT EXISTS (SELECT 1 FROM service_resources g WHERE g.service_id = s.id)
          OR EXISTS (SELECT 1 FROM service_resources g WHERE g.service_id = s.id AND g.resource_id = r.id))
      WHERE s.account_id = ? AND s.archived_at IS NULL AND s.id = COALESCE(?, s.id)
        AND s.id = COALESCE(?, s.id) AND r.id = COALESCE(?, r.id)
      ORDER BY s.name, s.id, r.id`,
    [tx.actor.accountId, serviceId, only, resourceId],
  );
}

/** Target of a search for slots. */
export interface SlotPlace {
  /** Null: any resource that gives the service. */
  resourceId: number | null;
  /** Appointment to move: its own time counts as free, and it keeps its length and buffers. */
  exceptAppointmentId?: number;
}

/**
 * Slots of a booking page within `range`, one for each time: that of the first free resource. None
 * is before the notice period or beyond the horizon.
 */
export async function listOfferedTimes(
  tx: Tx,
  place: SlotPlace,
  serviceId: number,
  range: Interval,
): Promise<Slot[]> {
  const query = queryOf(tx, place, serviceId, range);
  return query === null ? [] : await listSlots(tx, { ...query, oncePerTime: true });
}

/** First slot within `range` that can be booked through a link, except at `notAt`. */
export async function findFirstOffered(
  tx: Tx,
  place: SlotPlace,
  serviceId: number,
  { range, notAt }: { range: Interval; notAt?: Date | undefined },
): Promise<Slot | null> {
  const query = queryOf(tx, place, serviceId, range);
  return query === null ? null : await findFirstSlot(tx, query, notAt);
}

/** Null if no time of the range can be booked. */
function queryOf(
  tx: Tx,
  { resourceId, exceptAppointmentId }: SlotPlace,
  serviceId: number,
  range: Interval,
): SlotQuery | null {
  const now = tx.now.getTime();
  const from = new Date(Math.max(range.start.getTime(), now + bookingNoticeMs));
  const to = new Date(Math.min(range.end.getTime(), now + bookingHorizonMs));
  if (from >= to) return null;
  return { serviceId, resourceId: resourceId ?? undefined, from, to, exceptAppointmentId };
}

/** True if a link offers this time of this resource. */
export async function isTimeOffered(
  tx: Tx,
  place: SlotPlace,
  serviceId: number,
  { resourceId, start }: SlotChoice,
): Promise<boolean> {
  const range = { start, end: new Date(start.getTime() + 1) };
  const query = queryOf(tx, place, serviceId, range);
  const offered = query === null ? [] : await listSlots(tx, query);
  return offered.some((one) => one.resourceId === resourceId);
}

/** True if an offer has this time of this resource. Reads the agenda of that resource alone. */
export async function isInOffer(
  tx: Tx,
  { serviceId, resources }: Offer,
  slot: SlotChoice,
): Promise<boolean> {
  const { resourceId } = slot;
  if (!resources.some(({ id }) => id === resourceId)) return false;
  return await isTimeOffered(tx, { resourceId }, serviceId, slot);
}
