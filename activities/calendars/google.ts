import { z } from "zod";
import type { CalendarAccess, CalendarEvent, CalendarResult } from "../../core/model/calendar.ts";
import type { GoogleAnswer, GoogleCall } from "./google-http.ts";
import { createGoogleReader, eventsUrl } from "./google-reader.ts";
import { createGoogleSession, judgeFailure, type GoogleOptions } from "./google-session.ts";
import type { CalendarPort } from "./port.ts";

/** A calendar port for Google, with its connections. */
export interface GoogleCalendar extends CalendarPort {
  close(): Promise<void>;
}

type EventCall = Pick<GoogleCall, "method"> & {
  path: string;
  event?: CalendarEvent;
  etag?: string;
  notifyGuests?: boolean;
};

/** Google Calendar v3. */
export function createGoogleCalendar(options: GoogleOptions): GoogleCalendar {
  const session = createGoogleSession(options);

  async function call(access: CalendarAccess, one: EventCall): Promise<CalendarResult> {
    const { method, path, event, etag, notifyGuests = event?.notifyGuests } = one;
    const url = eventsUrl(options, access.calendarId, path);
    // We inform the customer of our own events. Google informs the guests of others' events.
    if (method !== "GET") url.searchParams.set("sendUpdates", notifyGuests ? "all" : "none");
    const headers = {
      ...(event === undefined ? {} : { "content-type": "application/json" }),
      ...(etag === undefined ? {} : { "if-match": etag }),
    };
    const body = event === undefined ? {} : { body: JSON.stringify(presentEvent(event, method)) };
    const result = await session.call(access, { method, url, headers, ...body }, (answer) =>
      judge(method, answer, event),
    );
    return result;
  }

  return {
    insertEvent: (access, event) => call(access, { method: "POST", path: "", event }),
    patchEvent: (access, event, etag) =>
      call(access, { method: "PATCH", path: `/${encodeURIComponent(event.id)}`, event, etag }),
    deleteEvent: (access, eventId, { etag, notifyGuests }) =>
      call(access, {
        method: "DELETE",
        path: `/${encodeURIComponent(eventId)}`,
        notifyGuests,
        ...(etag === null ? {} : { etag }),
      }),
    ...createGoogleReader(options, session),
    close: () => session.close(),
  };
}

/** Only an insert has the id, because the id cannot be changed afterwards. */
function presentEvent(event: CalendarEvent, method: GoogleCall["method"]): object {
  const { id, appointmentId, summary, startTime, endTime, timeZone } = event;
  // Everything else of an event that somebody else made stays theirs.
  if (event.timesOnly) {
    return {
      start: { dateTime: startTime.toISOString(), timeZone },
      end: { dateTime: endTime.toISOString(), timeZone },
    };
  }
  return {
    ...(method === "POST" ? { id } : {}),
    summary,
    start: { dateTime: startTime.toISOString(), timeZone },
    end: { dateTime: endTime.toISOString(), timeZone },
    extendedProperties: { private: { appointment_id: String(appointmentId) } },
  };
}

function judge(
  method: GoogleCall["method"],
  answer: GoogleAnswer,
  event: CalendarEvent | undefined,
): CalendarResult | "unauthorized" {
  if (answer.status === null) return judgeFailure(answer);
  const { status, etag, cancelled } = answer;
  if (status >= 200 && status < 300) {
    // For a while a deleted event can still be read, and even be written to.
    if (cancelled) return { kind: "gone" };
    if (event !== undefined && !hasTimesOf(answer.json, event)) {
      return { kind: "refused", code: "unchanged" };
    }
    if (method === "DELETE" || etag !== "") return { kind: "done", etag };
    return { kind: "transient", code: "unreadable" };
  }
  if (status === 409) return { kind: "taken" };
  if (status === 412) return { kind: "changed" };
  if ((status === 404 && method !== "POST") || status === 410) return { kind: "gone" };
  return judgeFailure(answer);
}

/** The copy of a guest takes no other times: Google answers 200 and leaves it as it was. */
function hasTimesOf(json: unknown, { startTime, endTime }: CalendarEvent): boolean {
  const times = writtenTimes.safeParse(json);
  if (!times.success) return true;
  const { start, end } = times.data;
  return (
    Date.parse(start.dateTime) === startTime.getTime() &&
    Date.parse(end.dateTime) === endTime.getTime()
  );
}

const writtenTimes = z.object({
  start: z.object({ dateTime: z.string() }),
  end: z.object({ dateTime: z.string() }),
});
