import type { DashboardFixture } from "../support/dashboard-fixture.ts";
import { maxWidgets } from "../../core/services/widgets/widgets.ts";
import type { TestAccount } from "../support/accounts.ts";
import { oddNames } from "../support/odd-names.ts";

/** Id of the first channel of the account in use; its sandboxes have lower ids. */
export const firstChannel = 900;

interface ChannelRow {
  driver: "whatsapp_cloud" | "messenger" | "instagram_page" | "instagram_login";
  channel: "whatsapp" | "facebook" | "instagram";
  name: string;
  state: string;
  reason: string | null;
  facts: Record<string, unknown> | null;
}

const nothing = {
  display_name: null,
  verified_name: null,
  status: null,
  platform_type: null,
  is_on_biz_app: null,
  quality_rating: null,
  messaging_limit: null,
  throughput: null,
  can_send: null,
  problems: [],
  is_subscribed: true,
};

const number = {
  ...nothing,
  display_name: "+52 55 5012 3456",
  verified_name: "Sonrisa Dental",
  status: "CONNECTED",
  platform_type: "CLOUD_API",
  quality_rating: "GREEN",
  messaging_limit: "TIER_1K",
  can_send: "AVAILABLE",
};

const problem = {
  code: "141010",
  text: "Message template sending is limited because the display name has not been approved yet.",
  solution: "Request a review of the display name.",
};

/** One channel for each state, each with another trouble. */
const inUse: ChannelRow[] = [
  {
    driver: "whatsapp_cloud",
    channel: "whatsapp",
    name: "Sonrisa Dental",
    state: "degraded",
    reason: "not_registered",
    facts: { ...number, quality_rating: "YELLOW", problems: [problem] },
  },
  {
    driver: "messenger",
    channel: "facebook",
    name: "Wolfeschlegelsteinhausenbergerdorff ".repeat(5).trim(),
    state: "needs_reauth",
    reason: "token_invalid",
    facts: { ...nothing, display_name: "Sonrisa Dental" },
  },
  {
    driver: "instagram_login",
    channel: "instagram",
    name: "@sonrisa.dental",
    state: "connected",
    reason: null,
    facts: { ...nothing, display_name: "@sonrisa.dental" },
  },
  {
    driver: "instagram_page",
    channel: "instagram",
    name: "@sonrisa.norte",
    state: "disconnected",
    reason: "disconnected_by_admin",
    facts: null,
  },
];

/** As hourly checks and webhooks would leave the account that is in use. */
export async function fillChannelsInUse(fixture: DashboardFixture): Promise<void> {
  await addChannels(fixture, fixture.account, inUse, firstChannel);
  const { accountId } = fixture.account;
  const app = await appOf(fixture, accountId);
  await run(
    fixture,
    "UPDATE channel_apps SET bad_signatures = 3, bad_signature_at = UTC_TIMESTAMP(3) WHERE id = ?",
    [app],
  );
  const reasons = ["group", "QueryFailedError", "no_sender"];
  for (const [index, reason] of reasons.entries()) {
    await addItem(fixture, { app, channelId: firstChannel, accountId, reason, key: index });
  }
  await run(
    fixture,
    `INSERT INTO channel_webhooks SET account_id = ?, channel_app_id = ?, body = ?, state = 'parked',
       attempts = 5, reason = 'not_json', received_at = UTC_TIMESTAMP(3)`,
    [accountId, app, Buffer.from("{broken".repeat(40))],
  );
  await addItem(fixture, { app, channelId: null, accountId, reason: null, key: 9 });
  await addWidgets(fixture, fixture.account, ["Wolfe ".repeat(20).trim()]);
}

/** `rows` channels under names that are hard to show. */
export async function fillChannels(
  fixture: DashboardFixture,
  account: TestAccount,
  rows: number,
): Promise<void> {
  const many = Array.from({ length: rows }, (_, row): ChannelRow => {
    const like = inUse[row % inUse.length] as ChannelRow;
    return { ...like, name: oddNames[row % oddNames.length] ?? like.name };
  });
  await addChannels(fixture, account, many, null);
  await addWidgets(
    fixture,
    account,
    many.slice(0, maxWidgets).map(({ name }) => name),
  );
}

