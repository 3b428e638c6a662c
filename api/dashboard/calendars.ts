import { AppError } from "../../core/errors.ts";
import { calendarModeReasons } from "../../core/model/calendar-connection.ts";
import { beginConsent } from "../../core/services/calendars/calendar-consents.ts";
import {
  getConnection,
  listConnections,
  type ConnectionWithLinks,
} from "../../core/services/calendars/connection-list.ts";
import { forgetConnection } from "../../core/services/calendars/connections.ts";
import {
  getGoogleConnection,
  pauseLinks,
  replaceGoogleLinks,
} from "../../core/services/calendars/google-links.ts";
import { endCalendly } from "../../core/services/calendars/calendly-accounts.ts";
import { presentCalendly } from "../../core/services/calendars/calendly-views.ts";
import { syncNow } from "../../core/services/calendars/sync-now.ts";
import { transaction, type Tx } from "../../db/transaction.ts";
import { admin } from "./access.ts";
import { calendlyRedirectUri } from "./calendly-calls.ts";
import { endSubscription } from "./end-subscription.ts";
import {
  googleRedirectUri,
  listForLinks,
  listGoogleCalendars,
  missingGoogleSettings,
  revokeGrant,
} from "./google-calls.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Calendars";
const noun = "calendar_connection";

/** Connections to external calendars, and the calendars of Google accounts. */
export const calendarRoutes = [
  dashboardRoute("GET /calendars", {
    access: admin,
    tag,
    summary: "List the connected calendar accounts with their state",
    run: async (tx, _input, { config }) => {
      const missing = missingGoogleSettings(config);
      const google = {
        configured: missing.length === 0,
        missing,
        redirect_uri: googleRedirectUri(config.publicUrl),
      };
      const connections: Awaited<ReturnType<typeof presentConnection>>[] = [];
      for (const found of await listConnections(tx)) {
        connections.push(await presentConnection(tx, found, config.publicUrl));
      }
      const calendly = {
        configured: config.calendly.app !== null,
        redirect_uri: calendlyRedirectUri(config.publicUrl),
      };
      return { data: { connections, google, calendly } };
    },
  }),
  dashboardRoute("GET /calendars/google/connect", {
    access: admin,
    tag,
    summary: "Begin the consent to a Google account: the address of Google's consent screen",
    errors: ["calendar_connection_not_found", "google_not_configured"],
    // A GET of its convention, which all the same stores the state of the consent.
    prepare: async ({ query, actor, facts }, deps) => {
      const { config, dataSource, secretBox, googleAccounts } = deps;
      if (missingGoogleSettings(config).length > 0) throw new AppError("google_not_configured");
      const { sessionHash } = facts;
      if (sessionHash === null) throw new AppError("session_required");
      const connectionId = query.connection_id ?? null;
      const begun = await transaction(dataSource, { actor }, async (tx) => {
        const known = connectionId === null ? null : await getGoogleConnection(tx, connectionId);
        const consent = await beginConsent(tx, secretBox, {
          provider: "google",
          sessionHash,
          connectionId,
        });
        return { consent, loginHint: known?.email ?? null };
      });
      const redirectUri = googleRedirectUri(config.publicUrl);
      return await googleAccounts.consentUrl({ ...begun.consent, redirectUri }, begun.loginHint);
    },
    run: (_tx, { prepared: url }) => Promise.resolve({ data: { url } }),
  }),
  dashboardRoute("GET /calendars/google/:id/calendars", {
    access: admin,
    tag,
    noun,
    summary: "List the calendars of a connected Google account",
    errors: ["calendar_disconnected", "google_refused", "rate_limited"],
    prepare: async ({ id, actor }, deps) => await listGoogleCalendars(id, actor, deps),
    run: (_tx, { prepared }) => {
      const calendars = prepared.map(({ calendarId, name, isPrimary, isWritable }) => ({
        calendar_id: calendarId,
        name,
        primary: isPrimary,
        writable: isWritable,
      }));
      return Promise.resolve({ data: { calendars } });
    },
  }),
  dashboardRoute("PATCH /calendars/google/:id", {
    access: admin,
    tag,
    noun,
    summary: "Choose the calendars of a Google account and their resources",
    errors: ["calendar_disconnected", "google_refused", "rate_limited"],
    prepare: async ({ id, body, actor }, deps) => await listForLinks(id, body, actor, deps),
    run: async (tx, { id, body, prepared }, { config }) => {
      await replaceGoogleLinks(tx, id, body, prepared);
      return { data: await presentConnection(tx, await getConnection(tx, id), config.publicUrl) };
    },
  }),
  dashboardRoute("POST /calendars/:id/sync", {
    access: admin,
    tag,
    noun,
    summary: "Read the calendars or the bookings of an account now",
    errors: ["calendar_disconnected"],
    run: async (tx, { id }) => {
      await syncNow(tx, id);
      return { data: { id } };
    },
  }),
  dashboardRoute("POST /calendars/:id/disconnect", {
    access: admin,
    tag,
    noun,
    summary: "Disconnect a calendar account: its credentials are deleted, appointments stay",
    errors: ["rate_limited"],
    prepare: async ({ id, actor }, deps) => {
      await revokeGrant(id, actor, deps);
      await endSubscription(id, actor, deps);
    },
    run: async (tx, { id }) => {
      const connection = await forgetConnection(tx, id);
      await pauseLinks(tx, connection);
      if (connection.provider === "calendly") await endCalendly(tx, id);
      return { data: { id } };
    },
  }),
];

async function presentConnection(tx: Tx, { row, links }: ConnectionWithLinks, publicUrl: string) {
  return {
    id: row.id,
    provider: row.provider,
    email: row.email,
    name: row.name === "" ? null : row.name,
    state: row.state,
    mode: row.mode,
    mode_reason: calendarModeReasons.find((one) => one === row.modeReason) ?? null,
    last_synced_at: row.lastSyncedAt?.toISOString() ?? null,
    error_code: row.errorCode,
    error_at: row.errorAt?.toISOString() ?? null,
    push_expires_at: earliest(links.map(({ channelExpiresAt }) => channelExpiresAt)),
    created_at: row.createdAt.toISOString(),
    google: row.provider === "google" ? { links: links.map(presentLink) } : null,
    calendly: row.provider === "calendly" ? await presentMapping(tx, row.id, publicUrl) : null,
  };
}

async function presentMapping(tx: Tx, id: number, publicUrl: string) {
  const { slug, webhook_url, scope, users, event_types, unmapped_bookings } = await presentCalendly(
    tx,
    id,
    publicUrl,
  );
  return { slug, webhook_url, scope, users, event_types, unmapped_bookings };
}

function presentLink(link: ConnectionWithLinks["links"][number]) {
  return {
    id: link.id,
    calendar_id: link.calendarId,
    name: link.name,
    resource_id: link.resourceId,
    direction: link.direction,
    other_events: link.otherEvents,
    state: link.state,
    last_synced_at: link.lastSyncedAt?.toISOString() ?? null,
    last_push_at: link.lastPushAt?.toISOString() ?? null,
  };
}

function earliest(moments: readonly (Date | null)[]): string | null {
  const [first] = moments
    .filter((at) => at !== null)
    .toSorted((one, other) => one.getTime() - other.getTime());
  return first?.toISOString() ?? null;
}
