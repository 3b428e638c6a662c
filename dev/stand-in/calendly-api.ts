import { cancelBooking, getGuest } from "./calendly-customer.ts";
import {
  presentBooking,
  presentGuest,
  presentHook,
  presentType,
  presentUser,
  uriOf,
} from "./calendly-wire.ts";
import {
  newCalendlyId,
  type CalendlyHook,
  type CalendlyUser,
  type CalendlyWorld,
} from "./calendly-world.ts";

/** A call of the API with its owner. */
export interface ApiCall {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  user: CalendlyUser;
  scopes: readonly string[] | null;
  /** The token belongs to the OAuth app. */
  isOfApp: boolean;
}

/** An answer, or null body. */
export interface ApiAnswer {
  http: number;
  body: unknown;
}

type Handler = (world: CalendlyWorld, call: ApiCall, ids: string[]) => Promise<ApiAnswer>;

/** Each route with the scope that it needs. */
const routes: [method: string, path: RegExp, scope: string, handler: Handler][] = [
  ["GET", /^\/users\/me$/u, "users:read", readMe],
  ["GET", /^\/organization_memberships$/u, "organizations:read", listMemberships],
  ["GET", /^\/event_types$/u, "event_types:read", listTypes],
  ["GET", /^\/scheduled_events$/u, "scheduled_events:read", listBookings],
  ["GET", /^\/scheduled_events\/(\w+)$/u, "scheduled_events:read", readBooking],
  ["GET", /^\/scheduled_events\/(\w+)\/invitees$/u, "scheduled_events:read", listGuests],
  ["GET", /^\/scheduled_events\/(\w+)\/invitees\/(\w+)$/u, "scheduled_events:read", readGuest],
  ["POST", /^\/scheduled_events\/(\w+)\/cancellation$/u, "scheduled_events:write", cancel],
  ["POST", /^\/invitee_no_shows$/u, "scheduled_events:write", markNoShow],
  ["DELETE", /^\/invitee_no_shows\/(\w+)$/u, "scheduled_events:write", unmarkNoShow],
  ["GET", /^\/webhook_subscriptions$/u, "webhooks:read", listHooks],
  ["GET", /^\/webhook_subscriptions\/(\w+)$/u, "webhooks:read", readHook],
  ["POST", /^\/webhook_subscriptions$/u, "webhooks:write", subscribe],
  ["DELETE", /^\/webhook_subscriptions\/(\w+)$/u, "webhooks:write", unsubscribe],
];

/** Answers a call as Calendly does. */
export async function answerApi(world: CalendlyWorld, call: ApiCall): Promise<ApiAnswer> {
  for (const [method, path, scope, handler] of routes) {
    const found = path.exec(call.path);
    if (found === null || method !== call.method) continue;
    if (!mayCall(call.scopes, scope)) return refuse(403, "Permission Denied", scope);
    return await handler(world, call, found.slice(1));
  }
  return refuse(404, "Resource Not Found", "The server could not find the requested resource.");
}

function mayCall(scopes: readonly string[] | null, needed: string): boolean {
  if (scopes === null || scopes.includes(needed)) return true;
  return needed.endsWith(":read") && scopes.includes(needed.replace(":read", ":write"));
}

function refuse(http: number, title: string, message: string): ApiAnswer {
  return { http, body: { title, message } };
}

function ok(resource: object, http = 200): ApiAnswer {
  return { http, body: { resource } };
}

const notFound = refuse(404, "Resource Not Found", "No such resource.");
const done: ApiAnswer = { http: 204, body: null };

function page(rows: object[], { query }: ApiCall): ApiAnswer {
  const count = Math.min(Number(query.get("count") ?? 20), 100);
  const from = Number(query.get("page_token") ?? 0);
  const next = from + count < rows.length ? String(from + count) : null;
  const nextPage = next === null ? null : `https://elsewhere.example/page?page_token=${next}`;
  const pagination = { count, next_page: nextPage, next_page_token: next };
  return { http: 200, body: { collection: rows.slice(from, from + count), pagination } };
}

const answer = async (given: ApiAnswer): Promise<ApiAnswer> => await Promise.resolve(given);

function readMe(world: CalendlyWorld, { user }: ApiCall): Promise<ApiAnswer> {
  return answer(ok(presentUser(world, user)));
}

function listMemberships(world: CalendlyWorld, call: ApiCall): Promise<ApiAnswer> {
  const only = call.query.get("user");
  const isAdmin = call.user.role !== "user";
  if (only === null && !isAdmin) return answer(refuse(403, "Permission Denied", "Not an admin."));
  const rows = world.users
    .filter(({ id }) => only === null || uriOf("users", id) === only)
    .map((user) => ({
      uri: uriOf("organization_memberships", user.id),
      role: user.role,
      user: presentUser(world, user),
      organization: uriOf("organizations", world.organizationId),
    }));
  return answer(page(rows, call));
}

function listTypes(world: CalendlyWorld, call: ApiCall): Promise<ApiAnswer> {
  const user = call.query.get("user");
  const rows = world.types.filter(({ userId }) => user === null || uriOf("users", userId) === user);
  return answer(page(rows.map(presentType), call));
}

