import * as oauth from "oauth4webapi";
import type { Dispatcher } from "undici";
import { googleScopes } from "../../core/model/google-consent.ts";
import { fetchOnce, type FetchCall } from "./oauth-fetch.ts";

/** Google's addresses and our client there. */
export interface GoogleOAuthOptions {
  authUrl: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

/** A consent under way. The verifier is the secret of PKCE. */
export interface GoogleConsent {
  state: string;
  verifier: string;
  redirectUri: string;
}

/** Calls to Google's OAuth. They throw the errors of `oauth4webapi`, and ProviderAwayError. */
export interface GoogleOAuth {
  consentUrl(consent: GoogleConsent, loginHint: string | null): Promise<string>;
  /** The tokens for the code in the query of the callback. */
  exchange(query: URLSearchParams, consent: GoogleConsent): Promise<oauth.TokenEndpointResponse>;
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
  const { authUrl, tokenUrl, clientId, clientSecret } = options;
  const server: oauth.AuthorizationServer = {
    issuer,
    authorization_endpoint: authUrl,
    token_endpoint: tokenUrl,
    // Google's address of revocation stands beside that of tokens.
    revocation_endpoint: new URL("revoke", tokenUrl).href,
  };
  const client: oauth.Client = { client_id: clientId };
  // Made with each call, because an installation without a client at Google has no secret either.
  const secret = () => oauth.ClientSecretPost(clientSecret);
  const call = {
    // oxlint-disable-next-line typescript/no-deprecated -- only a stand-in has an address without https
    [oauth.allowInsecureRequests]: !tokenUrl.startsWith("https:"),
    [oauth.customFetch]: async (url: string, given: FetchCall) =>
      await fetchOnce(url, given, dispatcher),
  };

  return {
    consentUrl: async (consent, loginHint) => await consentUrlOf(options, consent, loginHint),
    async exchange(query, { state, verifier, redirectUri }) {
      const answered = oauth.validateAuthResponse(server, client, query, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        secret(),
        answered,
        redirectUri,
        verifier,
        call,
      );
      return await oauth.processAuthorizationCodeResponse(server, client, response);
    },
    async refresh(token) {
      const response = await oauth.refreshTokenGrantRequest(server, client, secret(), token, call);
      return (await oauth.processRefreshTokenResponse(server, client, response)).access_token;
    },
    async revoke(token) {
      return (await oauth.revocationRequest(server, client, secret(), token, call)).status;
    },
  };
}

async function consentUrlOf(
  { authUrl, clientId }: GoogleOAuthOptions,
  { state, verifier, redirectUri }: GoogleConsent,
  loginHint: string | null,
): Promise<string> {
  const url = new URL(authUrl);
  const parameters = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: googleScopes.join(" "),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    // Both are needed for a refresh token, also at a second consent.
    access_type: "offline",
    prompt: "consent",
    ...(loginHint === null ? {} : { login_hint: loginHint }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
