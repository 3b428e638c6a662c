import {
  listItems,
  readItemContent,
  retryItem,
} from "../../core/services/channels/channel-items.ts";
import {
  listParkedWebhooks,
  readWebhookBody,
  retryWebhook,
  type ParkedWebhook,
} from "../../core/services/channels/parked-webhooks.ts";
import type { ChannelItem } from "../../db/entities/channel-intake.ts";
import { admin } from "./access.ts";
import { logMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Channels";

/** Items of webhooks that could not be applied, and webhooks that nobody could read. */
export const channelIntakeRoutes = [
  dashboardRoute("GET /channel-items", {
    access: admin,
    tag,
    summary: "List the items of webhooks in a state, newest first",
    run: async (tx, { query }) => {
      const page = await listItems(tx, query);
      return { data: page.rows.map(presentItem), meta: logMetaOf(page, query) };
    },
  }),
  dashboardRoute("GET /channel-items/:id/raw", {
    access: admin,
    tag,
    noun: "channel_item",
    summary: "Read the content of an item, and the text of its webhook",
    run: async (tx, { id }) => {
      const { item, webhook } = await readItemContent(tx, id);
      return { data: { item, webhook: textOf(webhook) } };
    },
  }),
  dashboardRoute("POST /channel-items/:id/retry", {
    access: admin,
    tag,
    noun: "channel_item",
    summary: "Apply a parked item once more",
    errors: ["channel_item_not_parked"],
    run: async (tx, { id }) => ({ data: presentItem(await retryItem(tx, id)) }),
  }),
  dashboardRoute("GET /channel-webhooks", {
    access: admin,
    tag,
    summary: "List the webhooks that nobody could read, newest first",
    run: async (tx, { query }) => {
      const page = await listParkedWebhooks(tx, query);
      return { data: page.rows.map(presentWebhook), meta: logMetaOf(page, query) };
    },
  }),
  dashboardRoute("GET /channel-webhooks/:id/raw", {
    access: admin,
    tag,
    noun: "channel_webhook",
    summary: "Read the text of a webhook",
    run: async (tx, { id }) => ({ data: { webhook: textOf(await readWebhookBody(tx, id)) } }),
  }),
  dashboardRoute("POST /channel-webhooks/:id/retry", {
    access: admin,
    tag,
    noun: "channel_webhook",
    summary: "Read a parked webhook once more",
    errors: ["channel_webhook_not_parked"],
    run: async (tx, { id }) => ({ data: presentWebhook(await retryWebhook(tx, id)) }),
  }),
];

function textOf(bytes: Buffer | null): string | null {
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

function presentItem(row: ChannelItem) {
  return {
    id: row.id,
    channel_account_id: row.channelAccountId,
    kind: row.kind,
    state: row.state,
    reason: row.reason,
    attempts: row.attempts,
    created_at: row.createdAt.toISOString(),
  };
}

function presentWebhook({ id, channelAppId, reason, bytes, receivedAt }: ParkedWebhook) {
  return {
    id,
    channel_app_id: channelAppId,
    reason,
    bytes,
    received_at: receivedAt.toISOString(),
  };
}
