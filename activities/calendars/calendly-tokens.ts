import type { DataSource } from "typeorm";
import type { CalendlyAppGrant } from "../../core/calendars/calendly-credentials.ts";
import { minuteMs } from "../../core/model/durations.ts";
import type { Principal } from "../../core/model/principal.ts";
import type { SecretBox } from "../../core/secrets.ts";
import {
  findOpenCalendly,
  openCalendlyCredentials,
  type OpenCalendly,
} from "../../core/services/calendars/calendly-accounts.ts";
import { lockConnection, storeCredentials } from "../../core/services/calendars/connections.ts";
import { transaction } from "../../db/transaction.ts";
import { retryFor } from "../retry-for.ts";
import { CalendlyAway, CalendlyTokenInvalid } from "./calendly-calls.ts";
import type { Calendly } from "./calendly.ts";
import { CalendlyGrantEnded, type CalendlyGrant } from "./calendly-oauth.ts";

/** Parts that work with the grants of Calendly needs. */
export interface CalendlyTokenDeps {
  dataSource: DataSource;
  secretBox: SecretBox;
  calendly: Calendly;
}

/** A token this close to its end is replaced before its work begins. */
const marginMs = 5 * minuteMs;
/** A younger token that Calendly refuses means that the grant has ended. */
const youngMs = minuteMs;
/** Wait after a renewal that Calendly did not answer. */
const awayMs = 5_000;
/** Time limit to store a new grant. After that the connection ends: its refresh token is used up. */
const storeMs = 30_000;

/** The credentials of a grant, as a connection keeps them. */
export function credentialsOf(grant: CalendlyGrant): CalendlyAppGrant {
  const { accessToken, refreshToken, issuedAt, expiresAt } = grant;
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    issued_at: issuedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}

/**
 * A connected account of Calendly with a token for the work to come, or null. An access token that
 * is about to expire is renewed first.
 * @throws CalendlyTokenInvalid if the grant has ended
 * @throws CalendlyAway if Calendly does not answer
 */
export async function openFreshCalendly(
  deps: CalendlyTokenDeps,
  actor: Principal,
  connectionId: number,
): Promise<OpenCalendly | null> {
  const { dataSource, secretBox } = deps;
  const read = async () =>
    await transaction(dataSource, { actor }, (tx) => findOpenCalendly(tx, secretBox, connectionId));
  const open = await read();
  if (open === null || !isExpiring(open)) return open;
  await renew(deps, actor, open);
  return await read();
}

/**
 * Renews the token that Calendly has just refused.
 * @returns false if there is no newer one, so that a person has to connect again
 * @throws CalendlyAway if Calendly does not answer
 */
export async function renewRefused(
  deps: CalendlyTokenDeps,
  actor: Principal,
  open: OpenCalendly,
): Promise<boolean> {
  const { credentials } = open;
  if (!("refresh_token" in credentials)) return false;
  if (Date.now() - Date.parse(credentials.issued_at) < youngMs) return false;
  try {
    await renew(deps, actor, open);
    return true;
  } catch (error) {
    if (error instanceof CalendlyTokenInvalid) return false;
    throw error;
  }
}

function isExpiring({ credentials }: OpenCalendly): boolean {
  if (!("expires_at" in credentials)) return false;
  return Date.parse(credentials.expires_at) - marginMs < Date.now();
}

/**
 * Replaces a grant. Calendly takes a refresh token once, so the row of the connection stays locked
 * until the next one is stored. Work that waited for the lock finds the new one.
 */
async function renew(
  { dataSource, secretBox, calendly }: CalendlyTokenDeps,
  actor: Principal,
  { connection, credentials: used }: OpenCalendly,
): Promise<void> {
  // A transaction may run twice, and the refresh token is used up by then.
  let granted = null as CalendlyGrant | null;
  const replace = async () =>
    await transaction(dataSource, { actor }, async (tx) => {
      const row = await lockConnection(tx, connection.id);
      if (row === null || row.state !== "connected" || row.sealed === null) return;
      const known = openCalendlyCredentials(secretBox, row);
      if (!("refresh_token" in known && "refresh_token" in used)) return;
      // Another renewal was first, or a commit whose answer was lost.
      if (known.refresh_token !== used.refresh_token) return;
      granted ??= await askForGrant(calendly, known.refresh_token);
      await storeCredentials(tx, secretBox, row, credentialsOf(granted));
    });
  try {
    await replace();
  } catch (error) {
    if (granted === null) throw error;
    await retryFor(replace, storeMs);
  }
}

async function askForGrant({ oauth }: Calendly, refreshToken: string): Promise<CalendlyGrant> {
  // Without the app nobody can renew the grant, and its settings may come back.
  if (oauth === null) throw new CalendlyAway("no_oauth_app", awayMs);
  try {
    const grant = await oauth.renewGrant(refreshToken);
    if (grant === null) throw new CalendlyAway("token_unreachable", awayMs);
    return grant;
  } catch (error) {
    if (!(error instanceof CalendlyGrantEnded)) throw error;
    throw new CalendlyTokenInvalid("Calendly has ended the grant.");
  }
}
