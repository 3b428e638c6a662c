import { expect, test } from "vitest";
import {
  getChannelHealth,
  listChannelHealth,
} from "../../core/services/channels/channel-health.ts";
import { findChannelWork } from "../../core/services/channels/channel-work.ts";
import type { Tx } from "../../db/transaction.ts";
import { usePlans } from "../support/query-plans.ts";
import { fillForPlans } from "./plan-rows.ts";

const items = 3_000;
const channels = 400;

const { plansOf } = usePlans(async (source) => {
  await fillForPlans(source);
  const numbers = (count: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  // Each account has a few channels among many, and each channel has a backlog.
  await source.query(
    `INSERT INTO channel_accounts (id, account_id, channel, external_id, name, driver, channel_app_id)
     ${numbers(channels)} SELECT i, 1 + i % 100, 'whatsapp', i, 'n', 'whatsapp_cloud', i FROM n`,
  );
  await source.query(
    `INSERT INTO channel_account_tokens (account_id, channel_account_id, sealed, key_id)
     ${numbers(channels)} SELECT 1 + i % 100, i, 's', 'k' FROM n`,
  );
  await source.query(
    `INSERT INTO channel_app_fields (account_id, channel_app_id, external_id, field, seen_at)
     ${numbers(channels)} SELECT 1 + i % 100, i, i, 'messages', NOW() FROM n`,
  );
  await source.query(
    `INSERT INTO channel_webhooks (account_id, channel_app_id, body, state, received_at)
     ${numbers(items)} SELECT 1 + i % 100, 1 + i % ${channels}, '{}', 'split', NOW() FROM n`,
  );
  await source.query(
    `INSERT INTO channel_items (account_id, channel_app_id, webhook_id, channel_account_id, network, external_id,
         customer, kind, key_hash, state, due_at)
     ${numbers(items)} SELECT 1 + i % 100, 1 + i % ${channels}, i, 1 + i % ${channels}, 'whatsapp', i, i, 'message',
         UNHEX(SHA2(i, 256)), ELT(1 + i % 4, 'done', 'parked', 'unrouted', 'pending'), NOW() FROM n`,
  );
  await source.query(
    "ANALYZE TABLE channel_accounts, channel_account_tokens, channel_app_fields, channel_webhooks, channel_items",
  );
});

const reads: [string, (tx: Tx) => Promise<unknown>][] = [
  ["of all channels", listChannelHealth],
  ["of one channel", async (tx) => await getChannelHealth(tx, 1)],
];

test.each(reads)("the health %s reads no table as a whole", async (_name, work) => {
  const steps = (await plansOf(work)).filter(({ table }) => table !== null);
  const scanned = steps.filter(({ type, table }) => type === "ALL" && !table?.startsWith("<"));
  expect(scanned).toEqual([]);
  const keys = new Map(steps.map(({ table, key }) => [table, key]));
  expect(keys.get("channel_items")).toBe("channel_items_account");
  expect(keys.get("m")).toBe("messages_held");
  expect(keys.get("channel_app_fields")).toBe("channel_app_fields_field");
});

test("the drain's look reads index entries, and sorts nothing", async () => {
  const steps = (await plansOf(findChannelWork)).filter(({ table }) =>
    table?.startsWith("channel"),
  );
  expect(steps.map(({ table, key }) => [table, key])).toEqual([
    ["channel_webhooks", "channel_webhooks_app"],
    ["channel_items", "channel_items_due"],
    ["channel_items", "channel_items_due"],
  ]);
  const details = steps.map(({ Extra }) => Extra ?? "");
  expect(details.filter((one) => !one.includes("Using index"))).toEqual([]);
  expect(details.filter((one) => one.includes("filesort"))).toEqual([]);
});
