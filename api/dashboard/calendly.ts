import {
  CalendlyAway,
  CalendlyRefused,
  CalendlyTokenInvalid,
} from "../../activities/calendars/calendly-calls.ts";
import { CalendlyScopesMissing } from "../../activities/calendars/calendly-setup.ts";
import { AppError, notFound } from "../../core/errors.ts";
import type { Principal } from "../../core/model/principal.ts";
import { getAppointmentRow } from "../../core/services/appointments/appointment-records.ts";
import { listUnmapped, mapCalendly } from "../../core/services/calendar-intake/calendly-mapping.ts";
import {
  calendlyWebhookUrl,
  connectCalendly,
  findCalendlyAccount,
  type FoundCalendly,
} from "../../core/services/calendars/calendly-accounts.ts";
import {
  countInvitees,
  findInviteeOf,
} from "../../core/services/calendars/calendly-own-changes.ts";
import { presentCalendly } from "../../core/services/calendars/calendly-views.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { requireTokens } from "../http/rate-limit.ts";
import type { Route } from "../http/route.ts";
import { admin, agent } from "./access.ts";
import { beginCalendlyConsent, inspectAccount } from "./calendly-calls.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Calendars";
const noun = "calendar_connection";

/** Accounts of Calendly: connecting, the mapping, and the pages of their bookings. */
export const calendlyRoutes: Route[] = [
  dashboardRoute("GET /calendars/calendly/connect", {
    access: admin,
    tag,
    summary: "Begin the consent to an account of Calendly: the address of its consent screen",
    errors: ["calendar_connection_not_found", "calendly_not_configured"],
    // A GET of its convention, which all the same stores the state of the consent.
    prepare: async ({ query, actor, facts: { sessionHash } }, deps) => {
      const connectionId = query.connection_id ?? null;
      return await beginCalendlyConsent(deps, actor, { sessionHash, connectionId });
    },
    run: (_tx, { prepared: url }) => Promise.resolve({ data: { url } }),
  }),
  dashboardRoute("POST /calendars/calendly", {
    access: admin,
    tag,
    summary: "Connect an account of Calendly by its token, or replace the token",
    errors: ["calendly_refused", "rate_limited"],
    prepare: async ({ body, actor }, deps) => await inspect(body.token, actor, deps),
    run: async (tx, { prepared }, { secretBox, config }) => {
      const { id, slug } = await connectCalendly(tx, secretBox, prepared);
      const known = slug ?? prepared.slug;
      const webhook_url = calendlyWebhookUrl(config.publicUrl, known);
      return { data: { id, slug: known, webhook_url } };
    },
  }),
  dashboardRoute("PATCH /calendars/calendly/:id", {
    access: admin,
    tag,
    noun,
    summary: "Map hosts to resources and event types to services, and import waiting bookings",
    run: async (tx, { id, body }, { config }) => {
      await requireCalendly(tx, id);
      await mapCalendly(tx, id, body);
      return { data: await presentCalendly(tx, id, config.publicUrl) };
    },
  }),
  dashboardRoute("GET /calendars/calendly/:id", {
    access: admin,
    tag,
    noun,
    summary: "Read a connection with Calendly: its state, its hosts and its event types",
    run: async (tx, { id }, { config }) => ({
      data: await presentCalendly(tx, id, config.publicUrl),
    }),
  }),
  dashboardRoute("GET /calendars/calendly/:id/unmapped", {
    access: admin,
    tag,
    noun,
    summary: "List bookings whose hosts have no resource, by their start",
    run: async (tx, { id, query }) => {
      await requireCalendly(tx, id);
      const page = await listUnmapped(tx, id, query);
      return { data: page.rows, meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("GET /appointments/:id/calendly", {
    access: agent,
    tag,
    noun: "appointment",
    summary:
      "Read the pages on which a booking of Calendly is moved or cancelled; null for another",
    run: async (tx, { id }) => {
      await getAppointmentRow(tx, id);
      const invitee = await findInviteeOf(tx, id);
      if (invitee === null) return { data: null };
      const { rescheduleUrl: reschedule_url, cancelUrl: cancel_url } = invitee;
      const active_invitees = await countInvitees(tx, invitee);
      return { data: { reschedule_url, cancel_url, active_invitees } };
    },
  }),
];

async function requireCalendly(tx: Tx, id: number): Promise<void> {
  if ((await findCalendlyAccount(tx, id)) === null) throw notFound(noun);
}

/** @throws AppError `calendly_refused`, `rate_limited` */
async function inspect(token: string, actor: Principal, deps: Deps): Promise<FoundCalendly> {
  requireTokens(deps.limitTests, `calendly ${actor.accountId}`);
  try {
    const found = await inspectAccount(deps, actor, { token, grant: null, userUri: null });
    if (found === null) throw new Error("Any user may own the token.");
    return found;
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  const refuse = (reason: string, message?: string, missing: readonly string[] = []) =>
    new AppError("calendly_refused", {
      ...(message === undefined ? {} : { message }),
      details: { reason, missing_scopes: missing },
    });
  if (error instanceof CalendlyScopesMissing) {
    const message = `The token lacks these scopes: ${error.scopes.join(", ")}. Make a new token with them.`;
    return refuse("missing_scopes", message, error.scopes);
  }
  if (error instanceof CalendlyTokenInvalid) {
    return refuse("token_invalid", "Calendly does not know this token. Make a new one.");
  }
  if (error instanceof CalendlyAway || error instanceof CalendlyRefused) {
    return refuse("unreachable", "Calendly did not answer as expected. Try again in a minute.");
  }
  return error;
}
