import { createHash, randomUUID } from "node:crypto";
import { changeEvent, findEvent, insertEvent, removeEvent } from "./google-events.ts";
import { isGuestCopy, ownChange } from "./google-guests.ts";
import { addSelf, listEvents, listOneSeries } from "./google-lists.ts";
import { describePerson, findCaller, hasScope } from "./google-oauth.ts";
import {
  GoogleRefusal,
  pickFields,
  presentRefusal,
  type GoogleEventChange,
  type GoogleReply,
} from "./google-wire.ts";
import {
  calendarOf,
  type GoogleAccount,
  type GoogleCalendar,
  type GoogleCalendarFacts,
  type GoogleChannel,
  type GoogleRequest,
  type GoogleWorld,
} from "./google-world.ts";

const minuteMs = 60_000;

/** Answers a call of the Calendar API or of userinfo. */
export function answerApi(world: GoogleWorld, request: GoogleRequest): GoogleReply {
  try {
    const reply = perform(world, request);
    return { ...reply, body: pickFields(reply.body, request.query.get("fields")) };
  } catch (error) {
    if (error instanceof GoogleRefusal) return presentRefusal(error);
    throw error;
  }
}

function perform(world: GoogleWorld, request: GoogleRequest): GoogleReply {
  const caller = findCaller(world, request);
  if (caller === null) throw new GoogleRefusal(401, "authError", "Invalid Credentials");
  const { scopes, grant } = caller;
  if (request.call === "userinfo")
    return { status: 200, body: describePerson(grant.account, scopes) };
  const part = request.call === "calendarList" ? "list" : "events";
  if (!hasScope(scopes, part))
    throw new GoogleRefusal(
      403,
      "insufficientPermissions",
      "Request had insufficient authentication scopes.",
    );
  spend(world, grant.account);
  if (request.call === "calendarList") return listCalendars(grant.account, request.query);
  if (request.call === "stop") return stopChannel(world, request.body);
  const calendar = openCalendar(world, grant.account, request.calendarId);
  if (request.call === "watch") return watch(world, calendar, request.body);
  return performOnEvents(world, calendar, request);
}

/** @throws GoogleRefusal at the end of the quota */
function spend({ spent, rules, now }: GoogleWorld, { email }: GoogleAccount): void {
  if (rules.callsPerMinute === Infinity) return;
  const recent = (spent.get(email) ?? []).filter((moment) => moment > now() - minuteMs);
  spent.set(email, recent);
  if (recent.length >= rules.callsPerMinute)
    throw new GoogleRefusal(403, "rateLimitExceeded", "Rate Limit Exceeded", "usageLimits");
  recent.push(now());
}

/** `primary` is the caller's own calendar. @throws GoogleRefusal for one of somebody else */
function openCalendar(
  world: GoogleWorld,
  account: GoogleAccount,
  calendarId: string,
): GoogleCalendar {
  const id = calendarId === "primary" ? account.email : calendarId;
  if (!account.calendars.some((one) => one.id === id))
    throw new GoogleRefusal(404, "notFound", "Not Found");
  return calendarOf(world, id);
}

function performOnEvents(
  world: GoogleWorld,
  calendar: GoogleCalendar,
  request: GoogleRequest,
): GoogleReply {
  const { call, eventId, query } = request;
  if (call === "calendar") return { status: 200, body: presentCalendar(calendar.facts) };
  if (call === "list") return { status: 200, body: listEvents(world, calendar, query) };
  if (call === "instances")
    return { status: 200, body: listOneSeries(world, calendar, eventId, query) };
  if (call === "get") return { status: 200, body: readEvent(world, calendar, eventId) };
  if (!canWrite(calendar.facts))
    throw new GoogleRefusal(
      403,
      "requiredAccessLevel",
      "You need to have writer access to this calendar.",
    );
  const change = request.body as GoogleEventChange;
  if (call === "insert")
    return { status: 200, body: addSelf(calendar, insertEvent(world, calendar, change)) };
  const event = findEvent(world, calendar, eventId);
  if (event === null) throw new GoogleRefusal(404, "notFound", "Not Found");
  const match = request.headers["if-match"];
  if (match !== undefined && match !== "*" && match !== event.etag)
    throw new GoogleRefusal(412, "conditionNotMet", "Precondition Failed");
  if (call === "delete") {
    removeEvent(world, calendar, eventId);
    return { status: 204, body: null };
  }
  const taken = isGuestCopy(calendar, event) ? ownChange(calendar, event, change) : change;
  if (Object.keys(taken).length > 0) changeEvent(world, calendar, eventId, withoutFixed(taken));
  return { status: 200, body: readEvent(world, calendar, eventId) };
}

