import { createHmac } from "node:crypto";
import {
  calendlyOrigin,
  type CalendlyBooking,
  type CalendlyGuest,
  type CalendlyHook,
  type CalendlyType,
  type CalendlyUser,
  type CalendlyWorld,
} from "./calendly-world.ts";

/** Address of a thing of Calendly. */
export function uriOf(collection: string, id: string): string {
  return `${calendlyOrigin}/${collection}/${id}`;
}

/** A moment with microseconds, as Calendly writes it. */
export function presentMoment(moment: Date): string {
  return moment.toISOString().replace("Z", "123Z");
}

/** A user as `GET /users/me` and memberships show it. */
export function presentUser(world: CalendlyWorld, { id, name, email }: CalendlyUser): object {
  return {
    uri: uriOf("users", id),
    name,
    email,
    slug: id.toLowerCase(),
    timezone: "America/Mexico_City",
    current_organization: uriOf("organizations", world.organizationId),
  };
}

/** An event type. */
export function presentType({ id, name, userId, limit }: CalendlyType): object {
  const profile = { type: "User", owner: uriOf("users", userId) };
  return {
    uri: uriOf("event_types", id),
    name,
    active: true,
    kind: limit > 1 ? "group" : "solo",
    profile,
  };
}

/** An event with its hosts and the number of its invitees. */
export function presentBooking(world: CalendlyWorld, booking: CalendlyBooking): object {
  const guests = [...world.guests.values()].filter(({ eventId }) => eventId === booking.id);
  const type = world.types.find(({ id }) => id === booking.typeId);
  const active = guests.filter(({ status }) => status === "active").length;
  return {
    uri: uriOf("scheduled_events", booking.id),
    name: booking.title,
    status: booking.status,
    start_time: presentMoment(booking.startTime),
    end_time: presentMoment(booking.endTime),
    event_type: uriOf("event_types", booking.typeId),
    location: booking.location,
    event_memberships: booking.hostIds.map((id) => {
      const user = world.users.find((one) => one.id === id);
      return { user: uriOf("users", id), user_email: user?.email, user_name: user?.name };
    }),
    event_guests: [],
    invitees_counter: { total: guests.length, active, limit: type?.limit ?? 1 },
    calendar_event:
      booking.googleId === null ? null : { kind: "google", external_id: booking.googleId },
    created_at: presentMoment(booking.createdAt),
    updated_at: presentMoment(booking.updatedAt),
  };
}

/** Address of an invitee; null stays null. */
export function guestUri(world: CalendlyWorld, id: string | null): string | null {
  const guest = id === null ? undefined : world.guests.get(id);
  return guest === undefined ? null : uriOf(`scheduled_events/${guest.eventId}/invitees`, guest.id);
}

/** An invitee as the API shows it, without its event. */
export function presentGuest(world: CalendlyWorld, guest: CalendlyGuest): object {
  return {
    uri: guestUri(world, guest.id),
    event: uriOf("scheduled_events", guest.eventId),
    name: guest.name,
    first_name: null,
    last_name: null,
    email: guest.email,
    status: guest.status,
    timezone: "America/Mexico_City",
    text_reminder_number: guest.reminderNumber,
    questions_and_answers: guest.answers.map((one, position) => ({ ...one, position })),
    tracking: { utm_source: null },
    rescheduled: guest.rescheduled,
    old_invitee: guestUri(world, guest.oldId),
    new_invitee: guestUri(world, guest.newId),
    no_show:
      guest.noShowId === null
        ? null
        : {
            uri: uriOf("invitee_no_shows", guest.noShowId),
            created_at: presentMoment(guest.updatedAt),
          },
    payment: null,
    cancel_url: `https://calendly.com/cancellations/${guest.id}`,
    reschedule_url: `https://calendly.com/reschedulings/${guest.id}`,
    ...(guest.status === "canceled"
      ? {
          cancellation: {
            canceled_by: guest.name,
            reason: guest.cancelReason,
            canceler_type: "invitee",
          },
        }
      : {}),
    created_at: presentMoment(guest.createdAt),
    updated_at: presentMoment(guest.updatedAt),
  };
}

/** A subscription as the API shows it. The key is never shown. */
export function presentHook(world: CalendlyWorld, hook: CalendlyHook): object {
  return {
    uri: uriOf("webhook_subscriptions", hook.id),
    callback_url: hook.url,
    events: hook.events,
    scope: hook.scope,
    organization: uriOf("organizations", world.organizationId),
    user: hook.userId === null ? null : uriOf("users", hook.userId),
    state: hook.state,
  };
}

/** Body of a webhook about an invitee. */
export function webhookBody(world: CalendlyWorld, kind: string, guest: CalendlyGuest): string {
  const booking = world.bookings.get(guest.eventId);
  if (booking === undefined) throw new Error("An invitee has an event.");
  return JSON.stringify({
    event: kind,
    created_at: presentMoment(world.now()),
    created_by: uriOf("users", booking.hostIds[0] ?? ""),
    payload: { ...presentGuest(world, guest), scheduled_event: presentBooking(world, booking) },
  });
}

/** Value of `Calendly-Webhook-Signature` at this moment. */
export function signCalendly(key: string, body: string, moment: Date): string {
  const seconds = Math.floor(moment.getTime() / 1_000);
  const digest = createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}
