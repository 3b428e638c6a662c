import { z } from "zod";
import { calendlyScopes, type CalendlyScope } from "../../core/model/calendly-scopes.ts";
import {
  CalendlyRefused,
  type CalendlyCalls,
  type CalendlyNamed,
  type CalendlyOwner,
  type CalendlyCoverage,
} from "./calendly-calls.ts";

/** An account of Calendly as its token shows it. */
export interface InspectedCalendly {
  owner: CalendlyOwner;
  coverage: CalendlyCoverage;
  users: CalendlyNamed[];
  eventTypes: CalendlyNamed[];
}

/** A token that lacks scopes. */
export class CalendlyScopesMissing extends Error {
  override readonly name = "CalendlyScopesMissing";

  constructor(readonly scopes: readonly string[]) {
    super(`The token lacks ${scopes.join(", ")}.`);
  }
}

const roles = /^(owner|admin)$/u;

/**
 * Reads the account behind a token, with one call for each scope.
 * @throws CalendlyScopesMissing, which names all missing ones; CalendlyTokenInvalid, CalendlyAway
 */
export async function inspectCalendly(
  calls: CalendlyCalls,
  token: string,
): Promise<InspectedCalendly> {
  const told = scopesOf(token);
  const missing = new Set<CalendlyScope>(
    told === null ? [] : calendlyScopes.filter((scope) => !told.includes(scope)),
  );
  const owner = await need("users:read", missing, () => calls.readOwner());
  if (owner === null) throw new CalendlyScopesMissing([...missing]);
  const role = await need("organizations:read", missing, () => calls.readRole(owner));
  const { userUri, organizationUri } = owner;
  const scope = roles.test(role ?? "") ? "organization" : "user";
  const coverage: CalendlyCoverage = { scope, organizationUri, userUri };
  const own = { uri: userUri, id: owner.userId, name: owner.name, email: owner.email };
  const users =
    scope === "user"
      ? [own]
      : await need("organizations:read", missing, () => calls.listUsers(organizationUri));
  const eventTypes = await need("event_types:read", missing, () => calls.listEventTypes(coverage));
  await need("scheduled_events:write", missing, () => calls.probeEvents(coverage));
  await need("webhooks:write", missing, () => calls.listSubscriptions(coverage));
  if (missing.size > 0) {
    throw new CalendlyScopesMissing(calendlyScopes.filter((one) => missing.has(one)));
  }
  return { owner, coverage, users: users ?? [], eventTypes: eventTypes ?? [] };
}

/** Result of a call; null where Calendly forbids it, which is noted. */
async function need<T>(
  scope: CalendlyScope,
  missing: Set<CalendlyScope>,
  call: () => Promise<T>,
): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof CalendlyRefused) || error.status !== 403) throw error;
    missing.add(scope);
    return null;
  }
}

/**
 * Scopes that a token names. Tokens are JWTs, and those from before scopes name none.
 * @returns null where the token names none
 */
function scopesOf(token: string): string[] | null {
  const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8");
  const scope = z.union([z.string(), z.array(z.string())]);
  try {
    const parsed = z.object({ scope }).safeParse(JSON.parse(payload));
    if (!parsed.success) return null;
    const given = parsed.data.scope;
    const scopes = typeof given === "string" ? given.split(/[\s,]+/u) : given;
    const isScoped = scopes.some((one) => /^[a-z_]+:(read|write)$/u.test(one));
    return isScoped ? scopes : null;
  } catch {
    return null;
  }
}

/** A subscription of ours, as it should be. */
interface WantedSubscription {
  coverage: CalendlyCoverage;
  url: string;
  /** Null: the key of the OAuth app signs. */
  signingKey: string | null;
  /** Id of the present one. */
  known: string | null;
  /** Replaces the present one even if it works, as with a new key. */
  anew: boolean;
}

/**
 * Subscribes, or keeps a subscription that works. A disabled one, and an older one of the same URL,
 * are replaced.
 * @returns the id; null where Calendly allows no webhooks
 */
export async function ensureSubscription(
  calls: CalendlyCalls,
  { coverage, url, signingKey, known, anew }: WantedSubscription,
): Promise<string | null> {
  try {
    if (known !== null) {
      const found = await calls.findSubscription(known);
      if (!anew && found?.isActive === true && found.callbackUrl === url) return known;
      if (found !== null) await calls.unsubscribe(known);
    }
    return await subscribe(calls, coverage, url, signingKey);
  } catch (error) {
    if (error instanceof CalendlyRefused && error.status === 403) return null;
    throw error;
  }
}

async function subscribe(
  calls: CalendlyCalls,
  coverage: CalendlyCoverage,
  url: string,
  signingKey: string | null,
): Promise<string> {
  try {
    return await calls.subscribe(coverage, url, signingKey);
  } catch (error) {
    if (!(error instanceof CalendlyRefused) || error.status !== 409) throw error;
  }
  const all = await calls.listSubscriptions(coverage);
  for (const { id, callbackUrl } of all) if (callbackUrl === url) await calls.unsubscribe(id);
  return await calls.subscribe(coverage, url, signingKey);
}
