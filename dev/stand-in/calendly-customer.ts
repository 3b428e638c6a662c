import { postHooks } from "./calendly-webhooks.ts";
import {
  newCalendlyId,
  type CalendlyBooking,
  type CalendlyGuest,
  type CalendlyWorld,
} from "./calendly-world.ts";

/** A booking that a customer makes. Only the start is needed. */
export interface CalendlyVisit {
  startTime: Date;
  minutes?: number | undefined;
  typeId?: string | undefined;
  hostIds?: string[] | undefined;
  /** Takes part in this event, which has room. */
  eventId?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  reminderNumber?: string | null | undefined;
  answers?: { question: string; answer: string }[] | undefined;
  location?: Record<string, string> | undefined;
  googleId?: string | null | undefined;
}

/** Books as a customer does. @returns the new invitee */
export async function bookVisit(
  world: CalendlyWorld,
  visit: CalendlyVisit,
): Promise<CalendlyGuest> {
  const guest = addGuest(world, visit, null);
  await postHooks(world, "invitee.created", guest);
  return guest;
}

/** Cancels one invitee, as the customer does on Calendly's page. */
export async function cancelVisit(
  world: CalendlyWorld,
  guestId: string,
  reason: string | null = null,
): Promise<void> {
  const guest = getGuest(world, guestId);
  endGuest(world, guest, { cancelReason: reason });
  await postHooks(world, "invitee.canceled", guest);
}

/**
 * Moves an invitee to another time, as the customer does: the old invitee is cancelled, and a new
 * one is made with a new event. Both webhooks go out in the order of `first`.
 */
export async function moveVisit(
  world: CalendlyWorld,
  guestId: string,
  to: Pick<CalendlyVisit, "startTime" | "hostIds" | "googleId">,
  first: "created" | "canceled" = "canceled",
): Promise<CalendlyGuest> {
  const old = getGuest(world, guestId);
  const booking = getBooking(world, old.eventId);
  const minutes = (booking.endTime.getTime() - booking.startTime.getTime()) / 60_000;
  const { name, email, reminderNumber, answers } = old;
  const { typeId, hostIds } = booking;
  const facts = { name, email, reminderNumber, answers, typeId, hostIds, minutes };
  const next = addGuest(world, { ...facts, ...to }, old.id);
  endGuest(world, old, { rescheduled: true, newId: next.id });
  const posts: [string, CalendlyGuest][] = [
    ["invitee.canceled", old],
    ["invitee.created", next],
  ];
  for (const [kind, guest] of first === "created" ? posts.toReversed() : posts) {
    await postHooks(world, kind, guest);
  }
  return next;
}

/** Marks that an invitee did not come, or takes the mark back. */
export async function markVisit(
  world: CalendlyWorld,
  guestId: string,
  isNoShow: boolean,
): Promise<CalendlyGuest> {
  const guest = getGuest(world, guestId);
  guest.noShowId = isNoShow ? newCalendlyId() : null;
  touch(world, guest);
  await postHooks(world, isNoShow ? "invitee_no_show.created" : "invitee_no_show.deleted", guest);
  return guest;
}

/** Gives an event to other hosts. Calendly sends no webhook for it. */
export function reassignVisit(world: CalendlyWorld, guestId: string, hostIds: string[]): void {
  const guest = getGuest(world, guestId);
  getBooking(world, guest.eventId).hostIds = hostIds;
  touch(world, guest);
}

/** Cancels an event for all of its invitees, as a host does. */
export async function cancelBooking(
  world: CalendlyWorld,
  eventId: string,
  reason: string | null,
): Promise<void> {
  const booking = getBooking(world, eventId);
  booking.status = "canceled";
  const guests = [...world.guests.values()].filter(
    (guest) => guest.eventId === eventId && guest.status === "active",
  );
  for (const guest of guests) {
    endGuest(world, guest, { cancelReason: reason });
    await postHooks(world, "invitee.canceled", guest);
  }
}

/** @throws Error for an unknown invitee */
export function getGuest(world: CalendlyWorld, id: string): CalendlyGuest {
  const guest = world.guests.get(id);
  if (guest === undefined) throw new Error("No such invitee.");
  return guest;
}

function getBooking(world: CalendlyWorld, id: string): CalendlyBooking {
  const booking = world.bookings.get(id);
  if (booking === undefined) throw new Error("No such event.");
  return booking;
}

function addGuest(world: CalendlyWorld, visit: CalendlyVisit, oldId: string | null): CalendlyGuest {
  const booking =
    visit.eventId === undefined ? addBooking(world, visit) : getBooking(world, visit.eventId);
  const guest: CalendlyGuest = {
    id: newCalendlyId(),
    eventId: booking.id,
    name: visit.name ?? "Ana Torres",
    email: visit.email ?? "ana@example.com",
    reminderNumber: visit.reminderNumber === undefined ? "+52 155 1234 5678" : visit.reminderNumber,
    answers: visit.answers ?? [],
    status: "active",
    rescheduled: false,
    oldId,
    newId: null,
    cancelReason: null,
    noShowId: null,
    createdAt: world.now(),
    updatedAt: world.now(),
  };
  world.guests.set(guest.id, guest);
  touch(world, guest);
  return guest;
}

/** Notes that an invitee and its event have changed now. */
function touch(world: CalendlyWorld, guest: CalendlyGuest): void {
  guest.updatedAt = world.now();
  getBooking(world, guest.eventId).updatedAt = world.now();
}

function addBooking(world: CalendlyWorld, visit: CalendlyVisit): CalendlyBooking {
  const typeId = visit.typeId ?? "VISIT";
  const type = world.types.find(({ id }) => id === typeId);
  const booking: CalendlyBooking = {
    id: newCalendlyId(),
    typeId,
    title: type?.name ?? "Evento",
    startTime: visit.startTime,
    endTime: new Date(visit.startTime.getTime() + (visit.minutes ?? 30) * 60_000),
    hostIds: visit.hostIds ?? [type?.userId ?? "OWNER"],
    status: "active",
    location: visit.location ?? { type: "physical", location: "Av. Reforma 1" },
    googleId: visit.googleId ?? null,
    createdAt: world.now(),
    updatedAt: world.now(),
  };
  world.bookings.set(booking.id, booking);
  return booking;
}

function endGuest(world: CalendlyWorld, guest: CalendlyGuest, end: Partial<CalendlyGuest>): void {
  Object.assign(guest, end, { status: "canceled" });
  touch(world, guest);
  const booking = getBooking(world, guest.eventId);
  const others = [...world.guests.values()].filter(
    ({ eventId, status }) => eventId === booking.id && status === "active",
  );
  if (others.length === 0) booking.status = "canceled";
}
