import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { ChannelAccountToken } from "../../../db/entities/channel-app.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  dueTokenNotice,
  isRenewalDue,
  type ChannelCondition,
  type CheckedChannel,
  type CheckFindings,
} from "../../model/channel-checks.ts";
import { isMetaDriver, type MetaDriver } from "../../model/channels.ts";
import { dayMs } from "../../model/durations.ts";
import type { SecretBox } from "../../secrets.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordNotification } from "../notifications/notifications.ts";
import { getOwned, lockOwned, placeholders } from "../sql.ts";
import { callbackUrlOf, openAppAccess, proofSecretOf } from "./app-access.ts";
import {
  changeChannelState,
  checkEveryMs,
  repeatMs,
  storeColumns,
  tellCheckedTrouble,
} from "./channel-state.ts";
import { channelTokenContext, storeToken } from "./channel-tokens.ts";

/** Lease of a claim: longer than a check may take. */
const leaseSeconds = 60;
/** Time after which a limit of Meta on messages is no longer shown. No check can see the limit. */
const limitShownMs = dayMs;

const audit = auditOf("channel_account");

/** A stored channel as its check finds it. A change meanwhile makes the findings void. */
export interface StoredCheck {
  id: number;
  version: number;
  channel: CheckedChannel;
}

/** A channel that is due to be checked. */
export interface DueCheck {
  id: number;
  accountId: number;
}

/** Channels of all accounts that are due to be checked, as a subquery of the columns. */
export const dueChecksSql = (columns: string) =>
  `SELECT ${columns}
       FROM channel_accounts c FORCE INDEX (channel_accounts_check)
       JOIN accounts a ON a.id = c.account_id
      WHERE c.check_at <= UTC_TIMESTAMP(3) AND a.disabled_at IS NULL`;

/** Claims channels of all accounts that are due to be checked. A crash delays a check by a minute. */
export async function claimChecks(tx: Tx, limit: number): Promise<DueCheck[]> {
  const rows = await tx.manager.query<DueCheck[]>(
    `${dueChecksSql("c.id, c.account_id AS accountId")}
      ORDER BY c.check_at, c.id LIMIT ? FOR UPDATE OF c SKIP LOCKED`,
    [limit],
  );
  const due = rows.map(({ id, accountId }) => ({ id: Number(id), accountId: Number(accountId) }));
  if (due.length === 0) return [];
  await tx.manager.query(
    `UPDATE channel_accounts SET check_at = UTC_TIMESTAMP(3) + INTERVAL ? SECOND
      WHERE id IN (${placeholders(due)})`,
    [leaseSeconds, ...due.map(({ id }) => id)],
  );
  return due;
}

/**
 * Reads a channel for its check.
 * @returns null on a sandbox and on a disconnected channel
 * @throws AppError `channel_account_not_found`
 */
export async function readCheck(
  tx: Tx,
  secretBox: SecretBox,
  id: number,
  publicUrl: string,
): Promise<StoredCheck | null> {
  const row = await getOwned(tx, ChannelAccount, "channel_account", { id });
  const token = await tx.manager.findOneBy(ChannelAccountToken, { channelAccountId: id });
  const { driver, channelAppId } = row;
  if (!isMetaDriver(driver) || channelAppId === null || token === null) return null;
  const app = await openAppAccess(tx, secretBox, channelAppId);
  const { externalId, parentId, version } = row;
  const channel = {
    driver,
    externalId,
    parentId,
    token: secretBox.open(token.sealed, channelTokenContext(tx.actor.accountId, id)),
    expiresAt: token.expiresAt,
    renews: isRenewalDue(driver, token.expiresAt, tx.now),
    appId: app.appId,
    appSecret: app.appSecret,
    proofSecret: proofSecretOf(app, driver),
    callbackUrl: callbackUrlOf(publicUrl, app.slug),
    verifyToken: app.verifyToken,
  };
  return { id, version, channel };
}

/**
 * Stores what a check has found, and tells the admins of a new trouble and of a token near its end.
 * @param action of the audit log, where a person started the check
 * @returns the channel; null where it was changed or disconnected meanwhile
 */
