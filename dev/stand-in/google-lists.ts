import { randomBytes } from "node:crypto";
import { listInstances, presentInstance } from "./google-events.ts";
import { momentOf } from "./google-time.ts";
import { GoogleRefusal, type GoogleEvent, type GoogleRemoval } from "./google-wire.ts";
import type { EventRecord, GoogleCalendar, GoogleWorld } from "./google-world.ts";

type Item = GoogleEvent | GoogleRemoval;

/** Parameters that a sync token replaces. */
const noSyncParameters = [
  "iCalUID",
  "orderBy",
  "privateExtendedProperty",
  "q",
  "sharedExtendedProperty",
  "timeMax",
  "timeMin",
  "updatedMin",
];
/** Parameters that may differ from page to page. */
const freeParameters = ["pageToken", "fields", "maxResults", "prettyPrint", "quotaUser"];

/** One page of `events.list`, full or since a sync token. */
export function listEvents(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  query: URLSearchParams,
): unknown {
  const { facts } = calendar;
  const size = readSize(query);
  const page = query.has("pageToken")
    ? takePage(world, calendar, query)
    : firstPage(world, calendar, query);
  const items = page.rest.slice(0, size);
  const rest = page.rest.slice(size);
  const head = {
    kind: "calendar#events",
    etag: `"p${calendar.seq}"`,
    summary: facts.summary,
    description: "",
    updated: new Date(world.now()).toISOString(),
    timeZone: facts.timeZone,
    accessRole: facts.accessRole,
    defaultReminders: [{ method: "popup", minutes: 30 }],
  };
  if (rest.length === 0)
    return { ...head, ...(page.syncToken !== null && { nextSyncToken: page.syncToken }), items };
  const token = randomBytes(15).toString("base64url");
  world.pages.set(token, { ...page, rest });
  return { ...head, nextPageToken: token, items };
}

/** Instances of one series, as `events.instances` lists them. */
export function listOneSeries(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  id: string,
  query: URLSearchParams,
): unknown {
  const record = calendar.records.get(id);
  if (record === undefined) throw new GoogleRefusal(404, "notFound", "Not Found");
  const bounds = readBounds(query);
  const shown = instancesOf(world, calendar, record, bounds.max).filter((event) =>
    isWithin(event, calendar, bounds),
  );
  const items = shown
    .filter(({ status }) => status !== "cancelled" || query.get("showDeleted") === "true")
    .map((event) => addSelf(calendar, event));
  return { kind: "calendar#events", timeZone: calendar.facts.timeZone, items };
}

/** An event for the reader of a calendar: `self` says which person is the calendar's owner. */
export function addSelf({ facts }: GoogleCalendar, event: GoogleEvent): GoogleEvent {
  const mark = <T extends { email: string }>(person: T): T =>
    person.email === facts.id ? { ...person, self: true } : person;
  return {
    ...event,
    creator: mark(event.creator),
    organizer: mark(event.organizer),
    ...(event.attendees !== undefined && {
      attendees: event.attendees.map((guest) => ({
        ...mark(guest),
        ...(guest.email === event.organizer.email && { organizer: true }),
      })),
    }),
  };
}

function firstPage(world: GoogleWorld, calendar: GoogleCalendar, query: URLSearchParams) {
  const single = query.get("singleEvents") === "true";
  const token = query.get("syncToken");
  const order = query.get("orderBy");
  if (order === "startTime" && !single)
    throw new GoogleRefusal(
      400,
      "invalid",
      "The requested ordering is not available for the particular query.",
    );
  const found =
    token === null
      ? listAll(world, calendar, query)
      : listChanges(world, calendar, readSyncToken(calendar, token, query), single);
  if (order === "startTime") sortByStart(found, calendar);
  const keepsToken = order === null && !query.has("q") && !query.has("iCalUID");
  return {
    calendarId: calendar.facts.id,
    parameters: parametersOf(query),
    rest: found as readonly unknown[],
    syncToken: keepsToken ? writeSyncToken(calendar, single) : null,
  };
}

function takePage(world: GoogleWorld, calendar: GoogleCalendar, query: URLSearchParams) {
  const page = world.pages.get(query.get("pageToken") ?? "");
  if (page?.calendarId !== calendar.facts.id || page.parameters !== parametersOf(query))
    throw new GoogleRefusal(400, "invalid", "Invalid page token value.");
  return page;
}

