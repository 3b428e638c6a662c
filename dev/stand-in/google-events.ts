import { randomBytes } from "node:crypto";
import { copyToGuests, tellOrganizer } from "./google-guests.ts";
import {
  endRules,
  expandSeries,
  momentOf,
  normalizeTime,
  restRules,
  splitStamp,
  type Instance,
} from "./google-time.ts";
import {
  GoogleRefusal,
  mergeChange,
  type GoogleEvent,
  type GoogleEventChange,
} from "./google-wire.ts";
import { touch, type EventRecord, type GoogleCalendar, type GoogleWorld } from "./google-world.ts";

/** An endless series ends here: about as far as Google's own lists go. */
const horizonMs = 14 * 365 * 86_400_000;

/** A new event of the calendar's owner, or of another organizer where the change names one. */
export function insertEvent(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  change: GoogleEventChange,
): GoogleEvent {
  const id = change.id ?? randomBytes(16).toString("hex");
  if (!/^[0-9a-v]{5,1024}$/u.test(id))
    throw new GoogleRefusal(400, "invalid", "Invalid resource id value.");
  if (calendar.records.has(id))
    throw new GoogleRefusal(409, "duplicate", "The requested identifier already exists.");
  const { facts } = calendar;
  const created = new Date(world.now()).toISOString();
  const blank: GoogleEvent = {
    kind: "calendar#event",
    etag: "",
    id,
    status: "confirmed",
    htmlLink: `https://www.google.com/calendar/event?eid=${id}`,
    created,
    updated: created,
    creator: { email: facts.id },
    organizer: { email: facts.id },
    start: {},
    end: {},
    iCalUID: `${id}@google.com`,
    sequence: -1,
    reminders: { useDefault: true },
    eventType: "default",
  };
  const event = mergeChange(blank, { ...change, id, etag: "" });
  const record: EventRecord = { event: checkEvent(event, calendar), seq: 0, instances: new Map() };
  calendar.records.set(id, record);
  settle(world, calendar, record);
  return record.event;
}

/**
 * Changes an event, a series or one instance.
 * @throws GoogleRefusal where there is none
 */
export function changeEvent(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  id: string,
  change: GoogleEventChange,
): GoogleEvent {
  const { record, instance } = findRecord(world, calendar, id);
  if (instance !== null) {
    const merged = checkEvent(mergeChange(instance, change), calendar);
    const kept = { event: merged, seq: 0 };
    kept.event.sequence += 1;
    record.instances.set(id, kept);
    kept.seq = touch(world, calendar, kept.event);
    finish(world, calendar, record, kept.event);
    return kept.event;
  }
  const before = listInstances(world, calendar, record);
  const wasTimed = timesOf(record.event);
  record.event = checkEvent(mergeChange(record.event, change), calendar);
  // A new time of the whole series ends its exceptions. Those before a split stay.
  if (timesOf(record.event) !== wasTimed) record.instances.clear();
  settle(world, calendar, record, before);
  return record.event;
}

/** Deletes an event, a series or one instance. @throws GoogleRefusal where there is none */
export function removeEvent(world: GoogleWorld, calendar: GoogleCalendar, id: string): void {
  const found = findRecord(world, calendar, id);
  const event = found.instance ?? found.record.event;
  if (event.status === "cancelled")
    throw new GoogleRefusal(410, "deleted", "Resource has been deleted");
  changeEvent(world, calendar, id, { status: "cancelled" });
}

/**
 * "This and following events": the old series ends, and another begins under a new id.
 * @returns the new series
 */
export function splitSeries(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  instanceId: string,
  change: GoogleEventChange,
): GoogleEvent {
  const { record } = findRecord(world, calendar, instanceId);
  const all = listInstances(world, calendar, record);
  const position = all.findIndex(({ id }) => id === instanceId);
  const at = all[position];
  const { recurrence } = record.event;
  if (at === undefined || recurrence === undefined)
    throw new GoogleRefusal(404, "notFound", "Not Found");
  const zone = calendar.facts.timeZone;
  const base = record.event.id.replace(/_R[\dT]+$/u, "");
  const start = momentOf(at.original, zone);
  changeEvent(world, calendar, record.event.id, { recurrence: endRules(recurrence, start) });
  const { etag: _etag, ...rest } = record.event;
  const id = `${base}_R${splitStamp(at.original, zone)}`;
  const following: EventRecord = {
    event: checkEvent(
      mergeChange(
        {
          ...structuredClone(rest),
          etag: "",
          id,
          iCalUID: `${id}@google.com`,
          start: at.start,
          end: at.end,
          recurrence: restRules(recurrence, position),
          sequence: -1,
        },
        change,
      ),
      calendar,
    ),
    seq: 0,
    instances: new Map(),
  };
  calendar.records.set(id, following);
  settle(world, calendar, following);
  return following.event;
}

