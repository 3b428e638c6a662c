import { createHash } from "node:crypto";
import type { Tx } from "../../../db/transaction.ts";
import type { InboundItem } from "../../channels/meta/inbound-item.ts";
import { splitWebhook } from "../../channels/meta/split-webhook.ts";
import { isTemplateField } from "../../channels/meta/template-list.ts";
import { listArrivedFields, type ArrivedField } from "../../channels/meta/webhook-fields.ts";
import { intakeKeptMs, maxItemTries, type ItemState } from "../../model/channel-intake.ts";
import { toWellFormed } from "../../model/wire.ts";
import { placeholders } from "../sql.ts";
import { noteFields } from "./app-fields.ts";
import { listRoutes, noteChannelWork, routeKey, wabaKey } from "./channel-items.ts";

/** A signed webhook before it is stored. */
export interface ReceivedWebhook {
  accountId: number;
  channelAppId: number;
  body: Buffer;
  receivedAt: Date;
}

/** Webhooks of an app to split in one transaction. */
const splitAtOnce = 50;
/** Rows of one statement. One webhook may hold a thousand items. */
const insertedAtOnce = 500;

/** Stores webhooks in one statement, so that all of them are stored or none. */
export async function insertWebhooks(tx: Tx, webhooks: readonly ReceivedWebhook[]): Promise<void> {
  noteChannelWork(tx);
  await tx.manager.query(
    `INSERT INTO channel_webhooks (account_id, channel_app_id, body, received_at)
     VALUES ${webhooks.map(() => "(?, ?, ?, ?)").join(", ")}`,
    webhooks.flatMap((one) => [one.accountId, one.channelAppId, one.body, one.receivedAt]),
  );
}

/**
 * Cuts the oldest webhooks of an app into items. The lock of the app keeps the order in which they
 * arrived, and is free again when a process dies. A webhook that is no JSON is parked.
 * @param limit webhooks at most; 1 after a fault, so that one of them does not stop the others.
 * @returns number of webhooks; 0 also while another process splits this app.
 */
export async function splitWebhooks(
  tx: Tx,
  channelAppId: number,
  limit = splitAtOnce,
): Promise<number> {
  const free = await tx.manager.query<unknown[]>(
    "SELECT id FROM channel_apps WHERE id = ? FOR UPDATE SKIP LOCKED",
    [channelAppId],
  );
  if (free.length === 0) return 0;
  const rows = await listPending(tx, channelAppId, limit);
  const routes = await listRoutes(tx, channelAppId);
  const read = rows.map((webhook) => ({ webhook, ...readWebhook(webhook.body) }));
  const found = read.flatMap(({ webhook, items }) =>
    (items ?? []).map((item) => ({ webhook, item })),
  );
  for (let first = 0; first < found.length; first += insertedAtOnce)
    await insertItems(tx, found.slice(first, first + insertedAtOnce), routes);
  await noteArrived(
    tx,
    rows,
    read.flatMap(({ fields }) => fields),
  );
  const idsOf = (isReadable: boolean) =>
    read.filter(({ items }) => (items !== null) === isReadable).map(({ webhook }) => webhook.id);
  await endWebhooks(tx, idsOf(true), null);
  await endWebhooks(tx, idsOf(false), "not_readable");
  return rows.length;
}

/** Counts a failed split of the app's oldest webhook, and parks the webhook after the last try. */
export async function failOldestWebhook(tx: Tx, channelAppId: number, reason: string) {
  const [row] = await listPending(tx, channelAppId, 1);
  if (row === undefined) return;
  if (row.attempts + 1 >= maxItemTries) await endWebhooks(tx, [row.id], reason);
  await tx.manager.query("UPDATE channel_webhooks SET attempts = attempts + 1 WHERE id = ?", [
    row.id,
  ]);
}

interface PendingWebhook {
  id: number;
  account_id: number;
  channel_app_id: number;
  body: Buffer;
  attempts: number;
}

async function listPending(tx: Tx, channelAppId: number, limit: number): Promise<PendingWebhook[]> {
  return await tx.manager.query(
    `SELECT id, account_id, channel_app_id, body, attempts
       FROM channel_webhooks FORCE INDEX (channel_webhooks_app)
      WHERE state = 'pending' AND channel_app_id = ? ORDER BY id LIMIT ?`,
    [channelAppId, limit],
  );
}

