import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ChannelAccountBody } from "../../model/channel-setup.ts";
import { channelOfDriver } from "../../model/channels.ts";
import type { SecretBox } from "../../secrets.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { requestTemplateSync } from "../templates/template-syncs.ts";
import { findOwned, insertOrLose, insertRow } from "../sql.ts";
import { lockChannelApp } from "./channel-apps.ts";
import { routeItems } from "./channel-items.ts";

const audit = auditOf("channel_account");

/**
 * Connects a number, Page or Instagram account to an app of the account, and replays the items that
 * waited for it. A known one gets the new token, and belongs to this app from now on.
 * @throws AppError `channel_app_not_found`
 */
export async function connectChannelAccount(
  tx: Tx,
  secretBox: SecretBox,
  body: ChannelAccountBody,
): Promise<ChannelAccount> {
  // The lock keeps webhooks of the app from being split before the new route is known.
  const app = await lockChannelApp(tx, body.channel_app_id);
  const { driver, external_id: externalId, parent_id: parentId = null } = body;
  const channel = channelOfDriver[driver];
  const known = await findOwned(tx, ChannelAccount, { channel, externalId }, true);
  const columns = {
    driver,
    channelAppId: app.id,
    parentId,
    state: "connected",
    stateReason: null,
    updatedAt: tx.now,
  } as const;
  const row = known ?? (await insertChannelAccount(tx, { channel, externalId, ...columns }));
  if (known !== null) {
    Object.assign(row, columns, { version: row.version + 1 });
    await tx.manager.update(ChannelAccount, row.id, { ...columns, version: row.version });
  }
  await storeToken(tx, secretBox, row.id, body.token);
  await routeItems(tx, row);
  await requestTemplateSync(tx, row.id);
  const details = { driver, external_id: externalId, channel_app_id: app.id };
  await recordAudit(tx, audit(known === null ? "created" : "reconnected", row.id, details));
  return row;
}

/** The account's channels of every kind, oldest first, with the number of their parked items. */
export async function listChannelAccounts(
  tx: Tx,
): Promise<{ row: ChannelAccount; parked: number }[]> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.find(ChannelAccount, {
    where: { accountId },
    order: { id: "ASC" },
  });
  const counts = await tx.manager.query<{ id: number; n: number }[]>(
    `SELECT channel_account_id AS id, COUNT(*) AS n FROM channel_items
      WHERE account_id = ? AND state = 'parked' GROUP BY channel_account_id`,
    [accountId],
  );
  const parked = new Map(counts.map(({ id, n }) => [Number(id), Number(n)]));
  return rows.map((row) => ({ row, parked: parked.get(row.id) ?? 0 }));
}

/** Context of a sealed token: it opens for its own channel account alone. */
export function channelTokenContext(accountId: number, channelAccountId: number): string {
  return `channel_account_tokens:sealed:${accountId}:${channelAccountId}`;
}

async function insertChannelAccount(
  tx: Tx,
  facts: Pick<ChannelAccount, "channel" | "externalId" | "driver" | "channelAppId" | "parentId">,
): Promise<ChannelAccount> {
  const row = tx.manager.create(ChannelAccount, {
    accountId: tx.actor.accountId,
    name: facts.externalId,
    botDefault: true,
    state: "connected",
    stateReason: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
    ...facts,
  });
  row.id = await insertOrLose(() => insertRow(tx, ChannelAccount, row));
  return row;
}

async function storeToken(
  tx: Tx,
  secretBox: SecretBox,
  channelAccountId: number,
  token: string,
): Promise<void> {
  const { accountId } = tx.actor;
  const sealed = secretBox.seal(token, channelTokenContext(accountId, channelAccountId));
  const keyId = secretBox.keyIdOf(sealed);
  await tx.manager.query(
    `INSERT INTO channel_account_tokens (account_id, channel_account_id, sealed, key_id, created_at)
     VALUES (?, ?, ?, ?, ?)
     ON DUPLICATE KEY UPDATE sealed = VALUES(sealed), key_id = VALUES(key_id)`,
    [accountId, channelAccountId, sealed, keyId, tx.now],
  );
}
