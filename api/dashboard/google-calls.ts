import {
  GoogleRefusalError,
  type GoogleAccounts,
} from "../../activities/calendars/google-account.ts";
import { AppError } from "../../core/errors.ts";
import { calendarCredentials } from "../../core/model/calendar.ts";
import type { GoogleLinksBody } from "../../core/model/calendar-connection.ts";
import type { GoogleRefusalReason, ListedCalendar } from "../../core/model/google-consent.ts";
import type { Principal } from "../../core/model/principal.ts";
import {
  disconnectConnection,
  findConnection,
  isLastGrant,
  openCredentials,
} from "../../core/services/calendars/connections.ts";
import { getGoogleConnection, hasNewCalendar } from "../../core/services/calendars/google-links.ts";
import type { CalendarConnection } from "../../db/entities/calendar-connection.ts";
import { snapshot, transaction, type Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";

/** Address to which Google sends a browser back. It must be registered at Google in these words. */
export function googleRedirectUri(publicUrl: string): string {
  return `${publicUrl}/integrations/google/callback`;
}

/** Names of the settings without which nobody can connect Google. */
export function missingGoogleSettings({ google }: Deps["config"]): string[] {
  const needed = { GOOGLE_CLIENT_ID: google.clientId, GOOGLE_CLIENT_SECRET: google.clientSecret };
  return Object.entries(needed).flatMap(([name, value]) => (value === "" ? [name] : []));
}

/**
 * The calendars of a connected account, as Google lists them now. A refused grant ends the
 * connection.
 * @throws AppError `calendar_connection_not_found`, `calendar_disconnected`, `google_refused`,
 * `rate_limited`
 */
export async function listGoogleCalendars(
  id: number,
  actor: Principal,
  deps: Deps,
): Promise<ListedCalendar[]> {
  const connection = await read(deps, actor, (tx) => getGoogleConnection(tx, id));
  if (connection.state !== "connected") throw new AppError("calendar_disconnected");
  const refreshToken = refreshTokenOf(deps, connection);
  try {
    return await gated(deps, actor, (google) => google.listCalendars(refreshToken));
  } catch (error) {
    if (!(error instanceof GoogleRefusalError)) throw error;
    const { reason } = error;
    if (reason === "grant_revoked") {
      await transaction(deps.dataSource, { actor }, (tx) =>
        disconnectConnection(tx, connection, reason),
      );
    }
    throw new AppError("google_refused", { message: nextSteps[reason], details: { reason } });
  }
}

/** The same if a list of links names a new calendar, else null. */
export async function listForLinks(
  id: number,
  body: GoogleLinksBody,
  actor: Principal,
  deps: Deps,
): Promise<ListedCalendar[] | null> {
  const isNeeded = await read(deps, actor, (tx) => hasNewCalendar(tx, id, body));
  return isNeeded ? await listGoogleCalendars(id, actor, deps) : null;
}

/**
 * Ends the consent of an account at Google, unless another connection of this installation still
 * uses it. The connection ends in any case, whatever Google answers.
 */
export async function revokeGrant(id: number, actor: Principal, deps: Deps): Promise<void> {
  const connection = await read(deps, actor, async (tx) => {
    const row = await findConnection(tx, id);
    const isOpen = row?.provider === "google" && row.sealed !== null;
    return isOpen && (await isLastGrant(tx, row)) ? row : null;
  });
  if (connection === null) return;
  const refreshToken = refreshTokenOf(deps, connection);
  await gated(deps, actor, (google) => google.revoke(refreshToken));
}

function refreshTokenOf({ secretBox }: Deps, connection: CalendarConnection): string {
  return calendarCredentials.parse(openCredentials(secretBox, connection)).refresh_token;
}

async function read<T>(
  { dataSource }: Deps,
  actor: Principal,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await snapshot(dataSource, { actor }, work);
}

/** Few calls of an account run at once. */
async function gated<T>(
  { calendarCalls, googleAccounts }: Deps,
  { accountId }: Principal,
  work: (google: GoogleAccounts) => Promise<T>,
): Promise<T> {
  return await calendarCalls.run(String(accountId), async () => await work(googleAccounts));
}

const nextSteps: Readonly<Record<GoogleRefusalReason, string>> = {
  grant_revoked: "Google no longer accepts the consent of this account. Connect it again.",
  missing_scopes: "A permission is missing. Connect the account again, and tick every permission.",
  api_disabled: "Enable the Google Calendar API in the Google Cloud project of this installation.",
  quota: "Google has had too many calls. Try again in a few minutes.",
  forbidden:
    "Google refuses the client or the account. Check client id, secret and consent screen.",
  unreachable: "Google has not answered. Try again in a minute.",
};
