import { z } from "zod";
import {
  bookVisit,
  cancelVisit,
  markVisit,
  moveVisit,
  reassignVisit,
} from "./calendly-customer.ts";
import { endGrants, expireTokens } from "./calendly-oauth.ts";
import { releaseHooks } from "./calendly-webhooks.ts";
import { presentBooking, presentGuest, presentHook } from "./calendly-wire.ts";
import type { CalendlyWorld } from "./calendly-world.ts";

/** A call to the controls. */
export interface CalendlyControlCall {
  method: string;
  path: string;
  host: string | undefined;
  type: string | undefined;
  body: string;
}

const moment = z.iso.datetime({ offset: true }).transform((value) => new Date(value));
const visit = z.strictObject({
  start_time: moment,
  minutes: z.int().min(1).max(1_440).optional(),
  type_id: z.string().optional(),
  host_ids: z.array(z.string()).optional(),
  event_id: z.string().optional(),
  name: z.string().optional(),
  email: z.string().optional(),
  reminder_number: z.string().nullable().optional(),
  answers: z.array(z.strictObject({ question: z.string(), answer: z.string() })).optional(),
  google_id: z.string().nullable().optional(),
});
const cancellation = z.strictObject({ invitee_id: z.string(), reason: z.string().optional() });
const move = z.strictObject({
  invitee_id: z.string(),
  start_time: moment,
  host_ids: z.array(z.string()).optional(),
  first: z.enum(["created", "canceled"]).default("canceled"),
});
const mark = z.strictObject({ invitee_id: z.string(), no_show: z.boolean() });
const reassignment = z.strictObject({ invitee_id: z.string(), host_ids: z.array(z.string()) });
const release = z.strictObject({
  copies: z.int().min(1).max(100).optional(),
  reversed: z.boolean().optional(),
  agoSeconds: z.number().optional(),
  forged: z.boolean().optional(),
  altered: z.boolean().optional(),
});
const fault = z.strictObject({
  kind: z.enum(["status", "hang", "quota"]),
  status: z.int().default(503),
  resetSeconds: z.number().default(60),
  left: z.int().min(1).default(1),
});
const copy = z.strictObject({ event_id: z.string(), google_id: z.string().nullable() });
const token = z.strictObject({
  token: z.string().min(1),
  user_id: z.string(),
  scopes: z.array(z.string()).nullable(),
});

type Deed = (world: CalendlyWorld, body: unknown) => unknown;

/** The controls, by path. Each takes JSON and answers with JSON. */
const deeds: Record<string, Deed> = {
  "/control/book": async (world, body) => {
    const { start_time, type_id, host_ids, event_id, reminder_number, google_id, ...given } =
      visit.parse(body);
    const facts = { startTime: start_time, typeId: type_id, hostIds: host_ids, eventId: event_id };
    const more = { reminderNumber: reminder_number, googleId: google_id };
    const guest = await bookVisit(world, { ...given, ...facts, ...more });
    return presentGuest(world, guest);
  },
  "/control/cancel": async (world, body) => {
    const { invitee_id, reason } = cancellation.parse(body);
    await cancelVisit(world, invitee_id, reason ?? null);
    return {};
  },
  "/control/reschedule": async (world, body) => {
    const { invitee_id, start_time, host_ids, first } = move.parse(body);
    const to = { startTime: start_time, ...(host_ids === undefined ? {} : { hostIds: host_ids }) };
    return presentGuest(world, await moveVisit(world, invitee_id, to, first));
  },
  "/control/no-show": async (world, body) => {
    const { invitee_id, no_show } = mark.parse(body);
    return presentGuest(world, await markVisit(world, invitee_id, no_show));
  },
  "/control/reassign": (world, body) => {
    const { invitee_id, host_ids } = reassignment.parse(body);
    reassignVisit(world, invitee_id, host_ids);
    return {};
  },
  "/control/google-copy": (world, body) => {
    const { event_id, google_id } = copy.parse(body);
    const booking = world.bookings.get(event_id);
    if (booking === undefined) throw new Error("No such event.");
    booking.googleId = google_id;
    return {};
  },
  "/control/hold": (world) => {
    world.isHeld = true;
    return { held: true };
  },
  "/control/release": async (world, body) => ({
    webhooks: await releaseHooks(world, release.parse(body)),
  }),
  "/control/drop": (world) => ({ webhooks: world.waiting.splice(0).length }),
  "/control/disable": (world) => {
    for (const hook of world.hooks.values()) hook.state = "disabled";
    return {};
  },
  "/control/plan": (world, body) => {
    world.allowsHooks = z.strictObject({ webhooks: z.boolean() }).parse(body).webhooks;
    return {};
  },
  "/control/token": (world, body) => {
    const { token: name, user_id: userId, scopes } = token.parse(body);
    world.tokens.set(name, { userId, scopes });
    return {};
  },
  "/control/expire": (world) => {
    expireTokens(world);
    return {};
  },
  "/control/end-grants": (world) => {
    endGrants(world);
    return {};
  },
  "/control/fault": (world, body) => {
    world.fault = fault.parse(body);
    return {};
  },
};

/** Serves the controls and the state behind them. */
export async function answerCalendlyControl(
  world: CalendlyWorld,
  { method, path, host, type, body }: CalendlyControlCall,
): Promise<{ http: number; body: unknown }> {
  // A site elsewhere must not steer a server on this machine.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/u.test(host ?? ""))
    return { http: 403, body: { error: "Call 127.0.0.1 or localhost." } };
  if (method === "GET" && path === "/control/state") return { http: 200, body: stateOf(world) };
  const deed = deeds[path];
  if (method !== "POST" || deed === undefined) {
    return { http: 404, body: { error: "No such route." } };
  }
  if (type !== "application/json") return { http: 415, body: { error: "Send application/json." } };
  try {
    return { http: 200, body: await deed(world, JSON.parse(body === "" ? "{}" : body)) };
  } catch (error) {
    const words = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return { http: 400, body: { error: words } };
  }
}

function stateOf(world: CalendlyWorld): object {
  return {
    users: world.users,
    types: world.types,
    tokens: [...world.tokens.keys()],
    events: [...world.bookings.values()].map((one) => presentBooking(world, one)),
    invitees: [...world.guests.values()].map((one) => presentGuest(world, one)),
    subscriptions: [...world.hooks.values()].map((one) => presentHook(world, one)),
    held: world.isHeld,
    waiting: world.waiting.length,
    webhooks: world.posts.slice(-50).map(({ kind, url, status }) => ({ kind, url, status })),
    calls: world.requests.slice(-50),
  };
}
