import type { Tx } from "../../../db/transaction.ts";
import { finishedDeliveryStates } from "../../model/workflow/delivery.ts";
import {
  retentionMs,
  type PurgeInput,
  type PurgeProgress,
} from "../../model/workflow/retention.ts";
import { purgeImportRows, purgeImports } from "../imports/import-retention.ts";
import { placeholders } from "../sql.ts";

/** A batch to delete: at most `limit` rows older than `before`, from the place `after` on. */
interface Batch {
  before: Date;
  after: string | null;
  limit: number;
}

/**
 * Deletes a batch of rows of one kind that have passed their retention, of all accounts, oldest
 * first. Skips a row that may still be needed.
 */
export async function purgeBatch(
  tx: Tx,
  { kind, after }: PurgeInput,
  limit: number,
): Promise<PurgeProgress> {
  const batch = { before: new Date(tx.now.getTime() - retentionMs[kind]), after, limit };
  switch (kind) {
    case "delivery_attempts":
      return await purgeAttempts(tx, batch);
    case "deliveries":
      return await purgeDeliveries(tx, batch);
    case "events":
      return await purgeEvents(tx, batch);
    case "notifications":
      return await purgeNotifications(tx, batch);
    case "import_rows":
      return await purgeImportRows(tx, limit);
    case "imports":
      return await purgeImports(tx, batch.before, limit);
    case "inbound_requests":
    case "inbound_events":
    case "idempotency_keys":
    case "sessions":
    case "user_links":
    case "worker_heartbeats":
    case "subscription_secrets":
    case "inbound_endpoint_secrets":
    case "audit_log":
    case "mails":
    case "agent_steps":
    case "agent_tool_calls":
    case "agent_turns":
    case "knowledge_gaps":
    case "agent_ratings":
    case "agent_drafts":
    case "channel_app_secrets":
    case "channel_webhooks":
    case "channel_items":
    case "channel_templates":
    case "widget_secrets":
    case "widget_sessions":
    case "calendly_requests":
    case "busy_blocks":
    case "calendar_changes":
      return await purgeByAge(tx, kind, batch);
  }
}

/** Tables whose old rows no other row needs, each with the index and the column of its age. */
const byAge = {
  inbound_requests: ["inbound_requests_received", "received_at"],
  inbound_events: ["inbound_events_created", "created_at"],
  idempotency_keys: ["idempotency_keys_created", "created_at"],
  sessions: ["sessions_expires", "expires_at"],
  user_links: ["user_links_expires", "expires_at"],
  notifications: ["notifications_created", "created_at"],
  worker_heartbeats: ["worker_heartbeats_seen", "seen_at"],
  subscription_secrets: ["subscription_secrets_valid", "valid_until"],
  inbound_endpoint_secrets: ["inbound_endpoint_secrets_valid", "valid_until"],
  audit_log: ["audit_log_created", "created_at"],
  mails: ["mails_created", "created_at"],
  agent_steps: ["agent_steps_created", "created_at"],
  agent_tool_calls: ["agent_tool_calls_created", "created_at"],
  agent_turns: ["agent_turns_created", "created_at"],
  knowledge_gaps: ["knowledge_gaps_created", "created_at"],
  agent_ratings: ["agent_ratings_created", "created_at"],
  agent_drafts: ["agent_drafts_created", "created_at"],
  calendly_requests: ["calendly_requests_age", "received_at"],
  channel_app_secrets: ["channel_app_secrets_valid", "valid_until"],
  channel_webhooks: ["channel_webhooks_purge", "purge_at"],
  channel_items: ["channel_items_purge", "purge_at"],
  channel_templates: ["channel_templates_gone", "gone_at"],
  widget_secrets: ["widget_secrets_valid", "valid_until"],
  widget_sessions: ["widget_sessions_seen", "last_seen_at"],
  busy_blocks: ["busy_blocks_ended", "end_time"],
  calendar_changes: ["calendar_changes_created", "created_at"],
} as const;

async function purgeByAge(tx: Tx, table: keyof typeof byAge, batch: Batch): Promise<PurgeProgress> {
  const ids = await lockOldest(tx, table, batch);
  await deleteRows(tx, table, "id", ids);
  return progressOf(ids.length, batch);
}

/** Skips locked rows, so that a purge waits neither for another purge nor for a caller. */
async function lockOldest(
  tx: Tx,
  table: keyof typeof byAge,
  { before, limit }: Batch,
): Promise<(number | string)[]> {
  const [index, column] = byAge[table];
  const rows = await tx.manager.query<{ id: number | string }[]>(
    `SELECT id FROM ${table} FORCE INDEX (${index}) WHERE ${column} < ?
      ORDER BY ${column}, id LIMIT ? FOR UPDATE SKIP LOCKED`,
    [before, limit],
  );
  return rows.map(({ id }) => id);
}

