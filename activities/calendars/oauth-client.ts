import * as oauth from "oauth4webapi";
import type { Dispatcher } from "undici";
import { ConsentError } from "../../core/errors.ts";
import { fetchOnce, ProviderAwayError, type FetchCall } from "./oauth-fetch.ts";

/** Addresses of a provider, and our client there. */
export interface OAuthOptions {
  /** The provider's name of itself, which its answers may carry. */
  issuer: string;
  authUrl: string;
  tokenUrl: string;
  revokeUrl: string;
  clientId: string;
  clientSecret: string;
}

/** A consent under way. The verifier is the secret of PKCE. */
export interface OAuthConsent {
  state: string;
  verifier: string;
  redirectUri: string;
}

/** Calls to a provider's OAuth. They throw the errors of `oauth4webapi`, and ProviderAwayError. */
export interface OAuthClient {
  /** Address of the consent screen. */
  consentUrl(
    this: void,
    consent: OAuthConsent,
    parameters: Record<string, string>,
  ): Promise<string>;
  /** The tokens for the code in the query of the callback. */
  exchange(
    this: void,
    query: URLSearchParams,
    consent: OAuthConsent,
  ): Promise<oauth.TokenEndpointResponse>;
  /** The tokens for a refresh token. */
  refresh(this: void, refreshToken: string): Promise<oauth.TokenEndpointResponse>;
  /** Status of the answer to a revocation. */
  revoke(this: void, refreshToken: string): Promise<number>;
}

/** Makes the client. It keeps no token. */
export function createOAuthClient(options: OAuthOptions, dispatcher: Dispatcher): OAuthClient {
  const { issuer, authUrl, tokenUrl, revokeUrl, clientId, clientSecret } = options;
  const server: oauth.AuthorizationServer = {
    issuer,
    authorization_endpoint: authUrl,
    token_endpoint: tokenUrl,
    revocation_endpoint: revokeUrl,
  };
  const client: oauth.Client = { client_id: clientId };
  // Made with each call, because an installation without a client has no secret either.
  const secret = () => oauth.ClientSecretPost(clientSecret);
  const call = {
    // oxlint-disable-next-line typescript/no-deprecated -- only a stand-in has an address without https
    [oauth.allowInsecureRequests]: !tokenUrl.startsWith("https:"),
    [oauth.customFetch]: async (url: string, given: FetchCall) =>
      await fetchOnce(url, given, dispatcher),
  };

  return {
    async consentUrl({ state, verifier, redirectUri }, parameters) {
      const url = new URL(authUrl);
      const all: Record<string, string> = {
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...parameters,
      };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return url.href;
    },
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
      return await oauth.processRefreshTokenResponse(server, client, response);
    },
    async revoke(token) {
      return (await oauth.revocationRequest(server, client, secret(), token, call)).status;
    },
  };
}

/** True for an error of the provider or of the way there; false for one of our own. */
export function isProviderFault(error: unknown): boolean {
  return (
    error instanceof ProviderAwayError ||
    error instanceof oauth.ResponseBodyError ||
    error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.UnsupportedOperationError ||
    error instanceof oauth.WWWAuthenticateChallengeError
  );
}

/** The error of a consent that failed. An error of our own stays as it is. */
export function asConsentError(error: unknown): unknown {
  if (error instanceof oauth.AuthorizationResponseError) {
    return new ConsentError(error.error === "access_denied" ? "denied" : "failed");
  }
  return isProviderFault(error) ? new ConsentError("failed") : error;
}
