import type { Tx } from "../../db/transaction.ts";
import { secretCheck, type SecretBox } from "../secrets.ts";
import { calendarLinkContext } from "./calendar-links.ts";
import { inboundSecretContext } from "./inbound-endpoints.ts";
import { mailContext } from "./mails.ts";
import { secretContext } from "./subscriptions.ts";

/** Every table of sealed secrets, with what a secret in it is bound to. */
const tables = [
  ["subscription_secrets", secretContext],
  ["inbound_endpoint_secrets", inboundSecretContext],
  ["calendar_links", calendarLinkContext],
  ["mails", mailContext],
] as const;

/** Whether anything that is stored was sealed with another key than the current one. */
export async function isResealingDue(tx: Tx, secretBox: SecretBox): Promise<boolean> {
  for (const [table] of tables) {
    const rows = await tx.manager.query<unknown[]>(
      `SELECT 1 FROM ${table} WHERE key_id <> ? LIMIT 1`,
      [secretBox.currentKeyId],
    );
    if (rows.length > 0) return true;
  }
  const check = await readCheck(tx);
  return check !== null && secretBox.keyIdOf(check) !== secretBox.currentKeyId;
}

/**
 * Seals a batch of stored secrets anew with the current key. Once no other is left, the check value
 * follows: from then on a process starts without the older keys.
 * @returns how many secrets; 0 means that all is done.
 * @throws Error if one cannot be opened; then nothing of the batch has changed.
 */
export async function resealSecrets(tx: Tx, secretBox: SecretBox, limit: number): Promise<number> {
  for (const [table, contextOf] of tables) {
    const rows = await tx.manager.query<{ id: number; account_id: number; sealed: string }[]>(
      `SELECT id, account_id, sealed FROM ${table} WHERE key_id <> ? ORDER BY id LIMIT ? FOR UPDATE`,
      [secretBox.currentKeyId, limit],
    );
    for (const { id, account_id, sealed } of rows) {
      const context = contextOf(account_id);
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
