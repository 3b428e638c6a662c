import type { Tx } from "../../../db/transaction.ts";
import type { Inspection } from "../../model/channel-checks.ts";
import type { SecretBox } from "../../secrets.ts";

/** Context of a sealed token: it opens for its own channel account alone. */
export function channelTokenContext(accountId: number, channelAccountId: number): string {
  return `channel_account_tokens:sealed:${accountId}:${channelAccountId}`;
}

/** Seals a token with its scopes and its end. It replaces the one before. */
export async function storeToken(
  tx: Tx,
  secretBox: SecretBox,
  channelAccountId: number,
  { token, scopes, expiresAt }: Pick<Inspection, "token" | "scopes" | "expiresAt">,
): Promise<void> {
  const { accountId } = tx.actor;
  const sealed = secretBox.seal(token, channelTokenContext(accountId, channelAccountId));
  await tx.manager.query(
    `INSERT INTO channel_account_tokens
       (account_id, channel_account_id, sealed, key_id, scopes, expires_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON DUPLICATE KEY UPDATE sealed = VALUES(sealed), key_id = VALUES(key_id),
       scopes = VALUES(scopes), expires_at = VALUES(expires_at)`,
    [
      accountId,
      channelAccountId,
      sealed,
      secretBox.keyIdOf(sealed),
      scopes === null ? null : JSON.stringify(scopes),
      expiresAt,
      tx.now,
    ],
  );
}
