import {
  factsOfName,
  readNumberFacts,
  readTokenFacts,
  readWords,
  requiredScopes,
} from "../../core/channels/meta/setup-answers.ts";
import {
  readBoolean,
  readFields,
  readId,
  readNumber,
  readObjects,
} from "../../core/channels/meta/read-json.ts";
import type { CheckedChannel, Inspection } from "../../core/model/channel-checks.ts";
import { dayMs } from "../../core/model/durations.ts";
import type { Graph } from "./graph.ts";
import {
  beginCalls,
  ChannelCheckError,
  failedStep,
  refusedBy,
  type SetupCalls,
} from "./setup-calls.ts";

/** Remaining life of a token of Instagram Login that is too young to be renewed. */
const youngTokenMs = 59 * dayMs;

/** Begins the calls about a channel. */
export function callsAbout(
  graph: Graph,
  { driver, token, proofSecret }: Pick<CheckedChannel, "driver" | "token" | "proofSecret">,
): SetupCalls {
  const base = driver === "instagram_login" ? "instagram" : "graph";
  return beginCalls(graph, { base, token, appSecret: proofSecret });
}

/**
 * Asks Meta about a token and its number, Page or Instagram account.
 * @throws ChannelCheckError where Meta refuses, ProviderAwayError where it does not answer
 */
export async function inspectChannel(
  calls: SetupCalls,
  channel: CheckedChannel,
): Promise<Inspection> {
  switch (channel.driver) {
    case "whatsapp_cloud":
      return await inspectNumber(calls, channel);
    case "messenger":
      return await inspectPage(calls, channel);
    case "instagram_page":
      return await inspectInstagramOfPage(calls, channel);
    case "instagram_login":
      return await inspectLogin(calls, channel);
  }
}

/**
 * `GET /debug_token`: the token is valid, of this app, and has the permissions of its channel.
 * @throws ChannelCheckError, ProviderAwayError
 */
export async function checkToken(
  calls: SetupCalls,
  channel: Pick<CheckedChannel, "driver" | "appId" | "appSecret" | "token">,
) {
  const { appId, appSecret, token, driver } = channel;
  const body = await calls
    .call("token", {
      method: "GET",
      path: "/debug_token",
      query: { input_token: token },
      token: `${appId}|${appSecret}`,
      appSecret: null,
    })
    .catch((error: unknown) => {
      // The caller of this call is the app itself, so a refusal is about its id and its secret.
      throw refusedApp(error);
    });
  const facts = readTokenFacts(body);
  if (facts === null) throw failedStep("token", "provider_refused");
  const { refusal, expiresAt, scopes } = facts;
  if (!facts.isValid) {
    const isOver = expiresAt !== null && expiresAt.getTime() <= Date.now();
    const given = refusal ?? { code: 190, subcode: null, message: null };
    if (isOver) throw refusedBy("token", given, "token_expired");
    const isOfOther = facts.appId !== null && facts.appId !== appId;
    throw refusedBy("token", given, isOfOther ? "token_of_other_app" : undefined);
  }
  if (facts.appId !== appId) throw failedStep("token", "token_of_other_app");
  const missing = requiredScopes[driver].filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) throw failedStep("token", "scope_missing", { missing_scopes: missing });
  return { scopes, expiresAt, token };
}

function refusedApp(error: unknown): unknown {
  if (!(error instanceof ChannelCheckError)) return error;
  const { details } = error;
  return failedStep("token", "app_secret_invalid", {
    provider_code: details.provider_code,
    provider_message: details.provider_message,
  });
}

const numberFields =
  "display_phone_number,verified_name,status,quality_rating,platform_type,throughput,health_status,webhook_configuration";

