import type { GoogleEvent } from "../../dev/stand-in/google-wire.ts";

/** An event of an appointment, as receivers get it. */
export interface ToldChange {
  event_type: string;
  data: { appointment_id: number; start_time: string; previous_start_time?: string };
}

/** An appointment as it is stored. */
export interface StoredVisit {
  id: number;
  status: string;
  start_time: Date;
  google_event_id: string | null;
}

/**
 * Plays events back in their order. Each has to follow from the state before it.
 * @returns the states at the end, and the events that were told twice or do not follow
 */
export function replayChanges(changes: readonly ToldChange[]): {
  states: string[];
  faults: string[];
} {
  const states = new Map<number, string>();
  const faults: string[] = [];
  for (const { event_type: type, data } of changes) {
    const { appointment_id: id, start_time: start, previous_start_time: before = "" } = data;
    const known = states.get(id) ?? "";
    const follows =
      type === "appointment.created"
        ? !known.startsWith("confirmed")
        : known === `confirmed ${type === "appointment.rescheduled" ? before : start}`;
    if (!follows) faults.push(`${type} of ${id} at ${start} after "${known}"`);
    const status = type === "appointment.cancelled" ? "cancelled" : "confirmed";
    states.set(id, `${status} ${start}`);
  }
  return { states: [...states].map(([id, state]) => `${id} ${state}`).toSorted(), faults };
}

/** States of stored appointments, as `replayChanges` names them. */
export function statesOf(visits: readonly StoredVisit[]): string[] {
  return visits
    .map(({ id, status, start_time: start }) => `${id} ${status} ${start.toISOString()}`)
    .toSorted();
}

/** Events of customers in a calendar: ours, and those with a guest who has not declined. */
export function customersEvents(events: readonly GoogleEvent[]): GoogleEvent[] {
  return events.filter(({ attendees, extendedProperties }) => {
    const [guest] = attendees ?? [];
    const isOurs = extendedProperties?.private?.["appointment_id"] !== undefined;
    return isOurs || (guest !== undefined && guest.responseStatus !== "declined");
  });
}

/**
 * Ids and times of the confirmed appointments, and of the customers' events. Both are equal once
 * each side has what the other one has.
 */
export function sidesOf(
  visits: readonly StoredVisit[],
  events: readonly GoogleEvent[],
): { ours: string[]; theirs: string[] } {
  const ours = visits
    .filter(({ status }) => status === "confirmed")
    .map((visit) => `${visit.google_event_id} ${visit.start_time.toISOString()}`);
  const theirs = customersEvents(events).map(
    ({ id, start }) => `${id} ${new Date(start.dateTime ?? "").toISOString()}`,
  );
  return { ours: ours.toSorted(), theirs: theirs.toSorted() };
}