function listBookings(world: CalendlyWorld, call: ApiCall): Promise<ApiAnswer> {
  const { query } = call;
  const user = query.get("user");
  const from = new Date(query.get("min_start_time") ?? 0);
  const rows = [...world.bookings.values()]
    .filter(({ status }) => status === (query.get("status") ?? status))
    .filter(({ startTime }) => startTime >= from)
    .filter(({ hostIds }) => user === null || hostIds.some((id) => uriOf("users", id) === user));
  return answer(
    page(
      rows.map((one) => presentBooking(world, one)),
      call,
    ),
  );
}

function readBooking(world: CalendlyWorld, _: ApiCall, [id = ""]: string[]): Promise<ApiAnswer> {
  const booking = world.bookings.get(id);
  return answer(booking === undefined ? notFound : ok(presentBooking(world, booking)));
}

function listGuests(world: CalendlyWorld, call: ApiCall, [id]: string[]): Promise<ApiAnswer> {
  const rows = [...world.guests.values()].filter(({ eventId }) => eventId === id);
  return answer(
    page(
      rows.map((one) => presentGuest(world, one)),
      call,
    ),
  );
}

function readGuest(world: CalendlyWorld, _: ApiCall, [, id = ""]: string[]): Promise<ApiAnswer> {
  const guest = world.guests.get(id);
  return answer(guest === undefined ? notFound : ok(presentGuest(world, guest)));
}

async function cancel(
  world: CalendlyWorld,
  { body }: ApiCall,
  [id = ""]: string[],
): Promise<ApiAnswer> {
  const booking = world.bookings.get(id);
  if (booking === undefined) return notFound;
  if (booking.status === "canceled") {
    return refuse(403, "Permission Denied", "Event is already canceled");
  }
  const reason = typeof body["reason"] === "string" ? body["reason"] : null;
  await cancelBooking(world, id, reason);
  return ok({ canceler_type: "host", reason }, 201);
}

function markNoShow(world: CalendlyWorld, { body }: ApiCall): Promise<ApiAnswer> {
  const id = /\/invitees\/(\w+)$/u.exec(String(body["invitee"]))?.[1] ?? "";
  const guest = world.guests.get(id);
  if (guest === undefined) return answer(notFound);
  guest.noShowId ??= newCalendlyId();
  guest.updatedAt = world.now();
  const uri = uriOf("invitee_no_shows", guest.noShowId);
  return answer(ok({ uri, invitee: body["invitee"] }, 201));
}

function unmarkNoShow(world: CalendlyWorld, _: ApiCall, [id]: string[]): Promise<ApiAnswer> {
  const guest = [...world.guests.values()].find(({ noShowId }) => noShowId === id);
  if (guest === undefined) return answer(notFound);
  getGuest(world, guest.id).noShowId = null;
  guest.updatedAt = world.now();
  return answer(done);
}

function listHooks(world: CalendlyWorld, call: ApiCall): Promise<ApiAnswer> {
  const scope = call.query.get("scope");
  const rows = [...world.hooks.values()].filter((hook) => hook.scope === scope);
  return answer(
    page(
      rows.map((one) => presentHook(world, one)),
      call,
    ),
  );
}

function readHook(world: CalendlyWorld, _: ApiCall, [id = ""]: string[]): Promise<ApiAnswer> {
  const hook = world.hooks.get(id);
  return answer(hook === undefined ? notFound : ok(presentHook(world, hook)));
}

function subscribe(world: CalendlyWorld, { body, user, isOfApp }: ApiCall): Promise<ApiAnswer> {
  if (!world.allowsHooks) {
    return answer(refuse(403, "Permission Denied", "Please upgrade your plan."));
  }
  const { url, scope, events, signing_key: signingKey } = body;
  if (typeof url !== "string" || (scope !== "organization" && scope !== "user")) {
    return answer(refuse(400, "Invalid Argument", "The supplied parameters are invalid."));
  }
  if (scope === "organization" && user.role === "user") {
    return answer(refuse(403, "Permission Denied", "You do not have permission."));
  }
  if ([...world.hooks.values()].some((hook) => hook.url === url && hook.scope === scope)) {
    return answer(refuse(409, "Already Exists", "Hook with this url already exists"));
  }
  const id = newCalendlyId();
  const hook: CalendlyHook = {
    id,
    url,
    scope,
    events: Array.isArray(events) ? events.map(String) : [],
    userId: scope === "user" ? user.id : null,
    signingKey: isOfApp
      ? world.app.signingKey
      : typeof signingKey === "string"
        ? signingKey
        : newCalendlyId(),
    state: "active",
  };
  world.hooks.set(id, hook);
  return answer(ok(presentHook(world, hook), 201));
}

function unsubscribe(world: CalendlyWorld, _: ApiCall, [id = ""]: string[]): Promise<ApiAnswer> {
  return answer(world.hooks.delete(id) ? done : notFound);
}
