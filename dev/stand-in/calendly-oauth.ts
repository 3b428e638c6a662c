import { newCalendlyId, type CalendlyWorld } from "./calendly-world.ts";

/** Answer of the token endpoint. */
export interface TokenAnswer {
  http: number;
  body: object;
}

/**
 * Gives tokens of the OAuth app. A code is `code-<user>`. A refresh token works once: its second use
 * is `invalid_grant`.
 */
export function giveTokens(world: CalendlyWorld, form: URLSearchParams): TokenAnswer {
  const kind = form.get("grant_type");
  if (kind === "authorization_code") {
    const userId = /^code-(\w+)$/u.exec(form.get("code") ?? "")?.[1] ?? "";
    return world.users.some(({ id }) => id === userId) ? grant(world, userId) : invalidGrant();
  }
  const used = form.get("refresh_token") ?? "";
  const known = kind === "refresh_token" ? world.grants.get(used) : undefined;
  if (known === undefined) return invalidGrant();
  world.grants.delete(used);
  world.tokens.delete(known.accessToken);
  return grant(world, known.userId);
}

function grant(world: CalendlyWorld, userId: string): TokenAnswer {
  const accessToken = `access-${newCalendlyId()}`;
  const refreshToken = `refresh-${newCalendlyId()}`;
  world.tokens.set(accessToken, { userId, scopes: null });
  world.grants.set(refreshToken, { userId, refreshToken, accessToken });
  const lifetime = { token_type: "Bearer", expires_in: 7_200 };
  const tokens = { access_token: accessToken, refresh_token: refreshToken };
  return { http: 200, body: { ...tokens, ...lifetime, scope: "default" } };
}

function invalidGrant(): TokenAnswer {
  const description = "The provided authorization grant is invalid.";
  return { http: 400, body: { error: "invalid_grant", error_description: description } };
}
