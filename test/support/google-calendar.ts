import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { GoogleOptions } from "../../activities/calendars/google-session.ts";
import { loadConfig } from "../../core/config.ts";

/** One request to the stand-in, in the order of arrival. */
export interface GoogleRequest {
  method: string;
  /** `insert`, `patch`, `delete`, `get` or `token`. */
  call: "insert" | "patch" | "delete" | "get" | "token";
  calendarId: string;
  eventId: string;
  headers: IncomingMessage["headers"];
  query: URLSearchParams;
  /** The parsed body; for `token` the form's members. */
  body: Record<string, unknown>;
}

/** An event as Google keeps it. */
export interface GoogleEvent {
  kind: "calendar#event";
  etag: string;
  id: string;
  status: "confirmed" | "cancelled";
  summary?: string;
  description?: string;
  start?: { dateTime: string; timeZone?: string };
  end?: { dateTime: string; timeZone?: string };
  extendedProperties?: { private?: Record<string, string> };
  sequence: number;
}

/**
 * What goes wrong with one request. `hang`: never answered, and not done. `late`: done, and never
 * answered. A number is answered as such without being done; `rateLimit` is Google's 403 for limits,
 * `otherOrganizer` that for an event which somebody else has taken over. A promise holds the request up, until it says what goes wrong; `undefined` is nothing as well.
 */
export type GoogleFault = Mishap | Promise<Mishap>;
type Mishap = "hang" | "late" | "rateLimit" | "otherOrganizer" | number | null | undefined | void;

