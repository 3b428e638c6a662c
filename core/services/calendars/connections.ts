import { IsNull, Like, Not } from "typeorm";
import { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { DisconnectCode } from "../../model/calendar.ts";
import type { ConnectionProvider } from "../../model/calendar-connection.ts";
import { dayMs, hourMs } from "../../model/durations.ts";
import type { SecretBox } from "../../secrets.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordNotification } from "../notifications/notifications.ts";
import { recordChange } from "../outbox/changes.ts";
import { findOwned, insertOrLose, insertRow, lockOwned, lockOwnedIfThere } from "../sql.ts";

/** A grant that a person has just given. */
export interface NewConnection {
  provider: ConnectionProvider;
  /** Google's `sub`, or the URI of a Calendly user. */
  externalId: string;
  email: string;
  name: string;
  /** Content to seal, in the shape of the provider. */
  credentials: object;
  scopes: readonly string[];
  /** Unguessable part of the webhook URL; absent for Google. A known connection keeps its own. */
  slug?: string;
}

/** Reasons of a provider to end a connection, as `error_code` holds them. */
type ConnectionError = "grant_revoked" | "testing_expired" | "missing_scopes" | "token_invalid";

const audit = auditOf("calendar_connection");

/**
 * Begin of the external id of a connection that was made from a link of before connections existed.
 * Its account is unknown. Google's own ids are numbers.
 */
const unknownAccount = "link-";

/** Google ends the refresh tokens of an app in "Testing" this long after the consent. */
const testingGrantMs = 7 * dayMs;
/** A token that ends at seven days is met by the next call, which may come hours later. */
const testingMarginMs = 12 * hourMs;

/**
 * Context of sealed credentials: they open for their own connection alone. A negative owner is the
 * resource of a link from before connections existed.
 */
export function connectionContext(accountId: number, owner: number): string {
  return owner < 0
    ? `calendar_links:sealed:${accountId}:${-owner}`
    : `calendar_connections:sealed:${accountId}:${owner}`;
}

/**
 * The credentials of a connection, as JSON.
 * @throws Error if the connection has none, or they cannot be opened.
 */
export function openCredentials(
  secretBox: SecretBox,
  { id, accountId, sealed, boundResourceId }: CalendarConnection,
): unknown {
  if (sealed === null) throw new Error("The connection has no credentials.");
  const owner = boundResourceId === null ? id : -boundResourceId;
  return JSON.parse(secretBox.open(sealed, connectionContext(accountId, owner)));
}

/** The account's connection with this id, or null. */
export async function findConnection(tx: Tx, id: number): Promise<CalendarConnection | null> {
  return await findOwned(tx, CalendarConnection, { id });
}

/** Like `findConnection`, and locks the row. */
export async function lockConnection(tx: Tx, id: number): Promise<CalendarConnection | null> {
  return await lockOwnedIfThere(tx, CalendarConnection, { id });
}

/**
 * Stores a grant. A known external account keeps its row, its slug and its links, which are
 * connected again.
 */
export async function saveConnection(
  tx: Tx,
  secretBox: SecretBox,
  grant: NewConnection,
): Promise<CalendarConnection> {
  const { provider, externalId, email, name } = grant;
  const known = await lockOwnedIfThere(tx, CalendarConnection, { provider, externalId });
  const row = known ?? (await insertConnection(tx, grant));
  await storeCredentials(tx, secretBox, row, grant.credentials);
  await change(tx, row, {
    email,
    name,
    scopes: grant.scopes.join(" "),
    state: "connected",
    errorCode: null,
    errorAt: null,
    grantedAt: tx.now,
  });
  await tx.manager.update(
    CalendarLink,
    { connectionId: row.id, accountId: row.accountId },
    { state: "connected", updatedAt: tx.now },
  );
  await recordAudit(tx, audit(known === null ? "created" : "reconnected", row.id, { provider }));
  await recordChange(tx, { kind: "calendar.updated" });
  return row;
}

/** Seals credentials anew, such as a rotated refresh token. They replace the ones before. */
export async function storeCredentials(
  tx: Tx,
  secretBox: SecretBox,
  row: CalendarConnection,
  credentials: object,
): Promise<void> {
  const context = connectionContext(row.accountId, row.id);
  const sealed = secretBox.seal(JSON.stringify(credentials), context);
  await change(tx, row, { sealed, keyId: secretBox.keyIdOf(sealed), boundResourceId: null });
}

/** Stores the time of a complete sync, which ends an error. */
export async function noteConnectionSynced(tx: Tx, id: number): Promise<void> {
  const { accountId } = tx.actor;
  const connected = { id, accountId, state: "connected" as const };
  const { affected = 0 } = await tx.manager.update(
    CalendarConnection,
    { ...connected, errorCode: Not(IsNull()) },
    { errorCode: null, errorAt: null },
  );
  await tx.manager.update(CalendarConnection, connected, {
    lastSyncedAt: tx.now,
    updatedAt: tx.now,
  });
  if (affected > 0) await recordChange(tx, { kind: "calendar.updated" });
}

/**
 * Stores an error that may pass, such as a provider that is away. The connection stays connected.
 * @param code word for programs, at most 64 characters
 */
export async function noteConnectionError(tx: Tx, id: number, code: string): Promise<void> {
  await tx.manager.update(
    CalendarConnection,
    { id, accountId: tx.actor.accountId, state: "connected" },
    { errorCode: code.slice(0, 64), errorAt: tx.now, updatedAt: tx.now },
  );
  await recordChange(tx, { kind: "calendar.updated" });
}

/**
 * Ends a connection whose credentials the provider refuses, with all its links, and tells the
 * admins. Does nothing if the account was connected again meanwhile.
 * @param granted the connection whose credentials were used
 */
export async function disconnectConnection(
  tx: Tx,
  granted: Pick<CalendarConnection, "id" | "grantedAt">,
  code: DisconnectCode | ConnectionError,
): Promise<void> {
  const row = await lockConnection(tx, granted.id);
  if (row?.state !== "connected") return;
  if (row.grantedAt.getTime() !== granted.grantedAt.getTime()) return;
  const reason = reasonOf(tx, row, code);
  await endConnection(tx, row, reason);
  await recordAudit(tx, audit("disconnected", row.id, { provider: row.provider, reason }));
  await recordNotification(tx, {
    kind: "calendar_disconnected",
    params: { connection_id: row.id, provider: row.provider, email: row.email, reason },
    dedupeKey: `calendar_connection:${row.id}:${row.version}`,
    groupKey: `calendar_connection:${row.id}`,
    deliveryId: null,
    subscriptionId: null,
    adminsOnly: true,
  });
}

/**
 * Ends a connection for an admin, and deletes its credentials. Its links stay with their ids, so
 * that a later consent of the same account finds the known events.
 * @throws AppError `calendar_connection_not_found`
 */
export async function forgetConnection(tx: Tx, id: number): Promise<CalendarConnection> {
  const row = await lockOwned(tx, CalendarConnection, "calendar_connection", { id });
  await endConnection(tx, row, null);
  await change(tx, row, { sealed: null, keyId: null, boundResourceId: null });
  const details = { provider: row.provider, reason: "admin" };
  await recordAudit(tx, audit("disconnected", row.id, details));
  return row;
}

/**
 * Gives a connection whose account is unknown the account that a person has just consented to.
 * @returns false if the connection belongs to another account, or another connection has this one
 */
export async function takeAccount(tx: Tx, id: number, externalId: string): Promise<boolean> {
  const row = await lockConnection(tx, id);
  if (row === null || row.externalId === externalId) return true;
  const { provider } = row;
  if (!row.externalId.startsWith(unknownAccount)) return false;
  if ((await findOwned(tx, CalendarConnection, { provider, externalId })) !== null) return false;
  await change(tx, row, { externalId });
  return true;
}

/**
 * Revoking the last grant of an external account affects no other account. A connection whose
 * account is unknown may share the grant of any other.
 * @returns true if no other connection of the installation holds a grant of this account
 */
export async function isLastGrant(
  tx: Tx,
  { id, provider, externalId }: CalendarConnection,
): Promise<boolean> {
  if (externalId.startsWith(unknownAccount)) return false;
  const other = { id: Not(id), provider, state: "connected" as const };
  const others = await tx.manager.countBy(CalendarConnection, [
    { ...other, externalId },
    { ...other, externalId: Like(`${unknownAccount}%`) },
  ]);
  return others === 0;
}

/** Gives a locked connection and its links the state `disconnected`. */
async function endConnection(
  tx: Tx,
  row: CalendarConnection,
  errorCode: ConnectionError | null,
): Promise<void> {
  const errorAt = errorCode === null ? null : tx.now;
  await change(tx, row, { state: "disconnected", errorCode, errorAt });
  await tx.manager.update(
    CalendarLink,
    { connectionId: row.id, accountId: row.accountId },
    { state: "disconnected", updatedAt: tx.now },
  );
  await recordChange(tx, { kind: "calendar.updated" });
}

/**
 * Google says `invalid_grant` for a revoked token and for an expired one. An end after seven days
 * speaks for an app that is still in "Testing".
 */
function reasonOf(
  tx: Tx,
  { provider, grantedAt }: CalendarConnection,
  code: DisconnectCode | ConnectionError,
): ConnectionError {
  if (code === "missing_scopes" || code === "token_invalid" || code === "testing_expired") {
    return code;
  }
  const lateMs = tx.now.getTime() - grantedAt.getTime() - testingGrantMs;
  const isTesting = provider === "google" && Math.abs(lateMs) < testingMarginMs;
  return isTesting ? "testing_expired" : "grant_revoked";
}

async function insertConnection(
  tx: Tx,
  { provider, externalId, email, name, slug }: NewConnection,
): Promise<CalendarConnection> {
  const { accountId, type } = tx.actor;
  const values = {
    accountId,
    provider,
    externalId,
    email,
    name,
    slug: slug ?? null,
    createdByUserId: type === "user" ? tx.actor.userId : null,
    createdAt: tx.now,
    updatedAt: tx.now,
  };
  const id = await insertOrLose(() => insertRow(tx, CalendarConnection, values));
  const row = await lockConnection(tx, id);
  if (row === null) throw new Error("The connection was just inserted.");
  return row;
}

/** Stores columns of a locked connection, in the row too. */
async function change(
  tx: Tx,
  row: CalendarConnection,
  columns: Partial<Omit<CalendarConnection, "id" | "accountId" | "version">>,
): Promise<void> {
  const stored = { ...columns, updatedAt: tx.now, version: row.version + 1 };
  Object.assign(row, stored);
  await tx.manager.update(CalendarConnection, { id: row.id, accountId: row.accountId }, stored);
}
