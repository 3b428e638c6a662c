import { requiredScopes } from "../../core/channels/meta/setup-answers.ts";
import { isMetaDriver } from "../../core/model/channels.ts";
import { AppError } from "../../core/errors.ts";
import {
  changeChannelAccount,
  connectChannelAccount,
  disconnectChannelAccount,
} from "../../core/services/channels/channel-accounts.ts";
import { storeFindings } from "../../core/services/channels/channel-checks.ts";
import {
  getChannelHealth,
  listChannelHealth,
  type ChannelWithHealth,
} from "../../core/services/channels/channel-health.ts";
import type { ChannelFacts } from "../../core/model/channel-setup.ts";
import { readChannelHours } from "../../core/services/channels/channel-hours.ts";
import { sendTestMessage } from "../../core/services/channels/test-message.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { admin } from "./access.ts";
import {
  checkNew,
  checkStored,
  registerStored,
  unsubscribeStored,
  type CheckedStored,
} from "./channel-checks.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Channels";
const noun = "channel_account";

/** Numbers, Pages and Instagram accounts: connecting, health and disconnecting. */
export const channelRoutes = [
  dashboardRoute("GET /channel-accounts", {
    access: admin,
    tag,
    summary: "List numbers, Pages and sandboxes with their state and health",
    run: async (tx) => ({ data: (await listChannelHealth(tx)).map(presentChannel) }),
  }),
  dashboardRoute("POST /channel-accounts", {
    access: admin,
    tag,
    summary: "Check and connect a number, Page or Instagram account, or replace its token",
    errors: [
      "channel_account_not_found",
      "channel_app_not_found",
      "channel_check_failed",
      "channel_mismatch",
      "rate_limited",
    ],
    prepare: async ({ body, actor }, deps) => await checkNew(body, actor, deps),
    run: async (tx, { prepared }, { secretBox }) => {
      const { id } = await connectChannelAccount(tx, secretBox, prepared);
      return { data: await present(tx, id) };
    },
  }),
  dashboardRoute("PATCH /channel-accounts/:id", {
    access: admin,
    tag,
    noun,
    summary: "Change the name of a channel, or who answers new conversations there",
    run: async (tx, { id, body }) => {
      await changeChannelAccount(tx, id, body);
      return { data: await present(tx, id) };
    },
  }),
  dashboardRoute("DELETE /channel-accounts/:id", {
    access: admin,
    tag,
    noun,
    summary: "Disconnect a channel: its token is deleted, and its conversations stay",
    errors: ["channel_without_token", "rate_limited"],
    prepare: async ({ id, actor }, deps) => await unsubscribeStored(id, actor, deps),
    run: async (tx, { id, prepared }) => {
      await disconnectChannelAccount(tx, id, prepared);
      return { data: await present(tx, id) };
    },
  }),
  dashboardRoute("GET /channel-accounts/:id/traffic", {
    access: admin,
    tag,
    noun,
    summary: "Count the messages of a channel, of each of the last 24 hours and the last minute",
    run: async (tx, { id }) => ({ data: await readChannelHours(tx, id) }),
  }),
  dashboardRoute("POST /channel-accounts/:id/check", {
    access: admin,
    tag,
    noun,
    summary: "Check token, account and subscription of a channel now",
    errors: ["channel_check_failed", "channel_without_token", "rate_limited"],
    prepare: async ({ id, actor }, deps) => await checkStored(id, actor, deps),
    run: async (tx, { prepared }, deps) => await storeChecked(tx, prepared, deps),
  }),
  dashboardRoute("POST /channel-accounts/:id/register", {
    access: admin,
    tag,
    noun,
    summary: "Register a number of WhatsApp with the PIN of its two-step verification",
    errors: ["channel_check_failed", "channel_without_token", "rate_limited"],
    prepare: async ({ id, body, actor }, deps) => await registerStored(id, body.pin, actor, deps),
    run: async (tx, { prepared }, deps) => await storeChecked(tx, prepared, deps, "registered"),
  }),
  dashboardRoute("POST /channel-accounts/:id/test-message", {
    access: admin,
    tag,
    noun,
    summary: "Send a test message to a customer who has written to the channel",
    errors: ["messaging_window_closed"],
    run: async (tx, { id, body }) => {
      const message = await sendTestMessage(tx, id, body.to);
      return { data: { conversation_id: message.conversationId, message_id: message.id } };
    },
  }),
];

/** @throws AppError `channel_check_failed` where the channel was changed during the check */
async function storeChecked(
  tx: Tx,
  { check, findings }: CheckedStored,
  { secretBox }: Deps,
  action: "checked" | "registered" = "checked",
) {
  const row = await storeFindings(tx, secretBox, check, findings, action);
  if (row === null) throw new AppError("channel_changed");
  return { data: await present(tx, row.id) };
}

async function present(tx: Tx, id: number) {
  return presentChannel(await getChannelHealth(tx, id));
}

function presentChannel(channel: ChannelWithHealth) {
  const { row } = channel;
  return {
    id: row.id,
    channel: row.channel,
    driver: row.driver,
    channel_app_id: row.channelAppId,
    external_id: row.externalId,
    parent_id: row.parentId,
    name: row.name,
    bot_default: row.botDefault,
    human_agent: row.humanAgent,
    marks_read: row.marksRead,
    state: row.state,
    reason: row.stateReason,
    state_at: row.stateAt?.toISOString() ?? null,
    provider_message: row.health?.providerMessage ?? null,
    token: presentToken(channel),
    facts: presentFacts(row.health?.facts ?? null),
    checked_at: row.checkedAt?.toISOString() ?? null,
    last_webhook_at: channel.lastWebhookAt?.toISOString() ?? null,
    last_sent_at: channel.lastSentAt?.toISOString() ?? null,
    lag_p95_ms: channel.lagP95Ms,
    parked: channel.parked,
    unrouted: channel.unrouted,
    held: channel.held,
    failures: channel.failures,
    fields: channel.fields.map(({ field, seenAt }) => ({
      field,
      seen_at: seenAt?.toISOString() ?? null,
    })),
    created_at: row.createdAt.toISOString(),
  };
}

function presentToken({ row, token }: ChannelWithHealth) {
  if (token === null || !isMetaDriver(row.driver)) return null;
  const { scopes, expiresAt } = token;
  return {
    scopes: scopes ?? [],
    missing_scopes:
      scopes === null ? [] : requiredScopes[row.driver].filter((one) => !scopes.includes(one)),
    expires_at: expiresAt?.toISOString() ?? null,
  };
}

/** A check of an earlier version has not asked for every fact. */
function presentFacts(facts: ChannelFacts | null): ChannelFacts | null {
  return facts === null ? null : { ...facts, is_on_biz_app: facts.is_on_biz_app ?? null };
}
