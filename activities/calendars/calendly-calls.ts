import { z } from "zod";
import { calendlyId, type InviteeRef } from "../../core/calendars/calendly-ids.ts";
import {
  readEvent,
  readInvitee,
  type CalendlyEvent,
  type CalendlyInvitee,
} from "../../core/calendars/calendly-payload.ts";
import type { Calendly, CalendlyAnswer, CalendlyCall } from "./calendly.ts";

/** Calendly refuses a call for good. */
export class CalendlyRefused extends Error {
  override readonly name = "CalendlyRefused";

  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
  ) {
    super(`Calendly refuses the call with ${status}.`);
  }
}

/** The token is no longer valid. */
export class CalendlyTokenInvalid extends Error {
  override readonly name = "CalendlyTokenInvalid";
}

/** The quota is used up, or Calendly does not answer. The same call may work later. */
export class CalendlyAway extends Error {
  override readonly name = "CalendlyAway";

  constructor(
    readonly code: string,
    readonly waitMs: number,
  ) {
    super(`Calendly is away: ${code}.`);
  }
}

/** The owner of a token. */
export interface CalendlyOwner {
  userUri: string;
  userId: string;
  name: string;
  email: string | null;
  organizationUri: string;
}

/** A user or an event type of an organization, for the mapping. */
export interface CalendlyNamed {
  uri: string;
  id: string;
  name: string;
  email: string | null;
}

/** A subscription of webhooks. */
export interface CalendlySubscription {
  id: string;
  callbackUrl: string;
  isActive: boolean;
}

/** Bookings that a token covers: those of an organization, or of one user. */
export interface CalendlyCoverage {
  scope: "organization" | "user";
  organizationUri: string;
  userUri: string;
}

const text = z.string().nullish();
const ownerSchema = z.object({
  resource: z.object({
    uri: z.string(),
    name: text,
    email: text,
    current_organization: z.string(),
  }),
});
const membershipSchema = z.object({
  role: text,
  user: z.object({ uri: z.string(), name: text, email: text }),
});
const typeSchema = z.object({ uri: z.string(), name: text });
const subscriptionSchema = z.object({ uri: z.string(), callback_url: z.string(), state: text });
const resourceSchema = z.object({ resource: z.unknown() });

/** Events of the webhooks that we read. */
const webhookEvents = [
  "invitee.created",
  "invitee.canceled",
  "invitee_no_show.created",
  "invitee_no_show.deleted",
];

/** Most pages of a list that are read: 10,000 rows. */
const maxPages = 100;

/** Makes calls with one token. */
interface TokenCalls {
  call(this: void, given: Omit<CalendlyCall, "token">): Promise<unknown>;
  /** All rows of a list that have this shape. */
  list<T>(this: void, path: string, query: Record<string, string>, row: z.ZodType<T>): Promise<T[]>;
}

/** Calls with one token. Each throws CalendlyRefused, CalendlyTokenInvalid or CalendlyAway. */
export function callsOf(calendly: Calendly, token: string) {
  const calls = tokenCalls(calendly, token);
  return {
    ...accountCalls(calls),
    ...bookingCalls(calls),
    ...subscriptionCalls(calls),
    ...changeCalls(calls),
  };
}

const pageSchema = z.object({
  collection: z.array(z.unknown()),
  pagination: z.object({ next_page_token: text }).nullish(),
});

function tokenCalls(calendly: Calendly, token: string): TokenCalls {
  const call: TokenCalls["call"] = async (given) =>
    bodyOf(await calendly.call({ ...given, token }));
  return {
    call,
    /** Pages are asked for by their token; the address of the next page is not followed. */
    async list<T>(path: string, query: Record<string, string>, row: z.ZodType<T>) {
      const rows: T[] = [];
      let pageToken: string | null = null;
      for (let page = 0; page < maxPages; page += 1) {
        const bounds: Record<string, string> = { ...query, count: "100" };
        if (pageToken !== null) bounds["page_token"] = pageToken;
        const body = await call({ method: "GET", path, query: bounds });
        const { collection, pagination } = readAs(pageSchema, body);
        for (const one of collection) {
          const parsed = row.safeParse(one);
          if (parsed.success) rows.push(parsed.data);
        }
        pageToken = pagination?.next_page_token ?? null;
        if (pageToken === null) break;
      }
      return rows;
    },
  };
}