async function purgeNotifications(tx: Tx, batch: Batch): Promise<PurgeProgress> {
  const ids = await lockOldest(tx, "notifications", batch);
  await deleteRows(tx, "notification_reads", "notification_id", ids);
  await deleteRows(tx, "notifications", "id", ids);
  return progressOf(ids.length, batch);
}

async function purgeDeliveries(tx: Tx, batch: Batch): Promise<PurgeProgress> {
  // An open or held delivery has no `finished_at`, so the index does not lead to it.
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM deliveries FORCE INDEX (deliveries_finished)
      WHERE finished_at < ? AND state IN (${placeholders(finishedDeliveryStates)})
      ORDER BY finished_at, id LIMIT ? FOR UPDATE SKIP LOCKED`,
    [batch.before, ...finishedDeliveryStates, batch.limit],
  );
  const ids = rows.map(({ id }) => id);
  await deleteRows(tx, "delivery_attempts", "delivery_id", ids);
  await deleteRows(tx, "deliveries", "id", ids);
  return progressOf(ids.length, batch);
}

/** Keeps its place in the index, because it skips attempts of unfinished deliveries. */
async function purgeAttempts(tx: Tx, batch: Batch): Promise<PurgeProgress> {
  const [at = "0", id = "0"] = batch.after?.split(":") ?? [];
  const from = new Date(Number(at));
  const rows = await tx.manager.query<{ id: number; delivery_id: number; started_at: Date }[]>(
    `SELECT id, delivery_id, started_at FROM delivery_attempts FORCE INDEX (delivery_attempts_started)
      WHERE started_at < ? AND started_at >= ? AND (started_at > ? OR id > ?)
      ORDER BY started_at, id LIMIT ?`,
    [batch.before, from, from, id, batch.limit],
  );
  const last = rows.at(-1);
  if (last === undefined) return { deleted: 0, after: null };
  const kept = await listUnfinished(tx, [...new Set(rows.map((row) => row.delivery_id))]);
  const ids = rows.filter((row) => !kept.has(row.delivery_id)).map((row) => row.id);
  await deleteRows(tx, "delivery_attempts", "id", ids);
  const place = `${last.started_at.getTime()}:${last.id}`;
  return { deleted: ids.length, after: rows.length < batch.limit ? null : place };
}

async function listUnfinished(tx: Tx, deliveryIds: number[]): Promise<Set<number>> {
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM deliveries WHERE id IN (${placeholders(deliveryIds)})
        AND state NOT IN (${placeholders(finishedDeliveryStates)})`,
    [...deliveryIds, ...finishedDeliveryStates],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Events need no index by age: their ids are in order of time. */
async function purgeEvents(tx: Tx, { before, after, limit }: Batch): Promise<PurgeProgress> {
  const rows = await tx.manager.query<{ id: Buffer; occurred_at: Date }[]>(
    `SELECT id, occurred_at FROM events FORCE INDEX (PRIMARY)
      WHERE id > ? AND id < ? ORDER BY id LIMIT ?`,
    [Buffer.from(after ?? "", "hex"), firstIdAt(before), limit],
  );
  const last = rows.at(-1);
  if (last === undefined) return { deleted: 0, after: null };
  const old = rows.filter((row) => row.occurred_at < before).map(({ id }) => id);
  const wanted = old.length === 0 ? new Set() : await listDelivered(tx, old);
  const ids = old.filter((id) => !wanted.has(id.toString("hex")));
  await deleteRows(tx, "events", "id", ids);
  return { deleted: ids.length, after: rows.length < limit ? null : last.id.toString("hex") };
}

/** The least id that a UUIDv7 of this moment can have. */
function firstIdAt(moment: Date): Buffer {
  const id = Buffer.alloc(16);
  id.writeUIntBE(moment.getTime(), 0, 6);
  return id;
}

/** Ids in hex of those events that still have a delivery. */
async function listDelivered(tx: Tx, eventIds: Buffer[]): Promise<Set<string>> {
  const rows = await tx.manager.query<{ event_id: Buffer }[]>(
    `SELECT DISTINCT event_id FROM deliveries FORCE INDEX (deliveries_event_subscription)
      WHERE event_id IN (${placeholders(eventIds)})`,
    eventIds,
  );
  return new Set(rows.map(({ event_id }) => event_id.toString("hex")));
}

async function deleteRows(
  tx: Tx,
  table: string,
  column: string,
  ids: (number | string | Buffer)[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.manager.query(`DELETE FROM ${table} WHERE ${column} IN (${placeholders(ids)})`, ids);
}

/** Deleted rows are gone, so the next batch begins at the same place. */
function progressOf(deleted: number, { limit }: Batch): PurgeProgress {
  return { deleted, after: deleted < limit ? null : "" };
}
