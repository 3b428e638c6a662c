import { readFields, readId, readObjects } from "../../core/channels/meta/read-json.ts";
import { isRegistered, readNumberFacts } from "../../core/channels/meta/setup-answers.ts";
import type {
  ChannelCondition,
  CheckedChannel,
  CheckFindings,
  Inspection,
} from "../../core/model/channel-checks.ts";
import type { ChannelReason } from "../../core/model/channel-reasons.ts";
import type { ChannelCheckDetails, ChannelFacts } from "../../core/model/channel-setup.ts";
import {
  isSubscribed,
  subscribe,
  unsubscribe,
  type SubscribedChannel,
} from "./channel-subscription.ts";
import type { Graph } from "./graph.ts";
import { callsAbout, checkToken, inspectChannel } from "./inspect-channel.ts";
import { beginCalls, ChannelCheckError, type SetupCalls } from "./setup-calls.ts";

type NewChannelFindings = CheckFindings & { inspection: Inspection };

/**
 * Checks a channel before it is stored: token, account and subscription.
 * @throws ChannelCheckError where Meta refuses a step, ProviderAwayError where it does not answer
 */
export async function checkNewChannel(
  graph: Graph,
  channel: CheckedChannel,
): Promise<NewChannelFindings> {
  const calls = callsAbout(graph, channel);
  const inspection = await inspectChannel(calls, channel);
  await subscribe(calls, { ...channel, externalId: inspection.externalId });
  return conditionOf({ ...inspection, facts: { ...inspection.facts, is_subscribed: true } });
}

/**
 * Checks a stored channel. A lost subscription is made again.
 * @throws ProviderAwayError where Meta does not answer
 */
export async function checkStoredChannel(
  graph: Graph,
  channel: CheckedChannel,
): Promise<CheckFindings> {
  const calls = callsAbout(graph, channel);
  try {
    const inspection = await inspectChannel(calls, channel);
    const { externalId, facts } = inspection;
    const refusal = await keepSubscribed(calls, { ...channel, externalId });
    const found = conditionOf({
      ...inspection,
      facts: { ...facts, is_subscribed: refusal === null },
    });
    if (refusal === null || found.condition.state !== "connected") return found;
    const condition = { state: "degraded", reason: refusal.reason } as const;
    return { ...found, condition, providerMessage: refusal.provider_message };
  } catch (error) {
    if (!(error instanceof ChannelCheckError)) throw error;
    const { reason, provider_message: providerMessage } = error.details;
    return { inspection: null, condition: refusedCondition(reason), providerMessage };
  }
}

/** @returns null, or why the subscription is lost */
async function keepSubscribed(
  calls: SetupCalls,
  channel: SubscribedChannel,
): Promise<ChannelCheckDetails | null> {
  try {
    if (!(await isSubscribed(calls, channel))) await subscribe(calls, channel);
    return null;
  } catch (error) {
    if (error instanceof ChannelCheckError) return error.details;
    throw error;
  }
}

/** Reasons that a new token ends. Every other one is to be mended at Meta. */
const tokenReasons: readonly ChannelReason[] = [
  "token_invalid",
  "token_expired",
  "token_of_other_app",
  "scope_missing",
  "account_not_found",
  "other_account",
];

function refusedCondition(reason: ChannelReason): ChannelCondition {
  const state = tokenReasons.includes(reason) ? "needs_reauth" : "degraded";
  return { state, reason };
}

/** An unregistered number, and one that Meta has blocked, cannot send. */
function conditionOf(inspection: Inspection): NewChannelFindings {
  const { facts } = inspection;
  const [problem] = facts.problems;
  const providerMessage = problem?.text ?? null;
  if (!isRegistered(facts)) {
    const condition = { state: "degraded", reason: "not_registered" } as const;
    return { inspection, condition, providerMessage };
  }
  if (facts.can_send === "BLOCKED") {
    const condition = { state: "degraded", reason: "account_restricted" } as const;
    return { inspection, condition, providerMessage };
  }
  return { inspection, condition: { state: "connected", reason: null }, providerMessage };
}

/**
 * Ends the subscription of a channel.
 * @returns false where Meta refuses or does not answer
 */
export async function endSubscription(graph: Graph, channel: CheckedChannel): Promise<boolean> {
  const { externalId } = channel;
  if (externalId === null) return false;
  return await unsubscribe(callsAbout(graph, channel), { ...channel, externalId });
}

/** A WhatsApp Business Account and the credentials to read it. */
export interface ReadBusinessAccount {
  appId: string;
  appSecret: string;
  token: string;
  parentId: string;
}

/** A number of a WhatsApp Business Account. */
export type ListedNumber = Pick<
  ChannelFacts,
  "verified_name" | "status" | "quality_rating" | "platform_type"
> & { id: string; displayPhoneNumber: string | null; isRegistered: boolean };

const listedFields = "id,display_phone_number,verified_name,status,quality_rating,platform_type";

/**
 * The numbers of a WhatsApp Business Account, after a check of the token.
 * @throws ChannelCheckError, ProviderAwayError
 */
export async function listNumbers(
  graph: Graph,
  { appId, appSecret, token, parentId }: ReadBusinessAccount,
): Promise<ListedNumber[]> {
  const calls = beginCalls(graph, { base: "graph", token, appSecret });
  await checkToken(calls, { driver: "whatsapp_cloud", appId, appSecret, token });
  const body = await calls.call("account", {
    method: "GET",
    path: `/${parentId}/phone_numbers`,
    query: { fields: listedFields, limit: "100" },
  });
  return readObjects(readFields(body)?.["data"]).flatMap((number) => {
    const id = readId(number["id"]);
    if (id === null) return [];
    const { display_name: displayPhoneNumber, ...facts } = readNumberFacts(number);
    const { verified_name, status, quality_rating, platform_type } = facts;
    const shown = { verified_name, status, quality_rating, platform_type };
    return [{ id, displayPhoneNumber, ...shown, isRegistered: isRegistered(shown) }];
  });
}

/**
 * Registers a number at the Cloud API. The PIN is that of its two-step verification, or becomes it.
 * @throws ChannelCheckError, ProviderAwayError
 */
export async function registerNumber(
  graph: Graph,
  channel: CheckedChannel,
  pin: string,
): Promise<void> {
  await callsAbout(graph, channel).call("register", {
    method: "POST",
    path: `/${channel.externalId}/register`,
    body: { messaging_product: "whatsapp", pin },
  });
}