/** The event as it is now, deleted ones too; an instance by its own id. Null: there is none. */
export function findEvent(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  id: string,
): GoogleEvent | null {
  const found = lookUp(world, calendar, id);
  return found === null ? null : (found.instance ?? found.record.event);
}

/** Instances of a series; none for a deleted one and for a single event. */
export function listInstances(
  world: GoogleWorld,
  { facts }: GoogleCalendar,
  { event }: EventRecord,
  untilMs = world.now() + horizonMs,
): Instance[] {
  if (event.recurrence === undefined || event.status === "cancelled") return [];
  return expandSeries(event, facts.timeZone, untilMs);
}

/** One instance with the members of its series, or as somebody has changed it. */
export function presentInstance(record: EventRecord, instance: Instance): GoogleEvent {
  const changed = record.instances.get(instance.id);
  if (changed !== undefined) return changed.event;
  const { recurrence: _recurrence, ...series } = record.event;
  return {
    ...series,
    id: instance.id,
    recurringEventId: series.id,
    originalStartTime: instance.original,
    start: instance.start,
    end: instance.end,
  };
}

function findRecord(world: GoogleWorld, calendar: GoogleCalendar, id: string) {
  const found = lookUp(world, calendar, id);
  if (found === null) throw new GoogleRefusal(404, "notFound", "Not Found");
  return found;
}

function lookUp(world: GoogleWorld, calendar: GoogleCalendar, id: string) {
  const record = calendar.records.get(id);
  if (record !== undefined) return { record, instance: null };
  const series = calendar.records.get(id.replace(/_\d{8}(?:T\d{6}Z)?$/u, ""));
  if (series === undefined) return null;
  const instance = listInstances(world, calendar, series).find((one) => one.id === id);
  if (instance !== undefined)
    return { record: series, instance: presentInstance(series, instance) };
  if (!calendar.vanished.has(id)) return null;
  const gone: GoogleEvent = { ...series.event, id, status: "cancelled" };
  delete gone.recurrence;
  return { record: series, instance: { ...gone, recurringEventId: series.event.id } };
}

/** Writes down a change of a whole event or series, and the instances that it ends. */
function settle(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  record: EventRecord,
  before: readonly Instance[] = [],
): void {
  record.event.sequence += 1;
  record.seq = touch(world, calendar, record.event);
  const now = new Set(listInstances(world, calendar, record).map(({ id }) => id));
  for (const id of now) calendar.vanished.delete(id);
  for (const { id } of before) {
    if (now.has(id)) continue;
    calendar.vanished.set(id, { seq: record.seq, baseId: record.event.id });
    record.instances.delete(id);
  }
  finish(world, calendar, record, record.event);
}

function finish(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  record: EventRecord,
  event: GoogleEvent,
): void {
  world.pushes.announce(calendar.facts.id);
  if (event === record.event) copyToGuests(world, calendar, record);
  tellOrganizer(world, calendar, event);
}

function timesOf({ start, end, status }: GoogleEvent): string {
  return JSON.stringify([start, end, status]);
}

/** @throws GoogleRefusal where times are missing or out of order */
function checkEvent(event: GoogleEvent, { facts }: GoogleCalendar): GoogleEvent {
  const start = normalizeTime("start", event.start, facts.timeZone);
  const end = normalizeTime("end", event.end, facts.timeZone);
  if (momentOf(end, facts.timeZone) < momentOf(start, facts.timeZone))
    throw new GoogleRefusal(
      400,
      "timeRangeEmpty",
      "The specified time range is empty.",
      "calendar",
    );
  if ((start.date === undefined) !== (end.date === undefined))
    throw new GoogleRefusal(
      400,
      "invalid",
      "Start and end times must either both be date or both be dateTime.",
    );
  const attendees = event.attendees?.map((guest) => ({
    ...guest,
    responseStatus: guest.responseStatus ?? ("needsAction" as const),
  }));
  return { ...event, start, end, ...(attendees !== undefined && { attendees }) };
}
