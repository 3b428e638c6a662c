import { randomBytes } from "node:crypto";
import { callsOf } from "../../activities/calendars/calendly-calls.ts";
import type { CalendlyGrant } from "../../activities/calendars/calendly-oauth.ts";
import { ensureSubscription, inspectCalendly } from "../../activities/calendars/calendly-setup.ts";
import { credentialsOf } from "../../activities/calendars/calendly-tokens.ts";
import { ownSigningKey } from "../../core/calendars/calendly-credentials.ts";
import { AppError } from "../../core/errors.ts";
import type { Principal } from "../../core/model/principal.ts";
import { randomBase62 } from "../../core/secrets.ts";
import { beginConsent } from "../../core/services/calendars/calendar-consents.ts";
import {
  calendlyWebhookUrl,
  findCalendlyAccount,
  findCalendlyOf,
  type FoundCalendly,
} from "../../core/services/calendars/calendly-accounts.ts";
import { getConnection } from "../../core/services/calendars/connection-list.ts";
import { snapshot, transaction } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";

/** Address to which Calendly sends a browser back. It must be registered there in these words. */
export function calendlyRedirectUri(publicUrl: string): string {
  return `${publicUrl}/integrations/calendly/callback`;
}

/**
 * Begins a consent at Calendly. @returns the address of its consent screen
 * @throws AppError `calendly_not_configured`, `calendar_connection_not_found`
 */
export async function beginCalendlyConsent(
  { config, dataSource, secretBox, calendly: { oauth } }: Deps,
  actor: Principal,
  { sessionHash, connectionId }: { sessionHash: Buffer | null; connectionId: number | null },
): Promise<string> {
  if (oauth === null) throw new AppError("calendly_not_configured");
  if (sessionHash === null) throw new AppError("session_required");
  const consent = await transaction(dataSource, { actor }, async (tx) => {
    if (connectionId !== null) await getConnection(tx, connectionId);
    return await beginConsent(tx, secretBox, { provider: "calendly", sessionHash, connectionId });
  });
  const redirectUri = calendlyRedirectUri(config.publicUrl);
  return await oauth.consentUrl({ ...consent, redirectUri });
}

/** A token whose account is to be connected. */
interface GivenToken {
  token: string;
  /** The grant to our OAuth app; null for a personal token. */
  grant: CalendlyGrant | null;
  /** User to whom the token must belong; null for any. */
  userUri: string | null;
}

/**
 * Reads the account behind a token and subscribes to its webhooks, before anything is stored.
 * @returns null if the token belongs to another user
 * @throws CalendlyScopesMissing, CalendlyTokenInvalid, CalendlyAway, CalendlyRefused
 */
export async function inspectAccount(
  { calendly, config: { publicUrl }, dataSource }: Deps,
  actor: Principal,
  { token, grant, userUri }: GivenToken,
): Promise<FoundCalendly | null> {
  const calls = callsOf(calendly, token);
  const { owner, coverage, users, eventTypes } = await inspectCalendly(calls, token);
  if (userUri !== null && owner.userUri !== userUri) return null;
  const known = await snapshot(dataSource, { actor }, async (tx) => {
    const connection = await findCalendlyOf(tx, owner.userUri);
    const account = connection && (await findCalendlyAccount(tx, connection.id));
    return { slug: connection?.slug ?? null, subscriptionId: account?.subscriptionId ?? null };
  });
  const slug = known.slug ?? randomBase62(26);
  const credentials =
    grant === null
      ? { token, signing_key: randomBytes(32).toString("base64url") }
      : credentialsOf(grant);
  const url = calendlyWebhookUrl(publicUrl, slug);
  const signingKey = ownSigningKey(credentials);
  const wanted = { coverage, url, signingKey, known: known.subscriptionId, anew: true };
  const isReachable = publicUrl.startsWith("https:");
  const subscriptionId = isReachable ? await ensureSubscription(calls, wanted) : null;
  const modeReason = isReachable ? (subscriptionId === null ? "forbidden" : null) : "no_https";
  const { organizationUri, name, email } = owner;
  const named = { userUri: owner.userUri, organizationUri, scope: coverage.scope, name, email };
  const scopes = grant?.scopes ?? [];
  return { ...named, credentials, scopes, slug, subscriptionId, modeReason, users, eventTypes };
}
