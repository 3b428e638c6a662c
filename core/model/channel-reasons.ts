/** Steps of connecting. */
export const channelCheckSteps = ["token", "account", "register", "subscribe"] as const;
export type ChannelCheckStep = (typeof channelCheckSteps)[number];

/** Reasons why a check fails, and why a channel is not `connected`. */
export const channelReasons = [
  "unverified",
  "token_invalid",
  "token_expired",
  "token_of_other_app",
  "app_secret_invalid",
  "scope_missing",
  "account_not_found",
  "other_account",
  "not_registered",
  "not_subscribed",
  "callback_not_reached",
  "account_restricted",
  "payment_missing",
  "messages_limited",
  "provider_refused",
  "provider_away",
  "disconnected_by_admin",
] as const;
export type ChannelReason = (typeof channelReasons)[number];

/** The next move of an admin, in English. */
export const nextSteps: Readonly<Record<ChannelReason, string>> = {
  unverified: "Wait: the check is repeated by itself, after a minute and then every hour.",
  token_invalid: "Make a new token in Meta's settings, and paste it here.",
  token_expired:
    "Make a new token in Meta's settings, one that does not expire, and paste it here.",
  token_of_other_app: "Choose this app in Meta's settings when you make the token.",
  app_secret_invalid:
    "Copy id and secret from the basic settings of the app, and save the app anew.",
  scope_missing: "Make a new token with the missing permissions, and give its user this account.",
  account_not_found:
    "Compare the ids with Meta's, and give the token's user access to the account.",
  other_account: "Use a token of the account that is connected here, or connect the other one.",
  not_registered: "Register the number with a PIN of six digits.",
  not_subscribed: "Check the channel again. If Meta still refuses, give the token full control.",
  callback_not_reached: "Make PUBLIC_URL reachable from the internet with a valid certificate.",
  account_restricted: "Read Meta's words, and appeal in the security centre of the business.",
  payment_missing: "Add a payment method in the billing settings of the WhatsApp account.",
  messages_limited: "Send fewer messages that nobody asked for. Meta lifts the limit by itself.",
  provider_refused: "Read Meta's words, mend the cause there, and check the channel again.",
  provider_away: "Try again in a few minutes.",
  disconnected_by_admin: "Connect the channel again with a token.",
};
