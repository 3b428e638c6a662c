import { ChannelApp, type ChannelSecretKind } from "../../../db/entities/channel-app.ts";
import type { Tx } from "../../../db/transaction.ts";
import { dayMs } from "../../model/durations.ts";
import type { ChannelAppBody } from "../../model/channel-setup.ts";
import { randomBase62, type SecretBox } from "../../secrets.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { insertOrLose, insertRow, lockOwned, lockOwnedIfThere } from "../sql.ts";

const slugLength = 26;
const verifyTokenLength = 32;
/** Time for which a replaced secret stays valid beside the new one. */
const rotationOverlapMs = dayMs;
/** Rows that a count reads at most. */
const mostCounted = 10_000;
const audit = auditOf("channel_app");

/** A sealed secret that is valid until a time, or without an end. */
export interface SealedAppSecret {
  kind: ChannelSecretKind;
  sealed: string;
  validUntil: Date | null;
}

/** A called app with its sealed secrets, newest first. */
export interface CalledApp {
  accountId: number;
  channelAppId: number;
  secrets: SealedAppSecret[];
}

/** The app behind a URL. Null if the slug is unknown or its account is disabled. */
export async function findCalledApp(tx: Tx, slug: string): Promise<CalledApp | null> {
  const rows = await tx.manager.query<(SealedAppSecret & { id: number; accountId: number })[]>(
    `SELECT p.id, p.account_id AS accountId, s.kind, s.sealed, s.valid_until AS validUntil
       FROM channel_apps p
       JOIN accounts a ON a.id = p.account_id
       JOIN channel_app_secrets s ON s.channel_app_id = p.id
      WHERE p.slug = ? AND a.disabled_at IS NULL AND (s.valid_until IS NULL OR s.valid_until > ?)
      ORDER BY s.id DESC`,
    [slug, tx.now],
  );
  const [first] = rows;
  if (first === undefined) return null;
  return {
    accountId: Number(first.accountId),
    channelAppId: Number(first.id),
    secrets: rows.map(({ kind, sealed, validUntil }) => ({ kind, sealed, validUntil })),
  };
}

/**
 * Stores a Meta app with its secrets. A known app keeps its URL and its verify token. Its earlier
 * secrets stay valid for 24 hours, so that no webhook under way is refused.
 * @returns the row, and the verify token in plain text.
 */
export async function saveChannelApp(
  tx: Tx,
  secretBox: SecretBox,
  { app_id: appId, app_secret, instagram_app_secret }: ChannelAppBody,
): Promise<{ row: ChannelApp; verifyToken: string }> {
  const known = await lockOwnedIfThere(tx, ChannelApp, { appId });
  const row = known ?? (await insertApp(tx, appId));
  const verifyToken =
    known === null
      ? await insertSecret(tx, secretBox, row.id, "verify", randomBase62(verifyTokenLength))
      : await readVerifyToken(tx, secretBox, row.id);
  await replaceSecret(tx, secretBox, row.id, "app", app_secret);
  // Their count speaks of the secrets before.
  const columns = { badSignatures: 0, badSignatureAt: null, updatedAt: tx.now };
  Object.assign(row, columns);
  await tx.manager.update(ChannelApp, row.id, columns);
  if (instagram_app_secret !== undefined) {
    await replaceSecret(tx, secretBox, row.id, "instagram", instagram_app_secret);
  }
  await recordAudit(tx, audit(known === null ? "created" : "updated", row.id, { app_id: appId }));
  return { row, verifyToken };
}

/** An app with its troubles. */
export interface ChannelAppWithHealth {
  row: ChannelApp;
  unrouted: number;
  parkedWebhooks: number;
}