/** These members are Google's own. It ignores them in a change. */
function withoutFixed(change: GoogleEventChange): GoogleEventChange {
  const { id: _id, etag: _etag, kind: _kind, iCalUID: _uid, updated: _updated, ...rest } = change;
  return rest;
}

function readEvent(world: GoogleWorld, calendar: GoogleCalendar, eventId: string): unknown {
  const event = findEvent(world, calendar, eventId);
  if (event === null) throw new GoogleRefusal(404, "notFound", "Not Found");
  return addSelf(calendar, event);
}

function canWrite({ accessRole }: GoogleCalendarFacts): boolean {
  return accessRole === "owner" || accessRole === "writer";
}

const roles: GoogleCalendarFacts["accessRole"][] = ["freeBusyReader", "reader", "writer", "owner"];

function listCalendars(account: GoogleAccount, query: URLSearchParams): GoogleReply {
  const least = roles.findIndex((role) => role === query.get("minAccessRole"));
  const shown = account.calendars.filter(({ accessRole }) => roles.indexOf(accessRole) >= least);
  const from = Number(query.get("pageToken") ?? 0);
  const size = Math.min(Number(query.get("maxResults") ?? 100), 250);
  const more = from + size < shown.length;
  const items = shown.slice(from, from + size).map((facts) => ({
    ...presentCalendar(facts),
    kind: "calendar#calendarListEntry",
    accessRole: facts.accessRole,
    selected: true,
    ...(facts.id === account.email && { primary: true }),
  }));
  const next = more ? { nextPageToken: String(from + size) } : { nextSyncToken: "list" };
  return { status: 200, body: { kind: "calendar#calendarList", ...next, items } };
}

function presentCalendar({ id, summary, timeZone }: GoogleCalendarFacts) {
  return { kind: "calendar#calendar", etag: `"${id.length}"`, id, summary, timeZone };
}

function watch(
  world: GoogleWorld,
  { facts }: GoogleCalendar,
  body: Record<string, unknown>,
): GoogleReply {
  const { rules } = world;
  const id = typeof body["id"] === "string" ? body["id"] : randomUUID();
  const address = typeof body["address"] === "string" ? body["address"] : "";
  if (!/^[\w+/=-]{1,64}$/u.test(id)) throw new GoogleRefusal(400, "invalid", "Invalid channel id.");
  if (body["type"] !== "web_hook" || !URL.canParse(address))
    throw new GoogleRefusal(400, "required", "Channel type and address are required.");
  if (rules.httpsOnly && !address.startsWith("https://"))
    throw new GoogleRefusal(
      400,
      "push.webhookUrlNotHttps",
      `WebHook callback must be HTTPS: ${address}`,
    );
  if (world.channels.has(id))
    throw new GoogleRefusal(400, "channelIdNotUnique", `Channel id ${id} not unique`);
  const hash = createHash("sha256").update(facts.id).digest("base64url").slice(0, 27);
  const asked = Number(body["expiration"] ?? Infinity);
  const channel: GoogleChannel = {
    id,
    calendarId: facts.id,
    resourceId: hash,
    resourceUri: `https://www.googleapis.com/calendar/v3/calendars/${encodeURIComponent(facts.id)}/events?alt=json`,
    address,
    token: typeof body["token"] === "string" ? body["token"] : null,
    expiresAt: Math.min(asked, world.now() + rules.channelMs),
    messages: 0,
  };
  world.channels.set(id, channel);
  world.pushes.greet(channel);
  const { resourceId, resourceUri, token, expiresAt } = channel;
  return {
    status: 200,
    body: {
      kind: "api#channel",
      id,
      resourceId,
      resourceUri,
      ...(token !== null && { token }),
      expiration: String(expiresAt),
    },
  };
}

function stopChannel(world: GoogleWorld, body: Record<string, unknown>): GoogleReply {
  const id = String(body["id"]);
  const channel = world.channels.get(id);
  if (channel === undefined || channel.resourceId !== body["resourceId"])
    throw new GoogleRefusal(404, "notFound", `Channel '${id}' not found for project '1234567890'`);
  world.channels.delete(id);
  return { status: 204, body: null };
}
