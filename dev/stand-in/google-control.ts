import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { googleFault } from "./google-faults.ts";
import { googlePage } from "./google-page.ts";
import { googlePushModes } from "./google-pushes.ts";
import type { GoogleSteering } from "./google-steering.ts";
import { GoogleRefusal, type GoogleEventChange } from "./google-wire.ts";
import type { GoogleWorld } from "./google-world.ts";

/** A call to the page or to the controls. */
export interface GoogleControlCall {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  text: string;
}

/** The answer to such a call. */
export interface GoogleControlAnswer {
  http: number;
  type: string;
  text: string;
}

const calendarId = z.string().min(1);
const eventId = z.string().min(1);
const change = z.record(z.string(), z.unknown()).transform((one) => one as GoogleEventChange);
const milliseconds = z.int().min(0);

/** Bodies of the controls by path, and their effects. */
const deeds: Record<string, (standIn: GoogleSteering, body: unknown) => unknown> = {
  "/control/events": deed(z.strictObject({ calendarId, event: change }), (standIn, one) =>
    standIn.insert(one.calendarId, one.event),
  ),
  "/control/events/change": deed(z.strictObject({ calendarId, eventId, change }), (standIn, one) =>
    standIn.change(one.calendarId, one.eventId, one.change),
  ),
  "/control/events/remove": deed(z.strictObject({ calendarId, eventId }), (standIn, one) =>
    standIn.remove(one.calendarId, one.eventId),
  ),
  "/control/events/split": deed(z.strictObject({ calendarId, eventId, change }), (standIn, one) =>
    standIn.split(one.calendarId, one.eventId, one.change),
  ),
  "/control/events/copy": deed(z.strictObject({ calendarId, eventId }), (standIn, one) =>
    standIn.copy(one.calendarId, one.eventId),
  ),
  "/control/grants": deed(
    z.strictObject({
      email: z.string(),
      scopes: z.array(z.string()).optional(),
      refreshToken: z.string().min(1).optional(),
    }),
    (standIn, { email, scopes, refreshToken }) => ({
      refreshToken: standIn.grant(email, {
        ...(scopes !== undefined && { scopes }),
        ...(refreshToken !== undefined && { refreshToken }),
      }),
    }),
  ),
  "/control/consent/end": deed(z.strictObject({ email: z.string() }), (standIn, { email }) =>
    standIn.endConsent(email),
  ),
  "/control/access-tokens/end": deed(z.strictObject({}), (standIn) => standIn.endAccessTokens()),
  "/control/sync-tokens/end": deed(z.strictObject({ calendarId }), (standIn, one) =>
    standIn.endSyncTokens(one.calendarId),
  ),
  "/control/faults": deed(googleFault, (standIn, fault) => standIn.fail(fault)),
  "/control/heal": deed(z.strictObject({}), (standIn) => standIn.heal()),
  "/control/rules": deed(
    z
      .strictObject({
        accessSeconds: z.int().min(1),
        isTesting: z.boolean(),
        rotates: z.boolean(),
        channelMs: milliseconds,
        httpsOnly: z.boolean(),
        callsPerMinute: z.int().min(0),
      })
      .partial(),
    (standIn, rules) =>
      standIn.rules(Object.fromEntries(Object.entries(rules).filter(([, v]) => v !== undefined))),
  ),
  "/control/clock": deed(z.strictObject({ advanceMs: milliseconds }), (standIn, { advanceMs }) =>
    standIn.advance(advanceMs),
  ),
  "/control/pushes": deed(
    z.strictObject({
      mode: z.enum(googlePushModes),
      times: z.int().min(1).optional(),
      ms: milliseconds.optional(),
    }),
    (standIn, choice) => standIn.pushes.choose(choice),
  ),
  "/control/pushes/release": deed(
    z.strictObject({ inOrder: z.boolean().default(false) }),
    async (standIn, options) => ({ pushes: await standIn.pushes.release(options) }),
  ),
};

function deed<Body>(
  schema: z.ZodType<Body>,
  act: (standIn: GoogleSteering, body: Body) => unknown,
): (standIn: GoogleSteering, body: unknown) => unknown {
  return (standIn, body) => act(standIn, schema.parse(body));
}

/** Paths of the controls. */
export const googleControls: readonly string[] = Object.keys(deeds);

/** Serves the page, the state behind it, and the controls. */
export async function answerGoogleControl(
  world: GoogleWorld,
  standIn: GoogleSteering,
  call: GoogleControlCall,
): Promise<GoogleControlAnswer> {
  // A site elsewhere must not steer a server on this machine.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/u.test(call.headers.host ?? ""))
    return json(403, { error: "Call 127.0.0.1 or localhost." });
  if (call.method === "GET" && call.path === "/")
    return { http: 200, type: "text/html; charset=utf-8", text: googlePage };
  if (call.method === "GET" && call.path === "/control/state") return json(200, stateOf(world));
  if (call.method === "GET" && call.path === "/control/events") {
    const id = call.query.get("calendarId") ?? world.accounts[0]?.email ?? "";
    return world.calendars.has(id)
      ? json(200, { events: standIn.list(id) })
      : json(404, { error: "No such calendar." });
  }
  const act = deeds[call.path];
  if (call.method !== "POST" || act === undefined) return json(404, { error: "No such route." });
  if (call.headers["content-type"] !== "application/json")
    return json(415, { error: "Send application/json." });
  try {
    const body: unknown = JSON.parse(call.text === "" ? "{}" : call.text);
    return json(200, (await act(standIn, body)) ?? {});
  } catch (error) {
    return json(error instanceof GoogleRefusal ? error.status : 400, { error: wordsOf(error) });
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  return error instanceof Error ? error.message : String(error);
}

function stateOf(world: GoogleWorld): unknown {
  const { accounts, grants, channels, pushes, faults, requests, rules } = world;
  return {
    now: new Date(world.now()).toISOString(),
    accounts: accounts.map(({ email, name, calendars }) => ({ email, name, calendars })),
    grants: grants.map(({ account, scopes, isRevoked }) => ({
      email: account.email,
      scopes,
      isRevoked,
    })),
    channels: [...channels.values()].map(({ id, calendarId, expiresAt, messages }) => ({
      id,
      calendarId,
      expiresAt: new Date(expiresAt).toISOString(),
      messages,
    })),
    pushes: pushes.list().slice(-20),
    faults,
    rules: { ...rules, clientSecret: undefined },
    requests: requests
      .slice(-20)
      .map(({ call, calendarId: calendar, eventId: event, answered }) => ({
        call,
        calendar,
        event,
        answered,
      })),
  };
}

function json(http: number, data: unknown): GoogleControlAnswer {
  return { http, type: "application/json", text: `${JSON.stringify(data)}\n` };
}
