import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  isDoubted,
  isRefusedAlone,
  reasonOfProviderCode,
} from "../../channels/meta/channel-reason.ts";
import type { ChannelCondition } from "../../model/channel-checks.ts";
import type { ChannelReason } from "../../model/channel-reasons.ts";
import { isSendingHeld, type ChannelState } from "../../model/channels.ts";
import { hourMs, minuteMs } from "../../model/durations.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { lastToldAt, recordNotification } from "../notifications/notifications.ts";
import { recordChange } from "../outbox/changes.ts";
import { lockOwnedIfThere } from "../sql.ts";

/** Time between two checks of a channel. */
export const checkEveryMs = hourMs;
/**
 * Time after a check that the network did not answer, where the channel is not connected. Its
 * messages may wait for the next one.
 */
export const repeatMs = minuteMs;
const audit = auditOf("channel_account");

/** A refusal that a send has met, and that every further send would meet. */
export interface ChannelTrouble {
  state: Extract<ChannelState, "degraded" | "needs_reauth">;
  /** The provider's code, such as `190/463`. */
  providerCode: string;
}

/** A worse state replaces a better one. `disconnected` is a person's decision and stays. */
const severity: Readonly<Record<ChannelState, number>> = {
  connected: 0,
  degraded: 1,
  needs_reauth: 2,
  disconnected: 3,
};

/** Reasons that an admin has just seen, or has chosen. */
const quietReasons: readonly (ChannelReason | null)[] = ["unverified", "disconnected_by_admin"];

/**
 * Stores that a channel cannot send. Many messages meet the same trouble at once, so only the first
 * report changes the channel. A check follows at once: it tells the admins, or finds the channel
 * well. Where a check has found nothing within the last hour, the report itself tells them. A
 * missing permission that a check has just found leaves the channel as it is, and is checked again.
 * @returns true if this report changed the state
 */
export async function reportChannelTrouble(
  tx: Tx,
  channelAccountId: number,
  { state, providerCode }: ChannelTrouble,
): Promise<boolean> {
  const row = await lockOwnedIfThere(tx, ChannelAccount, { id: channelAccountId });
  if (row === null || severity[row.state] > severity[state]) return false;
  const reason = reasonOfProviderCode(providerCode);
  // A channel that sends all the same may still learn that it cannot.
  const isKnown = severity[row.state] === severity[state] && isSendingHeld(row);
  if (isKnown || (row.state === state && row.stateReason === reason)) return false;
  if (isRefusedAlone(providerCode, row.doubtedAt, tx.now)) {
    await checkAgain(tx, row);
    return false;
  }
  await changeChannelState(tx, row, { state, reason });
  // A check cannot see the limit of messages either.
  const isUncheckable = reason === "messages_limited" || isDoubted(row.doubtedAt, tx.now);
  const checkAt = isUncheckable ? new Date(tx.now.getTime() + checkEveryMs) : tx.now;
  await storeColumns(tx, row, { checkAt });
  if (isUncheckable) await tellTrouble(tx, row, dayOf(tx.now));
  return true;
}

/** The permission may be gone since the last check. Many refusals are one check a minute. */
async function checkAgain(tx: Tx, row: ChannelAccount): Promise<void> {
  const soonest = (row.checkedAt?.getTime() ?? 0) + repeatMs;
  const checkAt = new Date(Math.max(soonest, tx.now.getTime()));
  if (row.checkAt === null || row.checkAt <= checkAt) return;
  await storeColumns(tx, row, { checkAt });
}

/**
 * Gives a locked channel another state. Messages that wait for the channel leave once it is
 * connected.
 * @returns false where it has this state already
 */
export async function changeChannelState(
  tx: Tx,
  row: ChannelAccount,
  { state, reason }: ChannelCondition,
): Promise<boolean> {
  if (row.state === state && row.stateReason === reason) return false;
  await recordAudit(tx, audit("state_changed", row.id, { from: row.state, to: state, reason }));
  const columns = { state, stateReason: reason, stateAt: tx.now, version: row.version + 1 };
  await storeColumns(tx, row, columns);
  await recordChange(tx, { kind: "channel.updated" });
  return true;
}

/**
 * Tells the admins once that a check has found a trouble.
 * @param row locked, with its new state
 */
export async function tellCheckedTrouble(tx: Tx, row: ChannelAccount): Promise<void> {
  if (row.state === "connected" || quietReasons.some((one) => one === row.stateReason)) return;
  const reported = troubleKey(row, dayOf(row.stateAt ?? tx.now));
  if ((await lastToldAt(tx, [reported])) !== null) return;
  await tellTrouble(tx, row, String(row.stateAt?.getTime() ?? 0));
}

/** Stores columns of a locked channel, in the row too. */
export async function storeColumns(
  tx: Tx,
  row: ChannelAccount,
  columns: Partial<Omit<ChannelAccount, "id" | "accountId">>,
): Promise<void> {
  Object.assign(row, columns, { updatedAt: tx.now });
  const { accountId } = tx.actor;
  await tx.manager.update(ChannelAccount, { id: row.id, accountId }, {
    ...columns,
    updatedAt: tx.now,
  } as object);
}

/** @param key of the trouble: a second notification of it is not recorded. */
async function tellTrouble(tx: Tx, row: ChannelAccount, key: string): Promise<void> {
  const { id, name, channel, state, stateReason: reason } = row;
  await recordNotification(tx, {
    kind: "channel_trouble",
    params: { channel_account_id: id, channel_name: name, channel, state, reason },
    dedupeKey: troubleKey(row, key),
    groupKey: `channel:${id}`,
    deliveryId: null,
    subscriptionId: null,
    adminsOnly: true,
  });
}

function troubleKey({ id, stateReason }: ChannelAccount, key: string): string {
  return `channel_trouble:${id}:${key}:${stateReason}`;
}

/** A trouble that only reports see is told of once a day. */
function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
