import { Agent } from "undici";
import type {
  CalendarAccess,
  CalendarEvent,
  CalendarResult,
  DisconnectCode,
} from "../../core/model/calendar.ts";
import { callGoogle, type GoogleAnswer, type GoogleCall, type GoogleToken } from "./google-http.ts";
import type { CalendarPort } from "./port.ts";
import { minuteMs } from "../../core/model/durations.ts";

/** Google's addresses and our client there. */
export interface GoogleOptions {
  apiUrl: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

/** A calendar port for Google, with its connections. */
export interface GoogleCalendar extends CalendarPort {
  close(): Promise<void>;
}

type EventCall = Pick<GoogleCall, "method"> & {
  path: string;
  event?: CalendarEvent;
  etag?: string;
};
type TokenResult = { kind: "token"; accessToken: string } | CalendarResult;

/** A token this close to its end is not used any more. */
const tokenMarginMs = minuteMs;
/**
 * Google answers 403 for these reasons too, for which other services answer 429. Also if our own
 * project is not configured.
 */
const limitReasons =
  /^(rateLimitExceeded|userRateLimitExceeded|quotaExceeded|calendarUsageLimitsExceeded|dailyLimitExceeded|accessNotConfigured)$/;
/** Maximum number of cached tokens. A dropped token costs another refresh. */
const mostTokens = 1_000;
/** Refusals that concern one event only, such as an event with another organizer. */
const eventReasons = /^forbiddenForNonOrganizer$/;

/**
 * Google Calendar v3. Access tokens come from the refresh token of each connection and are kept in
 * memory. There is no retry here: the caller decides about a second try.
 */
export function createGoogleCalendar(options: GoogleOptions): GoogleCalendar {
  const agent = new Agent({ keepAliveTimeout: 4_000 });
  const tokens = new Map<number, { accessToken: string; refreshToken: string; untilMs: number }>();

  async function tokenOf({ connectionId, credentials }: CalendarAccess): Promise<TokenResult> {
    const { refresh_token: refreshToken } = credentials;
    const known = tokens.get(connectionId);
    if (known?.refreshToken === refreshToken && known.untilMs > performance.now()) {
      return { kind: "token", accessToken: known.accessToken };
    }
    const answer = await callGoogle(refreshCall(options, refreshToken), agent);
    const { token } = answer.status === 200 ? answer : { token: null };
    if (token === null) return judgeRefresh(answer);
    // The oldest comes first, because each new token goes to the end.
    tokens.delete(connectionId);
    const [oldest] = tokens.keys();
    if (tokens.size >= mostTokens && oldest !== undefined) tokens.delete(oldest);
    tokens.set(connectionId, { ...keep(token), refreshToken });
    return { kind: "token", accessToken: token.accessToken };
  }

  async function call(access: CalendarAccess, one: EventCall): Promise<CalendarResult> {
    const first = await callOnce(access, one);
    if (first !== "unauthorized") return first;
    // Google may end a token before its time. A second refusal means the account, not the token.
    tokens.delete(access.connectionId);
    const second = await callOnce(access, one);
    return second === "unauthorized" ? ended("connection", "unauthorized") : second;
  }

  async function callOnce(
    access: CalendarAccess,
    { method, path, event, etag }: EventCall,
  ): Promise<CalendarResult | "unauthorized"> {
    const token = await tokenOf(access);
    if (token.kind !== "token") return token;
    const url = new URL(`${options.apiUrl}/calendar/v3/calendars/`);
    url.pathname += `${encodeURIComponent(access.calendarId)}/events${path}`;
    // The customer is informed by us, not by Google.
    if (method !== "GET") url.searchParams.set("sendUpdates", "none");
    const headers = {
      authorization: `Bearer ${token.accessToken}`,
      ...(event === undefined ? {} : { "content-type": "application/json" }),
      ...(etag === undefined ? {} : { "if-match": etag }),
    };
    const body = event === undefined ? {} : { body: JSON.stringify(presentEvent(event, method)) };
    return judge(method, await callGoogle({ method, url, headers, ...body }, agent));
  }

  return {
    insertEvent: (access, event) => call(access, { method: "POST", path: "", event }),
    patchEvent: (access, event, etag) =>
      call(access, { method: "PATCH", path: `/${event.id}`, event, etag }),
    readEvent: (access, eventId) => call(access, { method: "GET", path: `/${eventId}` }),
    deleteEvent: (access, eventId, etag) =>
      call(access, { method: "DELETE", path: `/${eventId}`, ...(etag === null ? {} : { etag }) }),
    close: () => agent.close(),
  };
}

function keep({ accessToken, lifeSeconds }: GoogleToken) {
  return { accessToken, untilMs: performance.now() + lifeSeconds * 1_000 - tokenMarginMs };
}

function refreshCall({ tokenUrl, clientId, clientSecret }: GoogleOptions, refreshToken: string) {
  const body = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return { method: "POST" as const, url: new URL(tokenUrl), headers, body };
}

/** Only an insert has the id, because the id cannot be changed afterwards. */
function presentEvent(event: CalendarEvent, method: GoogleCall["method"]): object {
  const { id, appointmentId, summary, startTime, endTime, timeZone } = event;
  return {
    ...(method === "POST" ? { id } : {}),
    summary,
    start: { dateTime: startTime.toISOString(), timeZone },
    end: { dateTime: endTime.toISOString(), timeZone },
    extendedProperties: { private: { appointment_id: String(appointmentId) } },
  };
}

function judgeRefresh(answer: GoogleAnswer): CalendarResult {
  if (answer.status === null) return { kind: "transient", code: `token_${answer.code}` };
  if (answer.reason === "invalid_grant") return ended("connection", "invalid_grant");
  // Any other error concerns our client, such as a changed client secret, and ends once that is
  // repaired.
  return { kind: "transient", code: `token_http_${answer.status}` };
}

function judge(
  method: GoogleCall["method"],
  answer: GoogleAnswer,
): CalendarResult | "unauthorized" {
  if (answer.status === null) return { kind: "transient", code: answer.code };
  const { status, etag, cancelled, reason } = answer;
  if (status >= 200 && status < 300) {
    // For a while a deleted event can still be read, and even be written to.
    if (cancelled) return { kind: "gone" };
    if (method === "DELETE" || etag !== "") return { kind: "done", etag };
    return { kind: "transient", code: "unreadable" };
  }
  const code = `http_${status}`;
  if (status === 401) return "unauthorized";
  if (status === 409) return { kind: "taken" };
  if (status === 412) return { kind: "changed" };
  if ((status === 404 && method !== "POST") || status === 410) return { kind: "gone" };
  const passing = status >= 500 || status === 408 || status === 429;
  if (passing || (status === 403 && limitReasons.test(reason))) return { kind: "transient", code };
  // An insert that finds nothing has no calendar. A forbidden write means that the calendar is no
  // longer shared.
  if (status === 404) return ended("calendar", "calendar_not_found");
  if (status === 403 && !eventReasons.test(reason)) return ended("calendar", "calendar_forbidden");
  return { kind: "refused", code };
}

function ended(of: "connection" | "calendar", code: DisconnectCode): CalendarResult {
  return { kind: "disconnected", of, code };
}