async function inspectNumber(calls: SetupCalls, channel: CheckedChannel): Promise<Inspection> {
  const token = await checkToken(calls, channel);
  const { externalId, parentId } = channel;
  if (externalId === null || parentId === null) throw failedStep("account", "account_not_found");
  const [number, siblings, limit, shared, business] = await Promise.all([
    calls.call("account", {
      method: "GET",
      path: `/${externalId}`,
      query: { fields: numberFields },
    }),
    calls.call("account", { method: "GET", path: `/${parentId}/phone_numbers`, query: listing }),
    // Meta has renamed such fields before. An unknown field must not fail the check.
    calls.tryCall({ method: "GET", path: `/${externalId}`, query: { fields: limitField } }),
    calls.tryCall({ method: "GET", path: `/${externalId}`, query: { fields: sharedField } }),
    calls.tryCall({ method: "GET", path: `/${parentId}`, query: { fields: ownerField } }),
  ]);
  const ids = readObjects(readFields(siblings)?.["data"]).map(({ id }) => readId(id));
  if (!ids.includes(externalId)) throw failedStep("account", "account_not_found");
  const facts = {
    ...readNumberFacts(number),
    is_on_biz_app: readBoolean(readFields(shared)?.[sharedField]),
    messaging_limit: readId(readFields(limit)?.[limitField]),
  };
  const name = facts.verified_name ?? facts.display_name ?? externalId;
  const owner = readFields(readFields(business)?.[ownerField]);
  return { externalId, name, portfolioId: readId(owner?.["id"], 64), ...token, facts };
}

const sharedField = "is_on_biz_app";
const ownerField = "owner_business_info";
const limitField = "whatsapp_business_manager_messaging_limit";
const listing = { fields: "id", limit: "100" };

/** The token of a Page is the Page itself: `me`. */
async function inspectPage(calls: SetupCalls, channel: CheckedChannel): Promise<Inspection> {
  const token = await checkToken(calls, channel);
  const body = await calls.call("account", {
    method: "GET",
    path: "/me",
    query: { fields: "id,name" },
  });
  const page = readFields(body);
  const externalId = requireSame(readId(page?.["id"]), channel.externalId);
  const facts = factsOfName(readWords(page?.["name"]));
  const name = facts.display_name ?? externalId;
  return { externalId, name, portfolioId: null, ...token, facts };
}

async function inspectInstagramOfPage(
  calls: SetupCalls,
  channel: CheckedChannel,
): Promise<Inspection> {
  const token = await checkToken(calls, channel);
  const { parentId } = channel;
  if (parentId === null) throw failedStep("account", "account_not_found");
  const page = await calls.call("account", {
    method: "GET",
    path: `/${parentId}`,
    query: { fields: "instagram_business_account" },
  });
  const linked = readFields(readFields(page)?.["instagram_business_account"]);
  const externalId = requireSame(readId(linked?.["id"]), channel.externalId);
  const account = await calls.call("account", {
    method: "GET",
    path: `/${externalId}`,
    query: { fields: "username" },
  });
  return { ...namedInstagram(account, externalId), ...token };
}

/**
 * Instagram Login has no `debug_token`. Its webhooks carry `user_id`, not `id`. A token older than
 * a day can be renewed, and only the renewal says when a token ends.
 */
async function inspectLogin(calls: SetupCalls, channel: CheckedChannel): Promise<Inspection> {
  const account = await calls.call("token", {
    method: "GET",
    path: "/me",
    query: { fields: "user_id,username" },
  });
  const userId = readId(readFields(account)?.["user_id"]);
  const externalId = requireSame(userId, channel.externalId);
  const renewed = channel.renews ? await renewToken(calls) : null;
  const known = channel.expiresAt ?? new Date(Date.now() + youngTokenMs);
  const expiresAt = renewed?.expiresAt ?? known;
  const token = { token: renewed?.token ?? channel.token, expiresAt, scopes: null };
  return { ...namedInstagram(account, externalId), ...token };
}

/** Renews the token of Instagram Login for 60 days. Null where Meta refuses: it is a day old at most. */
async function renewToken(calls: SetupCalls): Promise<{ token: string; expiresAt: Date } | null> {
  const body = await calls.tryCall({
    method: "GET",
    path: "/refresh_access_token",
    query: { grant_type: "ig_refresh_token" },
  });
  const fields = readFields(body);
  const token = readId(fields?.["access_token"], 1_000);
  const seconds = readNumber(fields?.["expires_in"]);
  if (token === null || seconds === null) return null;
  return { token, expiresAt: new Date(Date.now() + seconds * 1_000) };
}

function namedInstagram(account: unknown, externalId: string) {
  const username = readWords(readFields(account)?.["username"]);
  const name = username === null ? externalId : `@${username}`;
  return { externalId, name, portfolioId: null, facts: factsOfName(name) };
}

/** @throws ChannelCheckError where the token is of another Page or account */
function requireSame(found: string | null, wanted: string | null): string {
  if (found === null) throw failedStep("account", "account_not_found");
  if (wanted !== null && wanted !== found) throw failedStep("account", "other_account");
  return found;
}
