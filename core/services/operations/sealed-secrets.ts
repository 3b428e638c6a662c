import type { Tx } from "../../../db/transaction.ts";
import { sealedTables, secretCheck, type SealedTable, type SecretBox } from "../../secrets.ts";
import { connectionContext } from "../calendars/connections.ts";
import { providerContext } from "../agent/providers.ts";
import { channelTokenContext } from "../channels/channel-tokens.ts";
import { channelAppContext } from "../channels/channel-apps.ts";
import { inboundSecretContext } from "../inbound/inbound-endpoints.ts";
import { mailContext } from "../accounts/mails.ts";
import { widgetSecretContext } from "../widgets/widget-secrets.ts";
import { secretContext } from "../subscriptions/subscriptions.ts";

/** The column and the function that bind a secret to its row. */
type Binding = [owner: string, contextOf: (accountId: number, ownerId: number) => string];

const bindings: Record<SealedTable, Binding> = {
  subscription_secrets: ["subscription_id", secretContext],
  inbound_endpoint_secrets: ["endpoint_id", inboundSecretContext],
  calendar_connections: [
    "IF(bound_resource_id IS NULL, CAST(id AS SIGNED), -CAST(bound_resource_id AS SIGNED))",
    connectionContext,
  ],
  agent_providers: ["id", providerContext],
  channel_app_secrets: ["channel_app_id", channelAppContext],
  channel_account_tokens: ["channel_account_id", channelTokenContext],
  widget_secrets: ["widget_id", widgetSecretContext],
  mails: ["COALESCE(user_link_id, appointment_id)", mailContext],
};

const tables = (Object.keys(sealedTables) as SealedTable[]).map((table) => {
  const [owner, contextOf] = bindings[table];
  return { table, owner, contextOf, holds: sealedTables[table] };
});

/** Sealed with another key than the current one, or in the form that is bound to no row. */
const outdated = "(key_id <> ? OR sealed LIKE 'v1.%')";

/** @returns true if a stored secret or the check value needs resealing. */
export async function isResealingDue(tx: Tx, secretBox: SecretBox): Promise<boolean> {
  for (const { table, holds } of tables) {
    const rows = await tx.manager.query<unknown[]>(
      `SELECT 1 FROM ${table} WHERE ${holds} AND ${outdated} LIMIT 1`,
      [secretBox.currentKeyId],
    );
    if (rows.length > 0) return true;
  }
  const check = await readCheck(tx);
  return check !== null && secretBox.keyIdOf(check) !== secretBox.currentKeyId;
}

/**
 * Reseals a batch of stored secrets with the current key, each bound to its row. After the last
 * secret the check value follows: then a process starts without the older keys.
 * @returns the number of secrets; 0 means that all are done.
 * @throws Error if a secret cannot be opened; then the batch changes nothing.
 */
export async function resealSecrets(tx: Tx, secretBox: SecretBox, limit: number): Promise<number> {
  for (const { table, owner, contextOf, holds } of tables) {
    const rows = await tx.manager.query<SealedRow[]>(
      `SELECT id, account_id, ${owner} AS owner_id, sealed FROM ${table}
        WHERE ${holds} AND ${outdated} ORDER BY id LIMIT ? FOR UPDATE`,
      [secretBox.currentKeyId, limit],
    );
    for (const { id, account_id, owner_id, sealed } of rows) {
      const context = contextOf(account_id, owner_id);
      const anew = secretBox.seal(secretBox.open(sealed, context), context);
      await tx.manager.query(`UPDATE ${table} SET sealed = ?, key_id = ? WHERE id = ?`, [
        anew,
        secretBox.currentKeyId,
        id,
      ]);
    }
    if (rows.length > 0) return rows.length;
  }
  await resealCheck(tx, secretBox);
  return 0;
}

interface SealedRow {
  id: number;
  account_id: number;
  owner_id: number;
  sealed: string;
}

async function resealCheck(tx: Tx, secretBox: SecretBox): Promise<void> {
  const check = await readCheck(tx);
  if (check === null || secretBox.keyIdOf(check) === secretBox.currentKeyId) return;
  const { context } = secretCheck;
  const anew = secretBox.seal(secretBox.open(check, context), context);
  await tx.manager.query("UPDATE installation SET secret_check = ? WHERE id = 1", [anew]);
}

async function readCheck(tx: Tx): Promise<string | null> {
  const [row] = await tx.manager.query<{ secret_check: string }[]>(
    "SELECT secret_check FROM installation WHERE id = 1",
  );
  return row?.secret_check ?? null;
}