export async function storeFindings(
  tx: Tx,
  secretBox: SecretBox,
  { id, version }: Pick<StoredCheck, "id" | "version">,
  { inspection, condition, providerMessage }: CheckFindings,
  action: "checked" | "registered" | null = null,
): Promise<ChannelAccount | null> {
  const row = await lockOwned(tx, ChannelAccount, "channel_account", { id });
  if (row.version !== version || row.state === "disconnected") return null;
  const next = stayLimited(tx, row, condition);
  // A report that no check has confirmed: a further one soon needs no check.
  const isContradicted = row.state !== "connected" && next.state === "connected";
  const isReported = row.stateReason !== "unverified";
  const isUnchecked = row.stateAt !== null && (row.checkedAt ?? row.createdAt) < row.stateAt;
  await changeChannelState(tx, row, next);
  await storeColumns(tx, row, {
    checkedAt: tx.now,
    checkAt: new Date(tx.now.getTime() + checkEveryMs),
    ...(inspection !== null && { portfolioId: inspection.portfolioId ?? row.portfolioId }),
    health: { facts: inspection?.facts ?? row.health?.facts ?? null, providerMessage },
    ...(isContradicted && isReported && isUnchecked && { doubtedAt: tx.now }),
  });
  if (inspection !== null) await storeToken(tx, secretBox, id, inspection);
  if (action !== null) {
    await recordAudit(tx, audit(action, id, { state: row.state, reason: row.stateReason }));
  }
  await tellCheckedTrouble(tx, row);
  const expiresAt = inspection?.expiresAt ?? null;
  if (inspection !== null) await tellTokenEnd(tx, row, expiresAt);
  return row;
}

/** Plans the next check, because the network did not answer this one. */
export async function postponeCheck(tx: Tx, id: number): Promise<void> {
  const [usual, soon] = [checkEveryMs, repeatMs].map((ms) => new Date(tx.now.getTime() + ms));
  await tx.manager.query(
    `UPDATE channel_accounts SET check_at = IF(state = 'connected', ?, ?)
      WHERE id = ? AND account_id = ? AND check_at IS NOT NULL`,
    [usual, soon, id, tx.actor.accountId],
  );
}

/** Ends the checks of a channel without a token. */
export async function endChecks(tx: Tx, id: number): Promise<void> {
  await tx.manager.query(
    "UPDATE channel_accounts SET check_at = NULL WHERE id = ? AND account_id = ?",
    [id, tx.actor.accountId],
  );
}

/** No check can see that Meta limits the messages of a number, so the report counts for a day. */
function stayLimited(tx: Tx, row: ChannelAccount, found: ChannelCondition): ChannelCondition {
  const isLimited = row.stateReason === "messages_limited" && found.state === "connected";
  const since = row.stateAt?.getTime() ?? 0;
  if (!isLimited || tx.now.getTime() - since >= limitShownMs) return found;
  return { state: "degraded", reason: "messages_limited" };
}

/** Tokens of Instagram Login are renewed 10 days before their end, so 14 days are no news. */
async function tellTokenEnd(tx: Tx, row: ChannelAccount, expiresAt: Date | null): Promise<void> {
  const days = dueTokenNotice(expiresAt, tx.now);
  if (days === null || (isRenewed(row.driver) && days > 3)) return;
  const { id, name, channel } = row;
  await recordNotification(tx, {
    kind: "channel_token_expiring",
    params: {
      channel_account_id: id,
      channel_name: name,
      channel,
      days,
      expires_at: expiresAt?.toISOString() ?? null,
    },
    dedupeKey: `channel_token:${id}:${expiresAt?.getTime() ?? 0}:${days}`,
    groupKey: `channel:${id}`,
    deliveryId: null,
    subscriptionId: null,
    adminsOnly: true,
  });
}

function isRenewed(driver: ChannelAccount["driver"]): boolean {
  return driver === ("instagram_login" satisfies MetaDriver);
}
