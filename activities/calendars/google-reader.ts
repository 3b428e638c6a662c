import { z } from "zod";
import { googleEvent, type GoogleEventBody } from "../../core/calendars/google-event.ts";
import type { CalendarAccess, CalendarTrouble } from "../../core/model/calendar.ts";
import type { GoogleAnswer } from "./google-http.ts";
import {
  judgeFailure,
  type GoogleOptions,
  type GoogleSession,
  type OpenGoogleCall,
} from "./google-session.ts";

/** One page of a list. Bounds and token exclude each other. */
export interface EventQuery {
  bounds: { from: Date; until: Date } | { syncToken: string };
  pageToken: string | null;
}

/** Page of a list as Google answered it. */
export interface EventPage {
  kind: "page";
  events: GoogleEventBody[];
  /** Entries that are no events. */
  unreadable: number;
  /** Zone of the calendar. */
  timeZone: string;
  nextPageToken: string | null;
  /** Token for the changes from now on; on the last page only. */
  nextSyncToken: string | null;
}

/** Result of a list. `expired`: the token is too old, so everything has to be read again. */
export type ListResult = EventPage | { kind: "expired" } | CalendarTrouble;

/** Result of a read. `gone`: there is no such event, or it was deleted. */
export type ReadResult =
  | { kind: "event"; event: GoogleEventBody }
  | { kind: "gone" }
  | CalendarTrouble;

/** A channel to open. */
export interface ChannelRequest {
  id: string;
  /** Secret that each announcement carries. */
  token: string;
  /** Our address, on https. */
  address: string;
}

/** Result of a watch. `expiresAt` is the end that Google granted. */
export type WatchResult = { kind: "open"; resourceId: string; expiresAt: Date } | CalendarTrouble;

/** Reads calendars and their announcements. Never throws for errors of the provider. */
export interface CalendarReader {
  listEvents(access: CalendarAccess, query: EventQuery): Promise<ListResult>;
  getEvent(access: CalendarAccess, eventId: string): Promise<ReadResult>;
  watchEvents(access: CalendarAccess, channel: ChannelRequest): Promise<WatchResult>;
  /** Ends a channel. An unknown one counts as ended. */
  stopChannel(
    access: CalendarAccess,
    channel: { id: string; resourceId: string },
  ): Promise<{ kind: "stopped" } | CalendarTrouble>;
}

/** Events of a page. More would make a transaction long. */
const pageSize = 250;
/** 250 events with long descriptions. */
const maxListBytes = 4 * 1_024 * 1_024;
const listDeadlineMs = 15_000;

const eventFields = [
  "id,etag,status,updated,summary,description,eventType,transparency,visibility",
  "iCalUID,recurringEventId,start,end,organizer(email,displayName,self)",
  "attendees(email,displayName,responseStatus,organizer,self,resource)",
].join(",");
const listFields = `timeZone,nextPageToken,nextSyncToken,items(${eventFields})`;

const listBody = z.object({
  timeZone: z.string().catch("UTC"),
  nextPageToken: z.string().optional(),
  nextSyncToken: z.string().optional(),
  items: z.array(z.unknown()).default([]),
});
const watchBody = z.object({ resourceId: z.string().min(1), expiration: z.coerce.number() });

/** Creates the reading half of a calendar port for Google. */
export function createGoogleReader(options: GoogleOptions, session: GoogleSession): CalendarReader {
  return {
    async listEvents(access, query) {
      const url = eventsUrl(options, access.calendarId, "");
      for (const [name, value] of listParameters(query)) url.searchParams.set(name, value);
      const limits = { deadlineMs: listDeadlineMs, maxAnswerBytes: maxListBytes };
      return await session.call(access, { method: "GET", url, ...limits }, judgeList);
    },

    async getEvent(access, eventId) {
      const url = eventsUrl(options, access.calendarId, `/${encodeURIComponent(eventId)}`);
      url.searchParams.set("fields", eventFields);
      return await session.call(access, { method: "GET", url }, judgeEvent);
    },

    async watchEvents(access, { id, token, address }) {
      const url = eventsUrl(options, access.calendarId, "/watch");
      const body = { id, token, address, type: "web_hook" };
      return await session.call(access, postCall(url, body), judgeWatch);
    },

    async stopChannel(access, { id, resourceId }) {
      const url = new URL(`${options.apiUrl}/calendar/v3/channels/stop`);
      return await session.call(access, postCall(url, { id, resourceId }), (answer) => {
        const { status } = answer;
        const isOver = status !== null && (status < 300 || status === 404);
        return isOver ? { kind: "stopped" as const } : judgeFailure(answer);
      });
    },
  };
}

