import type * as oauth from "oauth4webapi";
import type { Dispatcher } from "undici";
import { googleScopes } from "../../core/model/google-consent.ts";
import { createOAuthClient, type OAuthConsent } from "./oauth-client.ts";

/** Google's addresses and our client there. */
export interface GoogleOAuthOptions {
  authUrl: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

/** Calls to Google's OAuth. They throw the errors of `oauth4webapi`, and ProviderAwayError. */
export interface GoogleOAuth {
  consentUrl(consent: OAuthConsent, loginHint: string | null): Promise<string>;
  /** The tokens for the code in the query of the callback. */
  exchange(query: URLSearchParams, consent: OAuthConsent): Promise<oauth.TokenEndpointResponse>;
  /** An access token for a refresh token. */
  refresh(refreshToken: string): Promise<string>;
  /** Status of the answer to a revocation. */
  revoke(refreshToken: string): Promise<number>;
}

const issuer = "https://accounts.google.com";

/** Makes the client. It keeps no token. */
export function createGoogleOAuth(
  options: GoogleOAuthOptions,
  dispatcher: Dispatcher,
): GoogleOAuth {
  // Google's address of revocation stands beside that of tokens.
  const revokeUrl = new URL("revoke", options.tokenUrl).href;
  const client = createOAuthClient({ ...options, issuer, revokeUrl }, dispatcher);
  return {
    consentUrl: async (consent, loginHint) =>
      await client.consentUrl(consent, {
        scope: googleScopes.join(" "),
        // Both are needed for a refresh token, also at a second consent.
        access_type: "offline",
        prompt: "consent",
        ...(loginHint === null ? {} : { login_hint: loginHint }),
      }),
    exchange: client.exchange,
    refresh: async (token) => (await client.refresh(token)).access_token,
    revoke: client.revoke,
  };
}
