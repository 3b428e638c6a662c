import type { ChannelReason } from "../../model/channel-reasons.ts";
import { hourMs } from "../../model/durations.ts";
import { spamLimitCode } from "./graph-errors.ts";

/** A subcode narrows its code, so these are read first. Keys are `code/subcode`. */
const bySubcode: ReadonlyMap<string, ChannelReason> = new Map<string, ChannelReason>([
  ["190/463", "token_expired"],
  ["10/1893063", "account_restricted"],
  ["200/2534041", "account_restricted"],
]);

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
  const known = bySubcode.get(`${code}/${subcode}`);
  if (known !== undefined) return known;
  if (code !== null && code >= 200 && code <= 299) return "scope_missing";
  return byCode.get(code ?? 0) ?? "provider_refused";
}

/** The same for a code as messages store it: `190` or `190/463`. */
export function reasonOfProviderCode(providerCode: string): ChannelReason {
  const [code, subcode] = providerCode.split("/").map(Number);
  return reasonOfGraphError(code ?? null, subcode ?? null);
}

/** @returns true where a check has found nothing within the last hour, after a refused send */
export function isDoubted(doubtedAt: Date | null, now: Date): boolean {
  return now.getTime() - (doubtedAt?.getTime() ?? 0) < hourMs;
}

/**
 * A check reads the permissions. Where one has found them within the last hour, a refusal with a
 * subcode that is not known holds for its message alone. Without a subcode Meta speaks of the app.
 */
export function isRefusedAlone(providerCode: string, doubtedAt: Date | null, now: Date): boolean {
  const isSpecial = providerCode.includes("/");
  const reason = reasonOfProviderCode(providerCode);
  return isSpecial && reason === "scope_missing" && isDoubted(doubtedAt, now);
}