async function addWidgets(
  fixture: DashboardFixture,
  { cookie }: TestAccount,
  names: string[],
): Promise<void> {
  for (const name of names) {
    const body = { name, allowed_origins: ["https://www.example.com", "https://*.example.com"] };
    const { status } = await fixture.api.call("POST", "/dashboard/api/widgets", { cookie, body });
    if (status !== 201) throw new Error(`POST /widgets answered ${status}`);
  }
}

async function addChannels(
  fixture: DashboardFixture,
  account: TestAccount,
  rows: ChannelRow[],
  firstId: number | null,
): Promise<void> {
  if (rows.length === 0) return;
  const { status, json } = await fixture.api.call("POST", "/dashboard/api/channel-apps", {
    cookie: account.cookie,
    body: { app_id: "1234567890", app_secret: "app-secret-1" },
  });
  if (status !== 201) throw new Error(`POST /channel-apps answered ${status}`);
  const app = Number(json.data.id);
  for (const [index, row] of rows.entries()) {
    const health = JSON.stringify({ facts: row.facts, providerMessage: "Error validating token" });
    await run(
      fixture,
      `INSERT INTO channel_accounts SET id = ?, account_id = ?, channel = ?, driver = ?, name = ?,
         external_id = ?, parent_id = '102290129340398', channel_app_id = ?, state = ?,
         state_reason = ?, bot_default = 1, version = 1, created_at = UTC_TIMESTAMP(3),
         updated_at = UTC_TIMESTAMP(3), checked_at = UTC_TIMESTAMP(3), health = ?`,
      [
        firstId === null ? null : firstId + index,
        account.accountId,
        row.channel,
        row.driver,
        row.name.slice(0, 200),
        `10654035224${String(index).padStart(4, "0")}`,
        app,
        row.state,
        row.reason,
        row.facts === null ? null : health,
      ],
    );
  }
  await run(
    fixture,
    `INSERT INTO channel_account_tokens (account_id, channel_account_id, sealed, key_id, created_at,
            scopes, expires_at)
     SELECT account_id, id, 'x', 'x', UTC_TIMESTAMP(3), '["whatsapp_business_messaging"]',
            UTC_TIMESTAMP(3) + INTERVAL 6 DAY
       FROM channel_accounts
      WHERE account_id = ? AND channel_app_id IS NOT NULL AND state <> 'disconnected'`,
    [account.accountId],
  );
}

interface ItemRow {
  accountId: number;
  app: number;
  /** Null: its number is not connected. */
  channelId: number | null;
  reason: string | null;
  key: number;
}

async function addItem(fixture: DashboardFixture, item: ItemRow): Promise<void> {
  const payload = { kind: "group", reason: "group", raw: { id: "wamid.x", text: "x".repeat(300) } };
  await run(
    fixture,
    `INSERT INTO channel_items SET account_id = ?, channel_app_id = ?, webhook_id = 0,
       channel_account_id = ?, network = 'whatsapp', external_id = ?, customer = '', kind = ?,
       key_hash = UNHEX(SHA2(?, 256)), payload = ?, state = ?, attempts = 5, reason = ?,
       due_at = UTC_TIMESTAMP(3), created_at = UTC_TIMESTAMP(3)`,
    [
      item.accountId,
      item.app,
      item.channelId,
      item.channelId === null ? "999" : "106540352240000",
      item.reason === "group" ? "group" : "message",
      `item-${item.key}`,
      JSON.stringify(payload),
      item.channelId === null ? "unrouted" : "parked",
      item.reason,
    ],
  );
}

async function appOf(fixture: DashboardFixture, accountId: number): Promise<number> {
  const sql = "SELECT id FROM channel_apps WHERE account_id = ?";
  const [row] = await fixture.database.dataSource.query<{ id: number }[]>(sql, [accountId]);
  return Number(row?.id);
}

async function run(fixture: DashboardFixture, sql: string, values: unknown[]): Promise<void> {
  await fixture.database.dataSource.query(sql, values);
}
