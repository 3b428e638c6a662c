import type { EntityManager } from "typeorm";
import type { Tx } from "../../../db/transaction.ts";
import { randomBase62, type SecretBox } from "../../secrets.ts";
import {
  insertSigningSecret,
  rotateSigningSecret,
  type SecretTable,
} from "../subscriptions/signing-secrets.ts";

/** Characters of a secret after its prefix: 256 bits. */
const secretLength = 43;

/** Context of a sealed secret: it opens for its own widget alone. */
export function widgetSecretContext(accountId: number, widgetId: number): string {
  return `widget_secrets:sealed:${accountId}:${widgetId}`;
}

const secrets: SecretTable = {
  name: "widget_secrets",
  owner: "widget_id",
  contextOf: widgetSecretContext,
  generate: () => `wsec_${randomBase62(secretLength)}`,
};

/** Makes the first secret of a widget. @returns it in plain text, which is shown this once */
export async function insertWidgetSecret(
  tx: Tx,
  secretBox: SecretBox,
  widgetId: number,
): Promise<string> {
  return await insertSigningSecret(tx, secretBox, secrets, widgetId);
}

/**
 * Makes a new secret. The one before stays valid for 24 hours, so that the company's server can be
 * changed without a visitor who is refused.
 * @returns the secret in plain text, which is shown this once
 */
export async function replaceWidgetSecret(
  tx: Tx,
  secretBox: SecretBox,
  widgetId: number,
): Promise<string> {
  return await rotateSigningSecret(tx, secretBox, secrets, widgetId);
}

/** Deletes every secret of a widget: no identity that one of them signed is accepted. */
export async function deleteWidgetSecrets({ manager, actor }: Tx, widgetId: number): Promise<void> {
  const sql = "DELETE FROM widget_secrets WHERE account_id = ? AND widget_id = ?";
  await manager.query(sql, [actor.accountId, widgetId]);
}

/**
 * Secrets that may have signed an identity, newest first. The bytes of the text, prefix included,
 * are the key of HS256.
 * @param now an older secret is valid until its time
 */
export async function listValidSecrets(
  reader: EntityManager,
  secretBox: SecretBox,
  widgetId: number,
  now: Date,
): Promise<string[]> {
  const rows = await reader.query<{ account_id: number; sealed: string }[]>(
    `SELECT account_id, sealed FROM widget_secrets
      WHERE widget_id = ? AND (valid_until IS NULL OR valid_until > ?) ORDER BY id DESC`,
    [widgetId, now],
  );
  return rows.map(({ account_id, sealed }) =>
    secretBox.open(sealed, widgetSecretContext(account_id, widgetId)),
  );
}
