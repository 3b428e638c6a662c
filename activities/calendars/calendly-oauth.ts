import * as oauth from "oauth4webapi";
import { Agent } from "undici";
import { minuteMs } from "../../core/model/durations.ts";
import { calendlyScopes } from "../../core/model/calendly-scopes.ts";
import { ConsentError } from "../../core/errors.ts";
import {
  asConsentError,
  createOAuthClient,
  isProviderFault,
  type OAuthConsent,
} from "./oauth-client.ts";

/** The OAuth app of this installation at Calendly. */
export interface CalendlyApp {
  /** Origin of the consent screen and of tokens, without a slash at its end. */
  authUrl: string;
  clientId: string;
  clientSecret: string;
}

/** Tokens of a consent. */
export interface CalendlyGrant {
  accessToken: string;
  /** Calendly takes it once, for the next grant. */
  refreshToken: string;
  issuedAt: Date;
  expiresAt: Date;
  scopes: readonly string[];
}

/** Calendly ended the grant, or somebody has used its refresh token before. */
export class CalendlyGrantEnded extends Error {
  override readonly name = "CalendlyGrantEnded";
}

/** Calls to Calendly's OAuth, for the app of this installation. */
export interface CalendlyOAuth {
  /** Address of the consent screen. */
  consentUrl(this: void, consent: OAuthConsent): Promise<string>;
  /**
   * Takes the grant from the query of the callback.
   * @throws ConsentError
   */
  takeGrant(this: void, query: URLSearchParams, consent: OAuthConsent): Promise<CalendlyGrant>;
  /**
   * The next grant for a refresh token, which is used up.
   * @throws CalendlyGrantEnded
   * @returns null if Calendly did not answer, or refuses the app
   */
  renewGrant(this: void, refreshToken: string): Promise<CalendlyGrant | null>;
  /** Ends a grant. @returns false if Calendly did not confirm. */
  revoke(this: void, refreshToken: string): Promise<boolean>;
  close(this: void): Promise<void>;
}

/** Life of an access token whose answer names none. Calendly's live for two hours. */
const usualLifeMs = 30 * minuteMs;

/** Makes the client. It keeps no token. */
export function createCalendlyOAuth(app: CalendlyApp): CalendlyOAuth {
  const agent = new Agent({ keepAliveTimeout: 4_000 });
  const { authUrl, clientId, clientSecret } = app;
  const client = createOAuthClient(
    {
      issuer: authUrl,
      authUrl: `${authUrl}/oauth/authorize`,
      tokenUrl: `${authUrl}/oauth/token`,
      revokeUrl: `${authUrl}/oauth/revoke`,
      clientId,
      clientSecret,
    },
    agent,
  );
  return {
    consentUrl: async (consent) =>
      await client.consentUrl(consent, { scope: calendlyScopes.join(" ") }),
    async takeGrant(query, consent) {
      try {
        const grant = grantOf(await client.exchange(query, consent));
        if (grant === null) throw new ConsentError("no_refresh_token");
        return grant;
      } catch (error) {
        throw asConsentError(error);
      }
    },
    async renewGrant(refreshToken) {
      try {
        return grantOf(await client.refresh(refreshToken), refreshToken);
      } catch (error) {
        const isEnded = error instanceof oauth.ResponseBodyError && error.error === "invalid_grant";
        if (isEnded) throw new CalendlyGrantEnded("Calendly has ended the grant.");
        if (isProviderFault(error)) return null;
        throw error;
      }
    },
    async revoke(refreshToken) {
      try {
        return (await client.revoke(refreshToken)) === 200;
      } catch {
        return false;
      }
    },
    close: () => agent.close(),
  };
}

/** @param before refresh token that stays where the answer names no other. */
function grantOf(answer: oauth.TokenEndpointResponse, before?: string): CalendlyGrant | null {
  const refreshToken = answer.refresh_token ?? before;
  if (refreshToken === undefined) return null;
  const { access_token: accessToken, expires_in: seconds, scope } = answer;
  const issuedAt = new Date();
  const lifeMs = seconds === undefined ? usualLifeMs : seconds * 1_000;
  const expiresAt = new Date(issuedAt.getTime() + lifeMs);
  const named = (scope ?? "").split(" ").filter((one) => one !== "");
  const scopes = named.length === 0 ? calendlyScopes : named;
  return { accessToken, refreshToken, issuedAt, expiresAt, scopes };
}
