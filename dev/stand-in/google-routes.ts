import type { IncomingMessage } from "node:http";
import type { GoogleCall, GoogleRequest } from "./google-world.ts";

interface Route {
  method: string;
  /** Its groups are the calendar and the event. */
  path: RegExp;
  call: GoogleCall;
}

const calendars = String.raw`/calendar/v3/calendars/([^/]+)`;

const routes: readonly Route[] = [
  { method: "GET", path: /^\/o\/oauth2\/v2\/auth$/u, call: "authorize" },
  { method: "POST", path: /^\/o\/oauth2\/v2\/auth$/u, call: "authorize" },
  { method: "POST", path: /^\/token$/u, call: "token" },
  { method: "POST", path: /^\/revoke$/u, call: "revoke" },
  { method: "GET", path: /^\/(?:oauth2\/v3|v1)\/userinfo$/u, call: "userinfo" },
  { method: "GET", path: /^\/oauth2\/v3\/certs$/u, call: "certs" },
  { method: "GET", path: /^\/calendar\/v3\/users\/me\/calendarList$/u, call: "calendarList" },
  { method: "POST", path: /^\/calendar\/v3\/channels\/stop$/u, call: "stop" },
  { method: "GET", path: new RegExp(`^${calendars}$`, "u"), call: "calendar" },
  { method: "POST", path: new RegExp(`^${calendars}/events/watch$`, "u"), call: "watch" },
  { method: "GET", path: new RegExp(`^${calendars}/events$`, "u"), call: "list" },
  { method: "POST", path: new RegExp(`^${calendars}/events$`, "u"), call: "insert" },
  {
    method: "GET",
    path: new RegExp(`^${calendars}/events/([^/]+)/instances$`, "u"),
    call: "instances",
  },
  { method: "GET", path: new RegExp(`^${calendars}/events/([^/]+)$`, "u"), call: "get" },
  { method: "PATCH", path: new RegExp(`^${calendars}/events/([^/]+)$`, "u"), call: "patch" },
  { method: "DELETE", path: new RegExp(`^${calendars}/events/([^/]+)$`, "u"), call: "delete" },
];

/** The request as a call of Google; null where Google has no such route. */
export function readGoogleRequest(incoming: IncomingMessage, text: string): GoogleRequest | null {
  const { method = "GET", headers } = incoming;
  const { pathname: path, searchParams: query } = new URL(incoming.url ?? "/", "http://google");
  for (const route of routes) {
    const match = route.method === method ? route.path.exec(path) : null;
    if (match === null) continue;
    const [, calendarId = "", eventId = ""] = match.map((part) => decodeURIComponent(part ?? ""));
    const body = readBody(text, headers["content-type"] ?? "");
    return {
      call: route.call,
      method,
      path,
      calendarId,
      eventId,
      query,
      headers,
      body,
      answered: 0,
    };
  }
  return null;
}

function readBody(text: string, type: string): Record<string, unknown> {
  if (type.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