/** All webhooks of a batch are of one app. */
async function noteArrived(
  tx: Tx,
  [first]: readonly PendingWebhook[],
  fields: readonly ArrivedField[],
): Promise<void> {
  if (first === undefined) return;
  const app = { accountId: first.account_id, channelAppId: first.channel_app_id };
  await noteFields(tx, app, fields);
}

/** Messages come before statuses, which may speak of them. No items for bytes that are no JSON. */
function readWebhook(body: Buffer): { items: InboundItem[] | null; fields: ArrivedField[] } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return { items: null, fields: [] };
  }
  const items = splitWebhook(parsed);
  const rank = ({ kind }: InboundItem) => (kind === "message" || kind === "echo" ? 0 : 1);
  return {
    items: items.toSorted((one, other) => rank(one) - rank(other)),
    fields: listArrivedFields(parsed),
  };
}

/**
 * A repeated item is the same row, whichever webhook brings it. The row may be of this statement:
 * MySQL then refuses an assignment to the generated id, so another column is set to itself.
 */
async function insertItems(
  tx: Tx,
  items: readonly { webhook: PendingWebhook; item: InboundItem }[],
  routes: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = items.map(({ webhook, item }) => {
    const channelAccountId = findRoute(item, routes);
    const { state, reason, keptMs } = firstState(item, channelAccountId);
    return [
      webhook.account_id,
      webhook.channel_app_id,
      webhook.id,
      channelAccountId,
      item.network,
      item.externalId,
      item.customer ?? "",
      item.kind,
      createHash("sha256").update(item.providerKey, "utf8").digest(),
      state === "done" ? null : JSON.stringify(item, wellFormed),
      state,
      reason,
      tx.now,
      tx.now,
      keptMs === null ? null : new Date(tx.now.getTime() + keptMs),
    ];
  });
  await tx.manager.query(
    `INSERT INTO channel_items (account_id, channel_app_id, webhook_id, channel_account_id, network,
         external_id, customer, kind, key_hash, payload, state, reason, due_at, created_at, purge_at)
     VALUES ${rows.map((row) => `(${placeholders(row)})`).join(", ")}
     ON DUPLICATE KEY UPDATE kind = channel_items.kind`,
    rows.flat(),
  );
}

/** News of templates name the WhatsApp Business Account, everything else a number or a Page. */
function findRoute(item: InboundItem, routes: ReadonlyMap<string, number>): number | null {
  const key = isTemplateNews(item) ? wabaKey(item.externalId) : routeKey(item);
  return routes.get(key) ?? null;
}

function isTemplateNews(item: InboundItem): boolean {
  return item.kind === "account" && isTemplateField(item.field);
}

/** Facts about the account itself have no customer, and only those about templates are used. */
function firstState(
  item: InboundItem,
  channelAccountId: number | null,
): { state: ItemState; reason: string | null; keptMs: number | null } {
  const { kind } = item;
  if (kind === "account" && !(isTemplateNews(item) && channelAccountId !== null)) {
    return { state: "done", reason: "not_used", keptMs: intakeKeptMs.itemDone };
  }
  if (kind === "group" || kind === "unreadable") {
    return { state: "parked", reason: item.reason, keptMs: intakeKeptMs.parked };
  }
  if (channelAccountId !== null) return { state: "pending", reason: null, keptMs: null };
  return { state: "unrouted", reason: null, keptMs: intakeKeptMs.unrouted };
}

/** MySQL refuses half a surrogate pair, which a customer's text may end with. */
function wellFormed(_: string, value: unknown): unknown {
  return typeof value === "string" ? toWellFormed(value) : value;
}

async function endWebhooks(
  tx: Tx,
  ids: readonly number[],
  parkedReason: string | null,
): Promise<void> {
  if (ids.length === 0) return;
  const keptMs = parkedReason === null ? intakeKeptMs.webhookDone : intakeKeptMs.parked;
  await tx.manager.query(
    `UPDATE channel_webhooks SET state = ?, reason = ?, purge_at = ?
      WHERE id IN (${placeholders(ids)})`,
    [
      parkedReason === null ? "done" : "parked",
      parkedReason,
      new Date(tx.now.getTime() + keptMs),
      ...ids,
    ],
  );
}
