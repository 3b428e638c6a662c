import { appFields } from "../../core/channels/meta/webhook-fields.ts";
import { callbackUrlOf, openApps } from "../../core/services/channels/app-access.ts";
import { readFieldTimes } from "../../core/services/channels/app-fields.ts";
import { listChannelIds } from "../../core/services/channels/channel-accounts.ts";
import {
  listChannelApps,
  saveChannelApp,
  type ChannelAppWithHealth,
} from "../../core/services/channels/channel-apps.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { admin } from "./access.ts";
import { readNumbers } from "./channel-checks.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Channels";

/** Meta apps of the account. */
export const channelAppRoutes = [
  dashboardRoute("GET /channel-apps", {
    access: admin,
    tag,
    summary: "List the Meta apps with the URL and the token to paste into Meta's settings",
    run: async (tx, _input, deps) => ({ data: await presentApps(tx, deps) }),
  }),
  dashboardRoute("POST /channel-apps", {
    access: admin,
    tag,
    summary: "Add a Meta app, or replace its secrets; the earlier ones are taken for 24 hours more",
    run: async (tx, { body }, deps) => {
      const { row } = await saveChannelApp(tx, deps.secretBox, body);
      const [app] = await presentApps(tx, deps, row.id);
      return { data: app as NonNullable<typeof app> };
    },
  }),
  dashboardRoute("POST /channel-apps/:id/numbers", {
    access: admin,
    tag,
    noun: "channel_app",
    summary: "List the numbers of a WhatsApp Business Account that a token reaches",
    errors: ["channel_check_failed", "rate_limited"],
    prepare: async ({ id, body, actor }, deps) => await readNumbers(id, body, actor, deps),
    run: async (tx, { prepared: numbers }) => {
      const known = await listChannelIds(tx, "whatsapp");
      const data = numbers.map(({ displayPhoneNumber, isRegistered, ...number }) => ({
        ...number,
        display_phone_number: displayPhoneNumber,
        is_registered: isRegistered,
        channel_account_id: known.get(number.id) ?? null,
      }));
      return { status: 200, data };
    },
  }),
];

async function presentApps(tx: Tx, { secretBox, config }: Deps, onlyId?: number) {
  const all = await listChannelApps(tx);
  const apps = onlyId === undefined ? all : all.filter(({ row }) => row.id === onlyId);
  const opened = await openApps(
    tx,
    secretBox,
    apps.map(({ row }) => row),
  );
  const seen = await readFieldTimes(
    tx,
    apps.map(({ row }) => row.id),
  );
  return apps.map((app, at) => {
    const access = opened[at];
    const times = seen.get(app.row.id);
    return {
      ...presentCounts(app),
      webhook_url: callbackUrlOf(config.publicUrl, app.row.slug),
      verify_token: access?.verifyToken ?? "",
      has_instagram_secret: (access?.instagramSecret ?? null) !== null,
      fields: appFields.map((field) => ({
        field,
        seen_at: times?.get(field)?.toISOString() ?? null,
      })),
    };
  });
}

function presentCounts({ row, unrouted, parkedWebhooks }: ChannelAppWithHealth) {
  return {
    id: row.id,
    app_id: row.appId,
    slug: row.slug,
    bad_signatures: row.badSignatures,
    bad_signature_at: row.badSignatureAt?.toISOString() ?? null,
    unrouted,
    parked_webhooks: parkedWebhooks,
    created_at: row.createdAt.toISOString(),
  };
}