function parametersOf(query: URLSearchParams): string {
  const entries = [...query].filter(([name]) => !freeParameters.includes(name));
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function readSize(query: URLSearchParams): number {
  const size = Number(query.get("maxResults") ?? 250);
  if (!Number.isInteger(size) || size < 1)
    throw new GoogleRefusal(400, "invalidParameter", "Invalid value for maxResults.");
  return Math.min(size, 2_500);
}

interface Bounds {
  /** Epoch milliseconds; undefined: none. */
  min: number | undefined;
  max: number | undefined;
}

function readBounds(query: URLSearchParams): Bounds {
  const read = (name: string): number | undefined => {
    const text = query.get(name);
    if (text === null) return undefined;
    if (!/T.*(?:Z|[+-]\d{2}:\d{2})$/u.test(text) || Number.isNaN(Date.parse(text)))
      throw new GoogleRefusal(
        400,
        "badRequest",
        `Bad Request: ${name} takes RFC 3339 with offset.`,
      );
    return Date.parse(text);
  };
  const bounds = { min: read("timeMin"), max: read("timeMax") };
  if (bounds.min !== undefined && bounds.max !== undefined && bounds.min >= bounds.max)
    throw new GoogleRefusal(400, "timeRangeEmpty", "The specified time range is empty.");
  return bounds;
}

function isWithin(event: GoogleEvent, { facts }: GoogleCalendar, { min, max }: Bounds): boolean {
  if (min !== undefined && momentOf(event.end, facts.timeZone) <= min) return false;
  return max === undefined || momentOf(event.start, facts.timeZone) < max;
}

function listAll(world: GoogleWorld, calendar: GoogleCalendar, query: URLSearchParams): Item[] {
  const bounds = readBounds(query);
  const single = query.get("singleEvents") === "true";
  const withDeleted = query.get("showDeleted") === "true";
  const uid = query.get("iCalUID");
  const words = query.get("q")?.toLowerCase();
  const found: Item[] = [];
  for (const record of calendar.records.values()) {
    const isSeries = record.event.recurrence !== undefined;
    const events =
      single && isSeries
        ? instancesOf(world, calendar, record, bounds.max)
        : [record.event, ...(single ? [] : [...record.instances.values()].map((one) => one.event))];
    for (const event of events) {
      if (event.status === "cancelled" && !withDeleted) continue;
      if (!(isSeries && !single) && !isWithin(event, calendar, bounds)) continue;
      if (uid !== null && event.iCalUID !== uid) continue;
      if (words !== undefined && !JSON.stringify(event).toLowerCase().includes(words)) continue;
      found.push(addSelf(calendar, event));
    }
  }
  return found;
}

/** Changes since a sync token have no bounds: all instances of a changed series come. */
function listChanges(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  since: number,
  single: boolean,
): Item[] {
  const found: Item[] = [];
  for (const record of calendar.records.values()) {
    if (record.event.recurrence !== undefined && single) {
      found.push(...listSeriesChanges(world, calendar, record, since));
      continue;
    }
    if (record.seq > since) found.push(presentChange(calendar, record.event));
    for (const changed of record.instances.values())
      if (changed.seq > since) found.push(presentChange(calendar, changed.event));
  }
  if (!single) return found;
  for (const [id, { seq }] of calendar.vanished)
    if (seq > since)
      found.push({ kind: "calendar#event", etag: `"${seq}"`, id, status: "cancelled" });
  return found;
}

function listSeriesChanges(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  record: EventRecord,
  since: number,
): Item[] {
  if (record.seq > since)
    return instancesOf(world, calendar, record).map((event) => presentChange(calendar, event));
  return [...record.instances.values()]
    .filter(({ seq }) => seq > since)
    .map(({ event }) => presentChange(calendar, event));
}

/** A removal carries its id and its status, and nothing else that one could use. */
function presentChange(calendar: GoogleCalendar, event: GoogleEvent): Item {
  if (event.status !== "cancelled") return addSelf(calendar, event);
  const { kind, etag, id, status, recurringEventId, originalStartTime } = event;
  const ofSeries = recurringEventId !== undefined && originalStartTime !== undefined;
  return { kind, etag, id, status, ...(ofSeries && { recurringEventId, originalStartTime }) };
}

function instancesOf(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  record: EventRecord,
  untilMs?: number,
): GoogleEvent[] {
  return listInstances(world, calendar, record, untilMs).map((one) => presentInstance(record, one));
}

function sortByStart(items: Item[], { facts }: GoogleCalendar): void {
  const moment = (item: Item): number =>
    "start" in item ? momentOf(item.start, facts.timeZone) : 0;
  items.sort((one, other) => moment(one) - moment(other));
}

function writeSyncToken({ facts, seq }: GoogleCalendar, single: boolean): string {
  return Buffer.from(JSON.stringify([facts.id, seq, single])).toString("base64url");
}

function readSyncToken(calendar: GoogleCalendar, token: string, query: URLSearchParams): number {
  const taken = noSyncParameters.find((name) => query.has(name));
  if (taken !== undefined || query.get("showDeleted") === "false")
    throw new GoogleRefusal(
      400,
      "invalid",
      `Sync token cannot be used with ${taken ?? "showDeleted=false"}.`,
    );
  const [id, seq, single] = parseToken(token);
  if (id !== calendar.facts.id || typeof seq !== "number")
    throw new GoogleRefusal(400, "invalid", "Invalid sync token value.");
  if (single !== (query.get("singleEvents") === "true"))
    throw new GoogleRefusal(400, "invalid", "Sync token is for another value of singleEvents.");
  if (seq < calendar.oldestSeq)
    throw new GoogleRefusal(
      410,
      "fullSyncRequired",
      "Sync token is no longer valid, a full sync is required.",
      "calendar",
    );
  return seq;
}

function parseToken(token: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, "base64url").toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

/** Events that are not deleted, with the instances of series, by their start. */
export function listInstancesNow(world: GoogleWorld, calendar: GoogleCalendar): GoogleEvent[] {
  const found = listAll(world, calendar, new URLSearchParams({ singleEvents: "true" }));
  sortByStart(found, calendar);
  return found.filter((item): item is GoogleEvent => "start" in item);
}
