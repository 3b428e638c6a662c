import { randomBytes } from "node:crypto";
import { CalendarConsent } from "../../../db/entities/calendar-consent.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ConnectionProvider } from "../../model/calendar-connection.ts";
import { minuteMs } from "../../model/durations.ts";
import { hashToken, type SecretBox } from "../../secrets.ts";
import { requireUserId } from "../accounts/actor.ts";
import { insertRow } from "../sql.ts";
import { findConnection } from "./connections.ts";
import type { CalendarConnection } from "../../../db/entities/calendar-connection.ts";

/** A consent that was begun: the state for the address, and the secret of PKCE. */
export interface BegunConsent {
  state: string;
  verifier: string;
}

/** A consent that comes back from the provider. */
export interface TakenConsent {
  verifier: string;
  /** The connection to connect again; null for any account. */
  connection: CalendarConnection | null;
}

/** Time between the consent screen's address and its use. */
const validMs = 10 * minuteMs;
/** Rows that one new consent removes. */
const mostExpired = 100;

/**
 * Begins a consent. Its state is valid once, for 10 minutes, and for the login and the provider that
 * began it.
 * @param connectionId connection to connect again; null for any account
 */
export async function beginConsent(
  tx: Tx,
  secretBox: SecretBox,
  {
    provider,
    sessionHash,
    connectionId,
  }: { provider: ConnectionProvider; sessionHash: Buffer; connectionId: number | null },
): Promise<BegunConsent> {
  const verifier = randomBytes(32).toString("base64url");
  const userId = requireUserId(tx.actor);
  const { accountId } = tx.actor;
  const state = secretBox.seal(verifier, contextOf(accountId, sessionHash));
  await tx.manager.query(
    `DELETE FROM calendar_consents WHERE expires_at < ? ORDER BY expires_at LIMIT ${mostExpired}`,
    [tx.now],
  );
  await insertRow(tx, CalendarConsent, {
    stateHash: hashOf(provider, state),
    accountId,
    userId,
    sessionHash,
    connectionId,
    expiresAt: new Date(tx.now.getTime() + validMs),
  });
  return { state, verifier };
}

/**
 * Takes a consent by its state, which is used up even if the rest fails.
 * @returns null if the state is unknown, used, expired, or of another login, account or provider
 */
export async function takeConsent(
  tx: Tx,
  secretBox: SecretBox,
  {
    provider,
    state,
    sessionHash,
  }: { provider: ConnectionProvider; state: string; sessionHash: Buffer },
): Promise<TakenConsent | null> {
  const { accountId } = tx.actor;
  const stateHash = hashOf(provider, state);
  const row = await tx.manager.findOne(CalendarConsent, {
    where: { stateHash, accountId },
    lock: { mode: "pessimistic_write" },
  });
  if (row === null || !row.sessionHash.equals(sessionHash)) return null;
  await tx.manager.delete(CalendarConsent, { stateHash });
  if (row.expiresAt <= tx.now) return null;
  const verifier = secretBox.open(state, contextOf(accountId, sessionHash));
  const { connectionId } = row;
  const connection = connectionId === null ? null : await findConnection(tx, connectionId);
  return { verifier, connection };
}

/** The hash covers the provider, so a state counts at the callback of its own provider alone. */
function hashOf(provider: ConnectionProvider, state: string): Buffer {
  return hashToken(`${provider}:${state}`);
}

function contextOf(accountId: number, sessionHash: Buffer): string {
  return `calendar_consents:state:${accountId}:${sessionHash.toString("hex")}`;
}