/** Address of the events of a calendar. */
export function eventsUrl({ apiUrl }: GoogleOptions, calendarId: string, path: string): URL {
  return new URL(`${apiUrl}/calendar/v3/calendars/${encodeURIComponent(calendarId)}/events${path}`);
}

function postCall(url: URL, body: object): OpenGoogleCall {
  const headers = { "content-type": "application/json" };
  return { method: "POST", url, headers, body: JSON.stringify(body) };
}

/** Google wants the same parameters with each page. */
function listParameters({ bounds, pageToken }: EventQuery): [string, string][] {
  const range: [string, string][] =
    "syncToken" in bounds
      ? [["syncToken", bounds.syncToken]]
      : [
          ["timeMin", bounds.from.toISOString()],
          ["timeMax", bounds.until.toISOString()],
        ];
  return [
    ["singleEvents", "true"],
    ["maxResults", String(pageSize)],
    ["fields", listFields],
    ...range,
    ...(pageToken === null ? [] : [["pageToken", pageToken] satisfies [string, string]]),
  ];
}

function judgeList(answer: GoogleAnswer): ListResult | "unauthorized" {
  if (answer.status === 200) {
    const list = listBody.safeParse(answer.json);
    if (!list.success) return { kind: "transient", code: "unreadable" };
    const { items, timeZone, nextPageToken, nextSyncToken } = list.data;
    const events = items.flatMap((item) => {
      const event = googleEvent.safeParse(item);
      return event.success ? [event.data] : [];
    });
    return {
      kind: "page",
      events,
      unreadable: items.length - events.length,
      timeZone,
      nextPageToken: nextPageToken ?? null,
      nextSyncToken: nextSyncToken ?? null,
    };
  }
  // A page token that Google no longer takes is a bad request.
  if (answer.status === 410 || answer.status === 400) return { kind: "expired" };
  return judgeFailure(answer);
}

function judgeEvent(answer: GoogleAnswer): ReadResult | "unauthorized" {
  if (answer.status === 404 || answer.status === 410) return { kind: "gone" };
  if (answer.status !== 200) return judgeFailure(answer);
  const event = googleEvent.safeParse(answer.json);
  if (!event.success) return { kind: "transient", code: "unreadable" };
  return event.data.status === "cancelled"
    ? { kind: "gone" }
    : { kind: "event", event: event.data };
}

function judgeWatch(answer: GoogleAnswer): WatchResult | "unauthorized" {
  if (answer.status === 200) {
    const channel = watchBody.safeParse(answer.json);
    if (!channel.success) return { kind: "transient", code: "unreadable" };
    const { resourceId, expiration } = channel.data;
    return { kind: "open", resourceId, expiresAt: new Date(expiration) };
  }
  const { status } = answer;
  // Google names the reason why it announces nothing: the kind of calendar, or our address. A
  // refused address is a 401 too.
  if (status === 400 || (status !== null && refusedWatch.test(answer.reason))) {
    return { kind: "refused", code: codeOf(answer.reason) };
  }
  return judgeFailure(answer);
}

const refusedWatch = /^(?:push\.)?(?:pushNotSupported|webhookUrl)\w*$/u;

/** Our word for Google's reason. */
function codeOf(reason: string): string {
  return reason.includes("webhookUrl") ? "address_refused" : "not_supported";
}
