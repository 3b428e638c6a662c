import {
  connectChannelAccount,
  listChannelAccounts,
} from "../../core/services/channels/channel-accounts.ts";
import { saveChannelApp } from "../../core/services/channels/channel-apps.ts";
import { listItems, retryItem } from "../../core/services/channels/channel-items.ts";
import type { ChannelAccount } from "../../db/entities/channel-account.ts";
import type { ChannelItem } from "../../db/entities/channel-intake.ts";
import { admin } from "./access.ts";
import { logMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Channels";

/** Apps and numbers of Meta's networks, and the items that could not be applied. */
export const channelRoutes = [
  dashboardRoute("POST /channel-apps", {
    access: admin,
    tag,
    summary: "Add a Meta app, or replace its secrets; the earlier ones are taken for 24 hours more",
    run: async (tx, { body }, { secretBox, config }) => {
      const { row, verifyToken } = await saveChannelApp(tx, secretBox, body);
      const { id, slug } = row;
      const webhook_url = `${config.publicUrl}/api/channels/meta/${slug}`;
      return { data: { id, slug, webhook_url, verify_token: verifyToken } };
    },
  }),
  dashboardRoute("GET /channel-accounts", {
    access: admin,
    tag,
    summary: "List numbers, Pages and sandboxes with their state",
    run: async (tx) => {
      const channels = await listChannelAccounts(tx);
      return { data: channels.map(({ row, parked }) => presentChannel(row, parked)) };
    },
  }),
  dashboardRoute("POST /channel-accounts", {
    access: admin,
    tag,
    summary: "Connect a number, Page or Instagram account, or replace its token",
    errors: ["channel_app_not_found"],
    run: async (tx, { body }, { secretBox }) => ({
      data: presentChannel(await connectChannelAccount(tx, secretBox, body), 0),
    }),
  }),
  dashboardRoute("GET /channel-items", {
    access: admin,
    tag,
    summary: "List the items of webhooks in a state, newest first",
    run: async (tx, { query }) => {
      const page = await listItems(tx, query);
      return { data: page.rows.map(presentItem), meta: logMetaOf(page, query) };
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
];

function presentChannel(row: ChannelAccount, parked: number) {
  return {
    id: row.id,
    channel: row.channel,
    driver: row.driver,
    channel_app_id: row.channelAppId,
    external_id: row.externalId,
    parent_id: row.parentId,
    name: row.name,
    state: row.state,
    reason: row.stateReason,
    parked,
    created_at: row.createdAt.toISOString(),
  };
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
