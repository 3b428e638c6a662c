import * as oauth from "oauth4webapi";
import { Agent } from "undici";
import { z } from "zod";
import {
  googleCalendarScopes,
  googleScopes,
  type GoogleRefusalReason,
  type ListedCalendar,
} from "../../core/model/google-consent.ts";
import { createGoogleOAuth, type GoogleOAuthOptions } from "./google-oauth.ts";
import { ConsentError } from "../../core/errors.ts";
import { asConsentError, isProviderFault, type OAuthConsent } from "./oauth-client.ts";
import { fetchOnce } from "./oauth-fetch.ts";

/** Google's addresses and our client there. */
export interface GoogleAccountOptions extends GoogleOAuthOptions {
  apiUrl: string;
}

/** A grant that a person has given. */
export interface GoogleGrant {
  /** Google's `sub`: the account, whatever its address becomes. */
  subject: string;
  email: string;
  refreshToken: string;
  scopes: string[];
}

/** Google has refused a call, or has not answered it. */
export class GoogleRefusalError extends Error {
  override readonly name = "GoogleRefusalError";

  constructor(readonly reason: GoogleRefusalReason) {
    super(`Google refuses the call: ${reason}.`);
  }
}

/** Calls to Google while an admin connects an account, chooses calendars, or disconnects it. */
export interface GoogleAccounts {
  /** Address of the consent screen. @param loginHint address of the account to choose */
  consentUrl(consent: OAuthConsent, loginHint: string | null): Promise<string>;
  /**
   * Takes the grant from the query of the callback.
   * @throws ConsentError
   */
  takeGrant(query: URLSearchParams, consent: OAuthConsent): Promise<GoogleGrant>;
  /**
   * The calendars that an account can read.
   * @throws GoogleRefusalError
   */
  listCalendars(refreshToken: string): Promise<ListedCalendar[]>;
  /** Ends all consent of the account to this client. @returns false if Google did not confirm. */
  revoke(refreshToken: string): Promise<boolean>;
  close(): Promise<void>;
}

/** A list longer than this is cut: an account has few calendars. */
const mostPages = 8;

/** Makes the client. It keeps no token. */
export function createGoogleAccounts(options: GoogleAccountOptions): GoogleAccounts {
  const agent = new Agent({ keepAliveTimeout: 4_000 });
  const google = createGoogleOAuth(options, agent);
  const list = async (accessToken: string) => await listAll(options.apiUrl, accessToken, agent);

  return {
    consentUrl: async (consent, loginHint) => await google.consentUrl(consent, loginHint),
    async takeGrant(query, consent) {
      try {
        const answer = await google.exchange(query, consent);
        const grant = grantOf(answer);
        // Without an ID token the main calendar names the account: its id is the address.
        const claims = oauth.getValidatedIdTokenClaims(answer);
        const owner = claims ?? mainOf(await list(answer.access_token));
        return { ...grant, ...ownerOf(owner) };
      } catch (error) {
        throw consentFaultOf(error);
      }
    },
    async listCalendars(refreshToken) {
      try {
        return await list(await google.refresh(refreshToken));
      } catch (error) {
        throw asRefusal(error);
      }
    },
    async revoke(refreshToken) {
      try {
        return (await google.revoke(refreshToken)) === 200;
      } catch {
        return false;
      }
    },
    close: () => agent.close(),
  };
}

/** @throws GoogleRefusalError, ProviderAwayError */
async function listAll(
  apiUrl: string,
  accessToken: string,
  agent: Agent,
): Promise<ListedCalendar[]> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const url = new URL(`${apiUrl}/calendar/v3/users/me/calendarList`);
  for (const [name, value] of Object.entries(listQuery)) url.searchParams.set(name, value);
  const found: ListedCalendar[] = [];
  for (let count = 0; count < mostPages; count += 1) {
    const response = await fetchOnce(url.href, { method: "GET", headers }, agent);
    const body: unknown = await response.json().catch(() => null);
    if (response.status !== 200) throw new GoogleRefusalError(reasonOf(response.status, body));
    const page = calendarPage.safeParse(body);
    if (!page.success) throw new GoogleRefusalError("unreachable");
    found.push(...page.data.items.map(presentCalendar));
    if (page.data.nextPageToken === "") break;
    url.searchParams.set("pageToken", page.data.nextPageToken);
  }
  return found;
}

/** @throws ConsentError */
function mainOf(calendars: readonly ListedCalendar[]) {
  const main = calendars.find(({ isPrimary }) => isPrimary);
  if (main === undefined) throw new ConsentError("failed");
  return { sub: main.calendarId, email: main.calendarId };
}

const listQuery = {
  minAccessRole: "reader",
  maxResults: "250",
  fields: "nextPageToken,items(id,summary,summaryOverride,primary,accessRole)",
};

const calendarPage = z.object({
  nextPageToken: z.string().default(""),
  items: z
    .array(
      z.object({
        id: z.string().min(1).max(255),
        summary: z.string().default(""),
        summaryOverride: z.string().default(""),
        primary: z.boolean().default(false),
        accessRole: z.string().default("reader"),
      }),
    )
    .default([]),
});
type CalendarItem = z.output<typeof calendarPage>["items"][number];

function presentCalendar(item: CalendarItem): ListedCalendar {
  const { id, summary, summaryOverride, primary, accessRole } = item;
  const name = summaryOverride || summary || id;
  const isWritable = accessRole === "writer" || accessRole === "owner";
  return { calendarId: id, name: name.slice(0, 255), isPrimary: primary, isWritable };
}

/** @throws ConsentError */
function grantOf(
  answer: oauth.TokenEndpointResponse,
): Pick<GoogleGrant, "refreshToken" | "scopes"> {
  // Google names the scopes in every answer, since people may untick some.
  const scopes = answer.scope?.split(" ") ?? [...googleScopes];
  if (!googleCalendarScopes.every((scope) => scopes.includes(scope))) {
    throw new ConsentError("missing_scopes");
  }
  const { refresh_token: refreshToken } = answer;
  if (refreshToken === undefined) throw new ConsentError("no_refresh_token");
  return { refreshToken, scopes };
}

function ownerOf({ sub, email }: { sub: string; email?: unknown }) {
  return { subject: sub, email: typeof email === "string" ? email.slice(0, 320) : sub };
}

function consentFaultOf(error: unknown): unknown {
  return error instanceof GoogleRefusalError ? new ConsentError("failed") : asConsentError(error);
}

function asRefusal(error: unknown): unknown {
  if (error instanceof GoogleRefusalError) return error;
  if (error instanceof oauth.ResponseBodyError) {
    return new GoogleRefusalError(error.error === "invalid_grant" ? "grant_revoked" : "forbidden");
  }
  return isProviderFault(error) ? new GoogleRefusalError("unreachable") : error;
}

const errorBody = z.object({
  error: z.object({ errors: z.array(z.object({ reason: z.string().default("") })).default([]) }),
});

function reasonOf(status: number, body: unknown): GoogleRefusalReason {
  const reason = errorBody.safeParse(body).data?.error.errors[0]?.reason ?? "";
  if (status === 401) return "grant_revoked";
  if (reason === "accessNotConfigured") return "api_disabled";
  if (reason === "insufficientPermissions") return "missing_scopes";
  if (status === 429 || /limit|quota/iu.test(reason)) return "quota";
  return status === 403 ? "forbidden" : "unreachable";
}
