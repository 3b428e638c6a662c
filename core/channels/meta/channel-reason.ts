import type { ChannelReason } from "../../model/channel-reasons.ts";
import { spamLimitCode } from "./graph-errors.ts";

/** Subcode of 190: the token has reached its end. */
const expiredSubcode = 463;

const byCode: ReadonlyMap<number, ChannelReason> = new Map<number, ChannelReason>([
  [190, "token_invalid"],
  [102, "token_invalid"],
  [10, "scope_missing"],
  [100, "account_not_found"],
  [803, "account_not_found"],
  [368, "account_restricted"],
  [131_031, "account_restricted"],
  [131_042, "payment_missing"],
  [133_010, "not_registered"],
  [2_200, "callback_not_reached"],
  [spamLimitCode, "messages_limited"],
]);

/**
 * Reason why Meta refuses a channel, by an error of the Graph API.
 * @returns `provider_refused` for a code that says nothing about the channel
 */
export function reasonOfGraphError(code: number | null, subcode: number | null): ChannelReason {
  if (code === 190 && subcode === expiredSubcode) return "token_expired";
  if (code !== null && code >= 200 && code <= 299) return "scope_missing";
  return byCode.get(code ?? 0) ?? "provider_refused";
}

/** The same for a code as messages store it: `190` or `190/463`. */
export function reasonOfProviderCode(providerCode: string): ChannelReason {
  const [code, subcode] = providerCode.split("/").map(Number);
  return reasonOfGraphError(code ?? null, subcode ?? null);
}