function accountCalls({ call, list }: TokenCalls) {
  return {
    async readOwner(): Promise<CalendlyOwner> {
      const { resource } = readAs(ownerSchema, await call({ method: "GET", path: "/users/me" }));
      const userId = calendlyId("users", resource.uri);
      if (userId === null) throw new CalendlyAway("unreadable", 5_000);
      const { uri, name, email, current_organization: organizationUri } = resource;
      return { userUri: uri, userId, name: name ?? "", email: email ?? null, organizationUri };
    },

    /** The owner's role in the organization, such as `owner`, `admin` or `user`. */
    async readRole({ userUri, organizationUri }: CalendlyOwner): Promise<string> {
      const query = { user: userUri, organization: organizationUri };
      const [own] = await list("/organization_memberships", query, membershipSchema);
      return own?.role ?? "user";
    },

    async listUsers(organizationUri: string): Promise<CalendlyNamed[]> {
      const query = { organization: organizationUri };
      const rows = await list("/organization_memberships", query, membershipSchema);
      return rows.flatMap(({ user }) => named("users", user));
    },

    async listEventTypes(coverage: CalendlyCoverage): Promise<CalendlyNamed[]> {
      const rows = await list("/event_types", queryOf(coverage), typeSchema);
      return rows.flatMap((row) => named("event_types", row));
    },
  };
}

function bookingCalls({ call, list }: TokenCalls) {
  return {
    /** Events that begin at this time or later, by their start. */
    async listEvents(
      coverage: CalendlyCoverage,
      from: Date,
      status: "active" | "canceled",
    ): Promise<CalendlyEvent[]> {
      const bounds = { min_start_time: from.toISOString(), status, sort: "start_time:asc" };
      const rows = await list(
        "/scheduled_events",
        { ...queryOf(coverage), ...bounds },
        z.unknown(),
      );
      return rows.flatMap((row) => readEvent(row) ?? []);
    },

    /** Asks for one event, which shows that events may be read. */
    async probeEvents(coverage: CalendlyCoverage): Promise<void> {
      const query = { ...queryOf(coverage), count: "1" };
      await call({ method: "GET", path: "/scheduled_events", query });
    },

    async listInvitees(event: CalendlyEvent): Promise<CalendlyInvitee[]> {
      const path = `/scheduled_events/${event.eventId}/invitees`;
      const rows = await list(path, {}, z.unknown());
      return rows.flatMap((row) => readInvitee(row, event) ?? []);
    },

    /**
     * An invitee with its event; null if Calendly has none of this id. Another refusal, such as a
     * missing scope, says nothing about the invitee, and is thrown.
     */
    async findInvitee({ eventId, inviteeId }: InviteeRef): Promise<CalendlyInvitee | null> {
      const path = `/scheduled_events/${eventId}`;
      try {
        const event = readAs(resourceSchema, await call({ method: "GET", path }));
        const invitee = readAs(
          resourceSchema,
          await call({ method: "GET", path: `${path}/invitees/${inviteeId}` }),
        );
        return readInvitee(invitee.resource, readEvent(event.resource));
      } catch (error) {
        if (error instanceof CalendlyRefused && error.status === 404) return null;
        throw error;
      }
    },
  };
}