/** The account's apps, oldest first. */
export async function listChannelApps(tx: Tx): Promise<ChannelAppWithHealth[]> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.find(ChannelApp, { where: { accountId }, order: { id: "ASC" } });
  const unrouted = await countByApp(
    tx,
    `SELECT channel_app_id AS id FROM channel_items FORCE INDEX (channel_items_account)
      WHERE account_id = ? AND state = 'unrouted' LIMIT ${mostCounted}`,
  );
  const parked = await countByApp(
    tx,
    `SELECT w.channel_app_id AS id FROM channel_apps p
       JOIN channel_webhooks w FORCE INDEX (channel_webhooks_app)
         ON w.channel_app_id = p.id AND w.state = 'parked'
      WHERE p.account_id = ? LIMIT ${mostCounted}`,
  );
  return rows.map((row) => ({
    row,
    unrouted: unrouted.get(row.id) ?? 0,
    parkedWebhooks: parked.get(row.id) ?? 0,
  }));
}

async function countByApp(tx: Tx, rows: string): Promise<Map<number, number>> {
  const counts = await tx.manager.query<{ id: number; n: number }[]>(
    `SELECT id, COUNT(*) AS n FROM (${rows}) AS counted GROUP BY id`,
    [tx.actor.accountId],
  );
  return new Map(counts.map(({ id, n }) => [Number(id), Number(n)]));
}

/** Adds webhooks that were refused for their signature. */
export async function addBadSignatures(tx: Tx, channelAppId: number, count: number): Promise<void> {
  await tx.manager.query(
    `UPDATE channel_apps SET bad_signatures = bad_signatures + ?, bad_signature_at = ?
      WHERE id = ? AND account_id = ?`,
    [count, tx.now, channelAppId, tx.actor.accountId],
  );
}

/** Locks an app of the account, as every change of its routes does. @throws AppError `channel_app_not_found` */
export async function lockChannelApp(tx: Tx, id: number): Promise<ChannelApp> {
  return await lockOwned(tx, ChannelApp, "channel_app", { id });
}

/** Context of a sealed secret: it opens for its own app alone. */
export function channelAppContext(accountId: number, channelAppId: number): string {
  return `channel_app_secrets:sealed:${accountId}:${channelAppId}`;
}

async function insertApp(tx: Tx, appId: string): Promise<ChannelApp> {
  const row = tx.manager.create(ChannelApp, {
    accountId: tx.actor.accountId,
    appId,
    slug: randomBase62(slugLength),
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  row.id = await insertOrLose(() => insertRow(tx, ChannelApp, row));
  return row;
}

async function replaceSecret(
  tx: Tx,
  secretBox: SecretBox,
  channelAppId: number,
  kind: ChannelSecretKind,
  secret: string,
): Promise<void> {
  const validUntil = new Date(tx.now.getTime() + rotationOverlapMs);
  await tx.manager.query(
    `UPDATE channel_app_secrets SET valid_until = IF(valid_until IS NULL, ?, LEAST(valid_until, ?))
      WHERE channel_app_id = ? AND kind = ?`,
    [validUntil, tx.now, channelAppId, kind],
  );
  await insertSecret(tx, secretBox, channelAppId, kind, secret);
}

async function insertSecret(
  tx: Tx,
  secretBox: SecretBox,
  channelAppId: number,
  kind: ChannelSecretKind,
  secret: string,
): Promise<string> {
  const { accountId } = tx.actor;
  const sealed = secretBox.seal(secret, channelAppContext(accountId, channelAppId));
  await tx.manager.query(
    `INSERT INTO channel_app_secrets
       (account_id, channel_app_id, kind, sealed, key_id, valid_until, created_at)
     VALUES (?, ?, ?, ?, ?, NULL, ?)`,
    [accountId, channelAppId, kind, sealed, secretBox.keyIdOf(sealed), tx.now],
  );
  return secret;
}

async function readVerifyToken(tx: Tx, secretBox: SecretBox, channelAppId: number) {
  const { accountId } = tx.actor;
  const [row] = await tx.manager.query<{ sealed: string }[]>(
    "SELECT sealed FROM channel_app_secrets WHERE channel_app_id = ? AND kind = 'verify' LIMIT 1",
    [channelAppId],
  );
  return secretBox.open(row?.sealed ?? "", channelAppContext(accountId, channelAppId));
}
