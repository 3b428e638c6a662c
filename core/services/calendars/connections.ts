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
import { findOwned, insertOrLose, insertRow } from "../sql.ts";

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

/** Reasons that a connection can be disconnected for, as `error_code` holds them. */
type ConnectionError = DisconnectCode | "token_invalid" | "testing_expired" | "missing_scope";

const audit = auditOf("calendar_connection");

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
export async function findConnection(
  tx: Tx,
  id: number,
  lock = false,
): Promise<CalendarConnection | null> {
  return await findOwned(tx, CalendarConnection, { id }, lock);
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
  const known = await findOwned(tx, CalendarConnection, { provider, externalId }, true);
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
  await tx.manager.update(
    CalendarConnection,
    { id, accountId: tx.actor.accountId, state: "connected" },
    { lastSyncedAt: tx.now, errorCode: null, errorAt: null, updatedAt: tx.now },
  );
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
}

/**
 * Ends a connection whose credentials the provider refuses, with all its links, and tells the
 * admins. Does nothing if the account was connected again meanwhile.
 * @param granted the connection whose credentials were used
 */
export async function disconnectConnection(
  tx: Tx,
  granted: Pick<CalendarConnection, "id" | "grantedAt">,
  code: ConnectionError,
): Promise<void> {
  const row = await findConnection(tx, granted.id, true);
  if (row?.state !== "connected") return;
  if (row.grantedAt.getTime() !== granted.grantedAt.getTime()) return;
  const reason = code === "invalid_grant" ? reasonOfInvalidGrant(tx, row) : code;
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
function reasonOfInvalidGrant(
  tx: Tx,
  { provider, grantedAt }: CalendarConnection,
): ConnectionError {
  const lateMs = tx.now.getTime() - grantedAt.getTime() - testingGrantMs;
  const isTesting = provider === "google" && Math.abs(lateMs) < testingMarginMs;
  return isTesting ? "testing_expired" : "invalid_grant";
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
  const row = await findConnection(tx, id, true);
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
