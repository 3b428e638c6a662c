/** Scopes that a Google connection cannot do without. */
export const googleCalendarScopes = [
  "https://www.googleapis.com/auth/calendar.events",
  "https://www.googleapis.com/auth/calendar.calendarlist.readonly",
] as const;

/** Scopes that the consent screen asks for: who the account is, its events, and its calendars. */
export const googleScopes: readonly string[] = ["openid", "email", ...googleCalendarScopes];

/**
 * Results of a consent, as the Dashboard's page names them.
 * - `denied`: the person refused.
 * - `missing_scopes`: the person left out a permission on the consent screen.
 * - `no_refresh_token`: Google gave access for an hour only.
 * - `other_account`: another Google account than the one to connect again, or another login here.
 * - `expired`: the address was used before, is older than 10 minutes, or belongs to nobody.
 * - `failed`: Google refused the exchange, or did not answer.
 */
export type ConsentOutcome =
  | "connected"
  | "denied"
  | "missing_scopes"
  | "no_refresh_token"
  | "other_account"
  | "expired"
  | "failed";

/** Reasons of Google to refuse a call for an admin. `unreachable`: no answer. */
export const googleRefusals = [
  "grant_revoked",
  "missing_scopes",
  "api_disabled",
  "quota",
  "forbidden",
  "unreachable",
] as const;
export type GoogleRefusalReason = (typeof googleRefusals)[number];

/** A calendar in the list of a Google account. */
export interface ListedCalendar {
  calendarId: string;
  name: string;
  isPrimary: boolean;
  /** True if events can be written there. */
  isWritable: boolean;
}
