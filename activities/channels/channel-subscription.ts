import { readSubscriptions } from "../../core/channels/meta/setup-answers.ts";
import { subscribedFields } from "../../core/channels/meta/webhook-fields.ts";
import type { CheckedChannel } from "../../core/model/channel-checks.ts";
import { failedStep, ChannelCheckError, type SetupCalls } from "./setup-calls.ts";

/** A channel whose webhooks Meta is to send to us. */
export type SubscribedChannel = Pick<
  CheckedChannel,
  "driver" | "parentId" | "appId" | "callbackUrl" | "verifyToken"
> & { externalId: string };

/** The object that is subscribed: the business account, the Page, or `me` at Instagram Login. */
function subscribedPath({ driver, externalId, parentId }: SubscribedChannel): string {
  switch (driver) {
    case "whatsapp_cloud":
    case "instagram_page":
      return `/${parentId}/subscribed_apps`;
    case "messenger":
      return `/${externalId}/subscribed_apps`;
    case "instagram_login":
      return "/me/subscribed_apps";
  }
}

/**
 * Meta sends all fields of the channel to us.
 * @throws ChannelCheckError, ProviderAwayError
 */
export async function isSubscribed(
  calls: SetupCalls,
  channel: SubscribedChannel,
): Promise<boolean> {
  const path = subscribedPath(channel);
  const body = await calls.call("subscribe", { method: "GET", path });
  const { appId, callbackUrl, driver } = channel;
  return readSubscriptions(body).some((one) => {
    if (driver === "whatsapp_cloud") return one.appId === appId && one.callbackUrl === callbackUrl;
    // Instagram Login lists its own app alone, without our id of it.
    const isOurs = driver === "instagram_login" || one.appId === appId;
    const { fields } = one;
    return (
      isOurs && (fields === null || subscribedFields[driver].every((name) => fields.includes(name)))
    );
  });
}

/**
 * Tells Meta to send the webhooks of the channel to us. At WhatsApp Meta shakes hands with our URL
 * before it answers.
 * @throws ChannelCheckError, ProviderAwayError
 */
export async function subscribe(calls: SetupCalls, channel: SubscribedChannel): Promise<void> {
  const { driver, callbackUrl, verifyToken } = channel;
  const body =
    driver === "whatsapp_cloud"
      ? { override_callback_uri: callbackUrl, verify_token: verifyToken }
      : { subscribed_fields: subscribedFields[driver].join(",") };
  try {
    await calls.call("subscribe", { method: "POST", path: subscribedPath(channel), body });
  } catch (error) {
    throw asSubscription(error);
  }
}

/** Ends the subscription. @returns false where Meta refuses or does not answer */
export async function unsubscribe(calls: SetupCalls, channel: SubscribedChannel): Promise<boolean> {
  try {
    return (await calls.tryCall({ method: "DELETE", path: subscribedPath(channel) })) !== null;
  } catch {
    return false;
  }
}

/** A refusal with a code that says nothing more reads as `not_subscribed`. */
function asSubscription(error: unknown): unknown {
  if (!(error instanceof ChannelCheckError)) return error;
  const { reason, provider_code, provider_message } = error.details;
  const isPlain = reason === "provider_refused" || reason === "account_not_found";
  if (!isPlain) return error;
  return failedStep("subscribe", "not_subscribed", { provider_code, provider_message });
}