/** A server that speaks Google Calendar v3's wire format, as far as this product uses it. */
export interface GoogleStandIn {
  url: string;
  /** Environment variables that point a process of ours here. */
  settings: Record<string, string>;
  requests: GoogleRequest[];
  /** Refresh tokens that it takes. */
  refreshTokens: Set<string>;
  /** Asked for each request; null at first: all goes well. */
  fault: (request: GoogleRequest) => GoogleFault;
  /** Ends every access token that was given out. */
  endTokens(): void;
  /** The event as it is now, deleted ones too. */
  find(calendarId: string, eventId: string): GoogleEvent | undefined;
  /** Events of a calendar that are not deleted. */
  listEvents(calendarId: string): GoogleEvent[];
  /** Writes an event as its owner would, in Google's own page. */
  write(calendarId: string, eventId: string, change: Partial<GoogleEvent>): void;
  /** Nothing listens any more, until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one on a free port, with calendars that are there once somebody names them. */
export async function startGoogleStandIn(): Promise<GoogleStandIn> {
  const calendars = new Map<string, Map<string, GoogleEvent>>();
  const accessTokens = new Set<string>();
  const sockets = new Set<Socket>();
  let etags = 0;

  const eventsOf = (calendarId: string): Map<string, GoogleEvent> => {
    const events = calendars.get(calendarId) ?? new Map<string, GoogleEvent>();
    calendars.set(calendarId, events);
    return events;
  };
  const touch = (event: GoogleEvent, change: Partial<GoogleEvent>): GoogleEvent => {
    const { sequence } = event;
    return Object.assign(event, change, { etag: `"${(etags += 1)}000"`, sequence: sequence + 1 });
  };

  function perform(one: GoogleRequest): [status: number, body: object | null] {
    if (one.call === "token") return giveToken(one);
    const bearer = one.headers.authorization?.replace(/^Bearer /, "") ?? "";
    if (!accessTokens.has(bearer)) return refusal(401, "authError", "Invalid Credentials");
    const events = eventsOf(one.calendarId);
    if (one.call === "insert") return insert(events, one);
    const event = events.get(one.eventId);
    if (event === undefined) return refusal(404, "notFound", "Not Found");
    if (one.call === "get") return [200, event];
    const match = one.headers["if-match"];
    if (match !== undefined && match !== "*" && match !== event.etag) {
      return refusal(412, "conditionNotMet", "Precondition Failed");
    }
    if (one.call === "patch") return [200, touch(event, one.body)];
    if (event.status === "cancelled") return refusal(410, "deleted", "Resource has been deleted");
    touch(event, { status: "cancelled" });
    return [204, null];
  }

  function giveToken({ body }: GoogleRequest): [number, object] {
    const known = standIn.refreshTokens.has(String(body["refresh_token"]));
    if (body["grant_type"] !== "refresh_token" || body["client_id"] !== "client") {
      return [401, { error: "invalid_client", error_description: "Unauthorized" }];
    }
    if (!known) {
      return [
        400,
        { error: "invalid_grant", error_description: "Token has been expired or revoked." },
      ];
    }
    const token = randomBytes(20).toString("base64url");
    accessTokens.add(token);
    return [200, { access_token: token, expires_in: 3_599, token_type: "Bearer" }];
  }

  function insert(events: Map<string, GoogleEvent>, { body }: GoogleRequest): [number, object] {
    const id = typeof body["id"] === "string" ? body["id"] : randomBytes(13).toString("hex");
    if (!/^[0-9a-v]{5,1024}$/.test(id))
      return refusal(400, "invalid", "Invalid resource id value.");
    if (events.has(id)) {
      return refusal(409, "duplicate", "The requested identifier already exists.");
    }
    const blank = {
      kind: "calendar#event",
      etag: "",
      id,
      status: "confirmed",
      sequence: -1,
    } as const;
    const event = touch({ ...blank }, body);
    events.set(id, event);
    return [200, event];
  }

  function serve(incoming: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const one = parseRequest(incoming, Buffer.concat(chunks).toString());
      if (one === null) return void response.writeHead(404).end("Not Found");
      standIn.requests.push(one);
      void answer(one, response);
    });
  }

  async function answer(one: GoogleRequest, response: ServerResponse): Promise<void> {
    const fault = await standIn.fault(one);
    if (fault === "hang") return;
    if (fault === "rateLimit") {
      return send(response, refusal(403, "rateLimitExceeded", "Rate Limit Exceeded"));
    }
    if (fault === "otherOrganizer") {
      const message = "Shared properties can only be changed by the organizer of the event.";
      return send(response, refusal(403, "forbiddenForNonOrganizer", message));
    }
    if (typeof fault === "number") {
      return send(response, refusal(fault, "backendError", "Backend Error"));
    }
    const answered = perform(one);
    if (fault !== "late") send(response, answered);
  }

  let server = createServer(serve);
  const listen = async (port: number): Promise<number> => {
    server = createServer(serve);
    server.on("connection", (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  };
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  const url = `http://127.0.0.1:${port}`;
  const standIn: GoogleStandIn = {
    url,
    settings: {
      GOOGLE_API_URL: url,
      GOOGLE_TOKEN_URL: `${url}/token`,
      GOOGLE_CLIENT_ID: "client",
      GOOGLE_CLIENT_SECRET: "client-secret",
    },
    requests: [],
    refreshTokens: new Set(["refresh-1"]),
    fault: () => null,
    endTokens: () => accessTokens.clear(),
    find: (calendarId, eventId) => eventsOf(calendarId).get(eventId),
    listEvents: (calendarId) =>
      [...eventsOf(calendarId).values()].filter(({ status }) => status === "confirmed"),
    write(calendarId, eventId, change) {
      const event = eventsOf(calendarId).get(eventId);
      if (event !== undefined) touch(event, change);
    },
    down: close,
    up: async () => void (await listen(port)),
    stop: close,
  };
  return standIn;
}

/** What the settings of a process make of the stand-in. */
export function googleOptions({ settings }: Pick<GoogleStandIn, "settings">): GoogleOptions {
  const required = { DATABASE_URL: "mysql://u:p@localhost/d", SECRET_KEY: "k:x" };
  return loadConfig({ ...required, ...settings }).google;
}

function refusal(code: number, reason: string, message: string): [number, object] {
  return [code, { error: { errors: [{ domain: "global", reason, message }], code, message } }];
}

function send(response: ServerResponse, [status, body]: [number, object | null]): void {
  if (body === null) return void response.writeHead(status).end();
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8" });
  response.end(JSON.stringify(body));
}

const calls: Record<string, GoogleRequest["call"]> = {
  GET: "get",
  POST: "insert",
  PATCH: "patch",
  DELETE: "delete",
};

function parseRequest(incoming: IncomingMessage, text: string): GoogleRequest | null {
  const { method = "", headers } = incoming;
  const url = new URL(incoming.url ?? "", "http://google");
  const rest = { method, headers, query: url.searchParams };
  if (method === "POST" && url.pathname === "/token") {
    const body = Object.fromEntries(new URLSearchParams(text));
    return { ...rest, call: "token", calendarId: "", eventId: "", body };
  }
  const match = /^\/calendar\/v3\/calendars\/([^/]+)\/events(?:\/([^/]+))?$/.exec(url.pathname);
  const call = calls[method];
  if (match === null || call === undefined || (call === "insert") !== (match[2] === undefined)) {
    return null;
  }
  const [, calendarId = "", eventId = ""] = match.map((part) => decodeURIComponent(part ?? ""));
  return { ...rest, call, calendarId, eventId, body: text === "" ? {} : JSON.parse(text) };
}
