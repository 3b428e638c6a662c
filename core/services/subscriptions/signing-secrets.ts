import type { Tx } from "../../../db/transaction.ts";
import type { SecretBox } from "../../secrets.ts";
import { placeholders } from "../sql.ts";
import { dayMs } from "../../model/durations.ts";

/** Time for which an old secret stays valid beside the new one. */
const rotationOverlapMs = dayMs;

/** A table of signing secrets, each belonging to one row of another table. */
export interface SecretTable {
  name: "subscription_secrets" | "inbound_endpoint_secrets" | "widget_secrets";
  /** The column that names that row. */
  owner: "subscription_id" | "endpoint_id" | "widget_id";
  /** Context of a sealed secret, which can be opened for this row of its account alone. */
  contextOf: (accountId: number, ownerId: number) => string;
  /** Makes a secret in plain text. */
  generate: () => string;
}

/**
 * Makes a secret and stores it sealed.
 * @returns the secret in plain text, which is shown this once. Rule C60.
 */
export async function insertSigningSecret(
  tx: Tx,
  secretBox: SecretBox,
  { name, owner, contextOf, generate }: SecretTable,
  ownerId: number,
): Promise<string> {
  const { accountId } = tx.actor;
  const secret = generate();
  const sealed = secretBox.seal(secret, contextOf(accountId, ownerId));
  await tx.manager.query(
    `INSERT INTO ${name} (account_id, ${owner}, sealed, key_id, valid_until, created_at) VALUES (?, ?, ?, ?, NULL, ?)`,
    [accountId, ownerId, sealed, secretBox.keyIdOf(sealed), tx.now],
  );
  return secret;
}

/**
 * Makes a new secret. The previous secret stays valid for 24 hours more, and older secrets end at
 * once. Rules C53 and C67.
 */
export async function rotateSigningSecret(
  tx: Tx,
  secretBox: SecretBox,
  table: SecretTable,
  ownerId: number,
): Promise<string> {
  const validUntil = new Date(tx.now.getTime() + rotationOverlapMs);
  await tx.manager.query(
    `UPDATE ${table.name} SET valid_until = IF(valid_until IS NULL, ?, LEAST(valid_until, ?)) WHERE ${table.owner} = ?`,
    [validUntil, tx.now, ownerId],
  );
  return await insertSigningSecret(tx, secretBox, table, ownerId);
}

/** End of the previous secret's validity, for each row with a valid previous secret. */
export async function findOldSecretEnds(
  tx: Tx,
  { name, owner }: SecretTable,
  ownerIds: number[],
): Promise<Map<number, Date>> {
  if (ownerIds.length === 0) return new Map();
  const rows = await tx.manager.query<{ id: number; end: Date }[]>(
    `SELECT ${owner} AS id, MAX(valid_until) AS end FROM ${name}
      WHERE account_id = ? AND ${owner} IN (${placeholders(ownerIds)}) AND valid_until > ? GROUP BY ${owner}`,
    [tx.actor.accountId, ...ownerIds, tx.now],
  );
  return new Map(rows.map(({ id, end }) => [id, end]));
}