function subscriptionCalls({ call, list }: TokenCalls) {
  return {
    async listSubscriptions(coverage: CalendlyCoverage): Promise<CalendlySubscription[]> {
      const query = { ...ownersOf(coverage), scope: coverage.scope };
      const rows = await list("/webhook_subscriptions", query, subscriptionSchema);
      return rows.flatMap(subscriptionOf);
    },

    /** The subscription of this id, or null. */
    async findSubscription(id: string): Promise<CalendlySubscription | null> {
      const found = await unless404(call({ method: "GET", path: `/webhook_subscriptions/${id}` }));
      if (found === null) return null;
      const parsed = subscriptionSchema.safeParse(readAs(resourceSchema, found).resource);
      return parsed.success ? (subscriptionOf(parsed.data)[0] ?? null) : null;
    },

    /** @returns the id of the new subscription */
    async subscribe(
      coverage: CalendlyCoverage,
      url: string,
      signingKey: string | null,
    ): Promise<string> {
      const { scope } = coverage;
      const body = {
        url,
        events: webhookEvents,
        ...ownersOf(coverage),
        scope,
        // Calendly signs webhooks of an OAuth app with the key of the app.
        ...(signingKey === null ? {} : { signing_key: signingKey }),
      };
      const answer = await call({ method: "POST", path: "/webhook_subscriptions", body });
      const parsed = subscriptionSchema.safeParse(readAs(resourceSchema, answer).resource);
      const id = parsed.success ? calendlyId("webhook_subscriptions", parsed.data.uri) : null;
      if (id === null) throw new CalendlyAway("unreadable", 5_000);
      return id;
    },

    async unsubscribe(id: string): Promise<void> {
      await unless404(call({ method: "DELETE", path: `/webhook_subscriptions/${id}` }));
    },
  };
}

function changeCalls({ call }: TokenCalls) {
  return {
    /** Cancels an event for all of its invitees. A cancelled event counts as done. */
    async cancelEvent(eventId: string, reason: string | null): Promise<void> {
      const path = `/scheduled_events/${eventId}/cancellation`;
      const body = reason === null ? {} : { reason };
      await call({ method: "POST", path, body }).catch((error: unknown) => {
        // 403 and 404 read the same for an event that is cancelled already.
        if (!(error instanceof CalendlyRefused)) throw error;
      });
    },

    /** Marks that an invitee did not come. @returns the id of the mark, or null if refused */
    async markNoShow({ eventId, inviteeId }: InviteeRef): Promise<string | null> {
      try {
        const body = { invitee: inviteeUri(eventId, inviteeId) };
        const answer = await call({ method: "POST", path: "/invitee_no_shows", body });
        const { resource } = readAs(z.object({ resource: z.object({ uri: z.string() }) }), answer);
        return calendlyId("invitee_no_shows", resource.uri);
      } catch (error) {
        if (error instanceof CalendlyRefused) return null;
        throw error;
      }
    },

    async unmarkNoShow(id: string): Promise<void> {
      await unless404(call({ method: "DELETE", path: `/invitee_no_shows/${id}` }));
    },
  };
}

/** Calls with one token. */
export type CalendlyCalls = ReturnType<typeof callsOf>;

function bodyOf(answer: CalendlyAnswer): unknown {
  switch (answer.kind) {
    case "done":
      return answer.body;
    case "refused":
      throw new CalendlyRefused(answer.status, answer.title, answer.message);
    case "unauthorized":
      throw new CalendlyTokenInvalid("Calendly refuses the token.");
    case "away":
      throw new CalendlyAway(answer.code, answer.waitMs);
  }
}

function readAs<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new CalendlyAway("unreadable", 5_000);
  return parsed.data;
}

async function unless404(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CalendlyRefused && error.status === 404) return null;
    throw error;
  }
}

/** Calendly names its things by its own public address, wherever calls are sent to. */
function inviteeUri(eventId: string, inviteeId: string): string {
  return `https://api.calendly.com/scheduled_events/${eventId}/invitees/${inviteeId}`;
}

function queryOf({ scope, organizationUri, userUri }: CalendlyCoverage): Record<string, string> {
  return scope === "organization" ? { organization: organizationUri } : { user: userUri };
}

function ownersOf({ scope, organizationUri, userUri }: CalendlyCoverage): Record<string, string> {
  return { organization: organizationUri, ...(scope === "user" ? { user: userUri } : {}) };
}

function named(
  collection: "users" | "event_types",
  { uri, name, email }: { uri: string; name?: string | null; email?: string | null },
): CalendlyNamed[] {
  const id = calendlyId(collection, uri);
  return id === null ? [] : [{ uri, id, name: (name ?? "").slice(0, 254), email: email ?? null }];
}

function subscriptionOf({
  uri,
  callback_url: callbackUrl,
  state,
}: z.output<typeof subscriptionSchema>): CalendlySubscription[] {
  const id = calendlyId("webhook_subscriptions", uri);
  return id === null ? [] : [{ id, callbackUrl, isActive: state !== "disabled" }];
}
