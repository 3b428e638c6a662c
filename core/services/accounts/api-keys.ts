import { IsNull, type EntityManager } from "typeorm";
import { ApiKey } from "../../../db/entities/api-key.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { Principal, Scope } from "../../model/principal.ts";
import { generateApiKey, hashToken } from "../../secrets.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { recordAudit } from "./audit.ts";
import { actingUserId } from "./actor.ts";
import { findPage, insertRow, lockOwned } from "../sql.ts";

/** Input for a new key. */
export interface ApiKeyInput {
  name: string;
  scopes: Scope[];
  /** Null: until it is revoked. */
  expiresAt: Date | null;
}

/** A key row with the key itself, which is shown this once and never again. */
export interface IssuedApiKey {
  row: ApiKey;
  key: string;
}

/**
 * The key's principal. Null where the key is unknown, revoked or expired, or its account is
 * disabled. Rule C6.
 */
export async function findApiKeyPrincipal(
  manager: EntityManager,
  key: string,
  now: Date,
): Promise<Extract<Principal, { type: "api_key" }> | null> {
  const rows = await manager.query<{ id: number; account_id: number; scopes: Scope[] }[]>(
    `SELECT k.id, k.account_id, k.scopes FROM api_keys k JOIN accounts a ON a.id = k.account_id
      WHERE k.key_hash = ? AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?)
        AND a.disabled_at IS NULL`,
    [hashToken(key), now],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return { type: "api_key", accountId: row.account_id, apiKeyId: row.id, scopes: row.scopes };
}

/** Records the use of keys, outside the transactions of requests and at most once a minute. */
export async function recordApiKeyUse(
  manager: EntityManager,
  uses: Map<number, Date>,
): Promise<void> {
  for (const [id, usedAt] of uses) await manager.update(ApiKey, id, { lastUsedAt: usedAt });
}

/** Keys of the account, newest first, with their total. */
export async function listApiKeys(tx: Tx, page: PageBounds): Promise<Page<ApiKey>> {
  return await findPage(tx, ApiKey, page, {
    where: { accountId: tx.actor.accountId },
    order: { id: "DESC" },
  });
}

/** Creates a key of the account. */
export async function createApiKey(tx: Tx, input: ApiKeyInput): Promise<IssuedApiKey> {
  const issued = await insertKey(tx, input, null);
  await recordAudit(tx, {
    action: "api_key.created",
    targetType: "api_key",
    targetId: issued.row.id,
    details: { name: input.name, scopes: input.scopes },
  });
  return issued;
}

/**
 * Creates a successor with the same name and scopes. The old key stays valid for `overlapMs`, so
 * that both work while the callers change over.
 * @throws AppError `api_key_not_found`, `api_key_revoked`, `api_key_rotated`, `api_key_expired`.
 */
export async function rotateApiKey(tx: Tx, id: number, overlapMs: number): Promise<IssuedApiKey> {
  const old = await lockOwned(tx, ApiKey, "api_key", { id });
  if (old.revokedAt !== null) {
    throw new AppError("api_key_revoked");
  }
  // A rotated key expires soon, and a second successor would inherit that end.
  if (await tx.manager.existsBy(ApiKey, { accountId: old.accountId, replacesId: id })) {
    throw new AppError("api_key_rotated");
  }
  if (old.expiresAt !== null && old.expiresAt <= tx.now) {
    throw new AppError("api_key_expired");
  }
  const issued = await insertKey(
    tx,
    { name: old.name, scopes: old.scopes, expiresAt: old.expiresAt },
    id,
  );
  const end = new Date(tx.now.getTime() + overlapMs);
  const expiresAt = old.expiresAt !== null && old.expiresAt < end ? old.expiresAt : end;
  await tx.manager.update(ApiKey, id, { expiresAt });
  await recordAudit(tx, {
    action: "api_key.rotated",
    targetType: "api_key",
    targetId: id,
    details: { new_id: issued.row.id, overlap_ms: overlapMs },
  });
  return issued;
}

/**
 * Revokes a key for good. Every process refuses the key within a second (rule C8). Revoking twice
 * changes nothing.
 */
export async function revokeApiKey(tx: Tx, id: number): Promise<ApiKey> {
  const row = await lockOwned(tx, ApiKey, "api_key", { id });
  if (row.revokedAt !== null) return row;
  await tx.manager.update(ApiKey, { id, revokedAt: IsNull() }, { revokedAt: tx.now });
  await recordAudit(tx, { action: "api_key.revoked", targetType: "api_key", targetId: id });
  row.revokedAt = tx.now;
  return row;
}

async function insertKey(
  tx: Tx,
  input: ApiKeyInput,
  replacesId: number | null,
): Promise<IssuedApiKey> {
  const key = generateApiKey();
  const row = tx.manager.create(ApiKey, {
    accountId: tx.actor.accountId,
    name: input.name,
    scopes: input.scopes,
    keyHash: hashToken(key),
    prefix: key.slice(0, 11),
    lastFour: key.slice(-4),
    expiresAt: input.expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    replacesId,
    createdByUserId: actingUserId(tx.actor),
    createdAt: tx.now,
  });
  row.id = await insertRow(tx, ApiKey, row);
  return { row, key };
}
