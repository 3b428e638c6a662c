import type { ChannelReason } from "./channel-reasons.ts";
import type { ChannelFacts } from "./channel-setup.ts";
import type { ChannelState, MetaDriver } from "./channels.ts";
import { dayMs } from "./durations.ts";

/** A state of a channel with its reason. `connected` alone has none. */
export type ChannelCondition =
  | { state: "connected"; reason: null }
  | { state: Exclude<ChannelState, "connected">; reason: ChannelReason };

/** A number, Page or Instagram account with the credentials to look at it. Kept in memory only. */
export interface CheckedChannel {
  driver: MetaDriver;
  /** Null: the token says which one it is. WhatsApp always needs it. */
  externalId: string | null;
  parentId: string | null;
  token: string;
  /** End of the token as far as it is known. */
  expiresAt: Date | null;
  /** Asks for a new token of Instagram Login. */
  renews: boolean;
  /** Meta's id of the app. */
  appId: string;
  appSecret: string;
  /** Secret that proves the calls of the channel. */
  proofSecret: string;
  /** Our URL of the app, and the token by which Meta's handshake knows us. */
  callbackUrl: string;
  verifyToken: string;
}

/** Findings about a token and its account. */
export interface Inspection {
  externalId: string;
  /** The name that Meta has verified, else the phone or user name. */
  name: string;
  /** Meta's id of the business, to which ids of users belong; WhatsApp alone. */
  portfolioId: string | null;
  /** Null where the network does not list them. */
  scopes: string[] | null;
  expiresAt: Date | null;
  /** The token to use from now on. */
  token: string;
  facts: ChannelFacts;
}

/** Findings of a check that the network has answered. */
export interface CheckFindings {
  /** Null where the token or its account was refused. */
  inspection: Inspection | null;
  condition: ChannelCondition;
  /** Words of the network; null where nothing was refused. */
  providerMessage: string | null;
}

/** A token of Instagram Login is renewed this long before its end: from day 50 of 60. */
const renewedBeforeMs = 10 * dayMs;

/** @returns true where a token of Instagram Login is to be renewed */
export function isRenewalDue(driver: MetaDriver, expiresAt: Date | null, now: Date): boolean {
  if (driver !== "instagram_login" || expiresAt === null) return false;
  return expiresAt.getTime() - now.getTime() <= renewedBeforeMs;
}

/** Days before the end of a token at which the admins are told. */
const toldDays = [1, 3, 14] as const;

/** The notice that is due for a token, in days before its end; null for none. */
export function dueTokenNotice(expiresAt: Date | null, now: Date): number | null {
  if (expiresAt === null || expiresAt <= now) return null;
  const leftMs = expiresAt.getTime() - now.getTime();
  return toldDays.find((days) => leftMs <= days * dayMs) ?? null;
}
