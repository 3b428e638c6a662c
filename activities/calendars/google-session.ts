import { Agent } from "undici";
import type { CalendarAccess, CalendarTrouble, DisconnectCode } from "../../core/model/calendar.ts";
import { minuteMs } from "../../core/model/durations.ts";
import { callGoogle, type GoogleAnswer, type GoogleCall, type GoogleToken } from "./google-http.ts";

/** Google's addresses and our client there. */
export interface GoogleOptions {
  apiUrl: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

/** A call without credentials. */
export type OpenGoogleCall = Omit<GoogleCall, "headers"> & { headers?: Record<string, string> };

/** Meaning of an answer. `unauthorized`: the access token was refused. */
type Judge<T> = (answer: GoogleAnswer) => T | "unauthorized";

/** Connections to Google, and the access tokens of its accounts. */
export interface GoogleSession {
  /** Makes a call with the access token of a connection. A refused token is replaced once. */
  call<T>(access: TokenAccess, call: OpenGoogleCall, judge: Judge<T>): Promise<T | CalendarTrouble>;
  close(): Promise<void>;
}

type TokenAccess = Pick<CalendarAccess, "connectionId" | "credentials">;
type TokenResult = { kind: "token"; accessToken: string } | CalendarTrouble;

/** A token this close to its end is not used any more. */
const tokenMarginMs = minuteMs;
/** Maximum number of cached tokens. A dropped token costs another refresh. */
const mostTokens = 1_000;
/** Google answers 403 for these reasons too, for which other services answer 429. */
const limitReasons =
  /^(rateLimitExceeded|userRateLimitExceeded|quotaExceeded|calendarUsageLimitsExceeded|dailyLimitExceeded)$/;
/** The Calendar API is turned off in our own project. */
const apiDisabled = "accessNotConfigured";
/** Refusals that concern one event only, such as an event with another organizer. */
const eventReasons = /^forbiddenForNonOrganizer$/;

/**
 * Access tokens come from the refresh token of each connection and are kept in memory. There is no
 * retry of a call here: the caller decides about a second try.
 */
export function createGoogleSession(options: GoogleOptions): GoogleSession {
  const agent = new Agent({ keepAliveTimeout: 4_000 });
  const tokens = new Map<number, { accessToken: string; refreshToken: string; untilMs: number }>();

  async function tokenOf({ connectionId, credentials }: TokenAccess): Promise<TokenResult> {
    const { refresh_token: refreshToken } = credentials;
    const known = tokens.get(connectionId);
    if (known?.refreshToken === refreshToken && known.untilMs > performance.now()) {
      return { kind: "token", accessToken: known.accessToken };
    }
    const answer = await callGoogle(refreshCall(options, refreshToken), agent);
    const { token } = answer.status === 200 ? answer : { token: null };
    if (token === null) return judgeRefresh(answer);
    // The oldest comes first, because each new token goes to the end.
    tokens.delete(connectionId);
    const [oldest] = tokens.keys();
    if (tokens.size >= mostTokens && oldest !== undefined) tokens.delete(oldest);
    tokens.set(connectionId, { ...keep(token), refreshToken });
    return { kind: "token", accessToken: token.accessToken };
  }

  async function callOnce<T>(
    access: TokenAccess,
    call: OpenGoogleCall,
    judge: Judge<T>,
  ): Promise<T | CalendarTrouble | "unauthorized"> {
    const token = await tokenOf(access);
    if (token.kind !== "token") return token;
    const headers = { ...call.headers, authorization: `Bearer ${token.accessToken}` };
    return judge(await callGoogle({ ...call, headers }, agent));
  }

  return {
    async call(access, call, judge) {
      const first = await callOnce(access, call, judge);
      if (first !== "unauthorized") return first;
      // Google may end a token before its time. A second refusal means the account, not the token.
      tokens.delete(access.connectionId);
      const second = await callOnce(access, call, judge);
      return second === "unauthorized" ? ended("connection", "unauthorized") : second;
    },
    close: () => agent.close(),
  };
}

/**
 * Meaning of an answer without success, whatever was called.
 * @returns `unauthorized` for a refused access token
 */
export function judgeFailure(answer: GoogleAnswer): CalendarTrouble | "unauthorized" {
  if (answer.status === null) return { kind: "transient", code: answer.code };
  const { status, reason } = answer;
  const code = `http_${status}`;
  if (status === 401) return "unauthorized";
  if (status === 403 && reason === apiDisabled) return { kind: "transient", code: "api_disabled" };
  const passing = status >= 500 || status === 408 || status === 429;
  if (passing || (status === 403 && limitReasons.test(reason))) return { kind: "transient", code };
  // A call that finds nothing has no calendar. A forbidden one means that the calendar is no longer
  // shared.
  if (status === 404) return ended("calendar", "calendar_not_found");
  if (status === 403 && !eventReasons.test(reason)) return ended("calendar", "calendar_forbidden");
  return { kind: "refused", code };
}

function keep({ accessToken, lifeSeconds }: GoogleToken) {
  return { accessToken, untilMs: performance.now() + lifeSeconds * 1_000 - tokenMarginMs };
}

function refreshCall({ tokenUrl, clientId, clientSecret }: GoogleOptions, refreshToken: string) {
  const body = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return { method: "POST" as const, url: new URL(tokenUrl), headers, body };
}

function judgeRefresh(answer: GoogleAnswer): CalendarTrouble {
  if (answer.status === null) return { kind: "transient", code: `token_${answer.code}` };
  if (answer.reason === "invalid_grant") return ended("connection", "invalid_grant");
  // Any other error concerns our client, such as a changed client secret, and ends once that is
  // repaired.
  return { kind: "transient", code: `token_http_${answer.status}` };
}

function ended(of: "connection" | "calendar", code: DisconnectCode): CalendarTrouble {
  return { kind: "disconnected", of, code };
}
