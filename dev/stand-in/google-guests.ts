import type { GoogleEvent, GoogleEventChange } from "./google-wire.ts";
import { touch, type EventRecord, type GoogleCalendar, type GoogleWorld } from "./google-world.ts";

/** Members that a guest's copy has for itself. */
const ownMembers = ["reminders", "colorId", "transparency", "visibility"] as const;

/** Puts the organizer's event into the calendars of guests that this stand-in has too. */
export function copyToGuests(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  { event }: EventRecord,
): void {
  if (event.organizer.email !== calendar.facts.id) return;
  for (const { email } of event.attendees ?? []) {
    const other = world.calendars.get(email);
    if (other === undefined || other === calendar) continue;
    const known = other.records.get(event.id);
    const copy: GoogleEvent = { ...structuredClone(event) };
    for (const name of ownMembers) Object.assign(copy, { [name]: known?.event[name] });
    // Private properties belong to one calendar.
    copy.extendedProperties = {
      ...(event.extendedProperties?.shared && { shared: event.extendedProperties.shared }),
      ...(known?.event.extendedProperties?.private && {
        private: known.event.extendedProperties.private,
      }),
    };
    const record: EventRecord = { event: copy, seq: 0, instances: new Map() };
    other.records.set(event.id, record);
    record.seq = touch(world, other, copy);
    world.pushes.announce(other.facts.id);
  }
}

/** A guest's answer, or deletion of the copy, reaches the organizer's event. */
export function tellOrganizer(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  event: GoogleEvent,
): void {
  const own = calendar.facts.id;
  const organizer = world.calendars.get(event.organizer.email);
  if (organizer === undefined || event.organizer.email === own) return;
  const theirs = organizer.records.get(event.id);
  const guest = theirs?.event.attendees?.find(({ email }) => email === own);
  if (theirs === undefined || guest === undefined) return;
  const declined = event.status === "cancelled" ? ("declined" as const) : undefined;
  const answer = declined ?? event.attendees?.find(({ email }) => email === own)?.responseStatus;
  if (answer === undefined || answer === guest.responseStatus) return;
  guest.responseStatus = answer;
  theirs.seq = touch(world, organizer, theirs.event);
  world.pushes.announce(organizer.facts.id);
}

/** True where the calendar has somebody else's event, which its owner cannot move. */
export function isGuestCopy({ facts }: GoogleCalendar, event: GoogleEvent): boolean {
  return event.organizer.email !== facts.id && event.guestsCanModify !== true;
}

/**
 * The part of a change that Google takes on a guest's copy. It drops the rest without a word, so
 * that the answer is 200 with the old times.
 */
export function ownChange(
  { facts }: GoogleCalendar,
  event: GoogleEvent,
  change: GoogleEventChange,
): GoogleEventChange {
  const kept: GoogleEventChange = {};
  for (const name of ownMembers)
    if (change[name] !== undefined) Object.assign(kept, { [name]: change[name] });
  const own = change.extendedProperties?.private;
  if (own !== undefined) kept.extendedProperties = { private: own };
  const answer = change.attendees?.find(({ email }) => email === facts.id)?.responseStatus;
  if (answer !== undefined)
    kept.attendees = (event.attendees ?? []).map((guest) =>
      guest.email === facts.id ? { ...guest, responseStatus: answer } : guest,
    );
  return kept;
}
