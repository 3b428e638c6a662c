import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ChannelState } from "../../model/channels.ts";
import { findOwned } from "../sql.ts";

/** Trouble of a channel that a call to the provider has confirmed. */
export interface ChannelTrouble {
  state: Extract<ChannelState, "degraded" | "needs_reauth">;
  /** The provider's code, such as `190/463`. */
  providerCode: string;
}

/** Words of the reasons, by Meta's code. */
const reasons: Readonly<Record<string, string>> = {
  "190": "token_invalid",
  "368": "account_restricted",
  "131031": "account_restricted",
  "131042": "payment_missing",
  "131048": "messages_limited",
  "133010": "not_registered",
};

/** A worse state replaces a better one. `disconnected` is a person's decision and stays. */
const severity: Readonly<Record<ChannelState, number>> = {
  connected: 0,
  degraded: 1,
  needs_reauth: 2,
  disconnected: 3,
};

/**
 * Stores that a channel cannot send. Many messages meet the same trouble at once, so only the first
 * report changes the channel.
 * @returns true if this report changed the state
 */
export async function reportChannelTrouble(
  tx: Tx,
  channelAccountId: number,
  { state, providerCode }: ChannelTrouble,
): Promise<boolean> {
  const row = await findOwned(tx, ChannelAccount, { id: channelAccountId }, true);
  if (row === null || severity[row.state] >= severity[state]) return false;
  await tx.manager.update(ChannelAccount, row.id, {
    state,
    stateReason: reasons[providerCode.split("/")[0] ?? ""] ?? "provider_refused",
    updatedAt: tx.now,
    version: row.version + 1,
  });
  return true;
}
