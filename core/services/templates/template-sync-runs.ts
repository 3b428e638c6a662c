import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { ChannelTemplate, ChannelTemplateSync } from "../../../db/entities/channel-template.ts";
import type { Tx } from "../../../db/transaction.ts";
import { defineTemplate } from "../../channels/meta/template-definition.ts";
import type { ListedTemplate, TemplateNews } from "../../channels/meta/template-list.ts";
import { dayMs } from "../../model/durations.ts";
import { renderPieces } from "../../model/template-text.ts";
import type {
  SyncTemplatesInput,
  SyncTemplatesOutcome,
  TemplateSyncFailure,
} from "../../model/workflow/template-sync.ts";
import { actAs } from "../act-as.ts";
import { isOpenRun } from "../outbox/outbox.ts";
import { findOwned, lockOwnedIfThere, placeholders } from "../sql.ts";
import { requestRun, requestWabaSync } from "./template-syncs.ts";

/** Time between two reads of a list by itself. */
const refreshMs = dayMs;
/** MySQL holds 65,535 bytes of text, and a character has four at most. */
const maxWords = 16_000;

/** A read that has begun. */
export interface TemplateRead {
  wabaId: string;
  /** Numbers of the list that can be asked, the best one first. */
  channelAccountIds: number[];
  /** ISO 8601 in UTC. Templates that this read does not see are gone. */
  startedAt: string;
}

/** Begins a read; null where this run has nothing to read. */
export async function beginTemplateSync(
  tx: Tx,
  input: SyncTemplatesInput,
): Promise<TemplateRead | null> {
  const row = await findRun(tx, input);
  if (row === null) return null;
  const { accountId, wabaId } = row;
  const where = { accountId, driver: "whatsapp_cloud" as const, parentId: wabaId };
  const channels = await tx.manager.find(ChannelAccount, { where, order: { id: "ASC" } });
  const able = channels.filter(({ state }) => state !== "disconnected");
  const ranked = able.toSorted((one, other) => rankOf(one) - rankOf(other));
  if (ranked.length === 0) {
    // Nobody can read the list. A new connection requests the next read.
    await tx.manager.update(ChannelTemplateSync, row.id, { requestedAt: null, dueAt: null });
    return null;
  }
  const startedAt = tx.now.toISOString();
  return { wabaId, channelAccountIds: ranked.map(({ id }) => id), startedAt };
}

function rankOf({ state }: ChannelAccount): number {
  return state === "connected" ? 0 : 1;
}

/** Stores a page of the list. @returns false if the read is over, because another one began. */
export async function storeTemplates(
  tx: Tx,
  input: SyncTemplatesInput,
  { wabaId, startedAt }: TemplateRead,
  templates: readonly ListedTemplate[],
): Promise<boolean> {
  if ((await findRun(tx, input)) === null) return false;
  if (templates.length === 0) return true;
  const { accountId } = tx.actor;
  const rows = templates.map((one) => [
    accountId,
    wabaId,
    one.name,
    one.language,
    one.providerId,
    one.category,
    one.status,
    one.quality,
    one.format,
    JSON.stringify(one.components),
    wordsOf(one),
    one.rejectedReason,
    new Date(startedAt),
    tx.now,
    tx.now,
  ]);
  await tx.manager.query(
    `INSERT INTO channel_templates (account_id, waba_id, name, language, provider_id, category,
         status, quality, format, components, words, rejected_reason, synced_at, created_at,
         updated_at)
     VALUES ${rows.map((row) => `(${placeholders(row)})`).join(", ")}
     ON DUPLICATE KEY UPDATE provider_id = VALUES(provider_id), category = VALUES(category),
       status = VALUES(status), quality = VALUES(quality), format = VALUES(format),
       components = VALUES(components), words = VALUES(words),
       rejected_reason = VALUES(rejected_reason), synced_at = VALUES(synced_at), gone_at = NULL,
       updated_at = VALUES(updated_at)`,
    rows.flat(),
  );
  return true;
}

/** Name and texts, for the search. */
function wordsOf({ name, components, format }: ListedTemplate): string {
  const { header, body, footer, buttons } = renderPieces(defineTemplate(components, format), {});
  const texts = [name, header, body, footer, ...buttons.map(({ text }) => text)];
  return texts
    .filter((text) => text !== null && text !== "")
    .join("\n")
    .slice(0, maxWords);
}

/** The read got the whole list: templates that it did not see are marked as gone. */
export async function completeTemplateSync(
  tx: Tx,
  input: SyncTemplatesInput,
  { wabaId, startedAt }: TemplateRead,
): Promise<SyncTemplatesOutcome> {
  const row = await lockRun(tx, input);
  if (row === null) return { state: "over" };
  const { accountId } = tx.actor;
  const began = new Date(startedAt);
  await tx.manager.query(
    `UPDATE channel_templates SET gone_at = ?, updated_at = ?
      WHERE account_id = ? AND waba_id = ? AND gone_at IS NULL AND synced_at < ?`,
    [tx.now, tx.now, accountId, wabaId, began],
  );
  const templates = await tx.manager.countBy(ChannelTemplate, { accountId, wabaId });
  await end(tx, row, { syncedAt: began, failedAt: null, failure: null });
  if (row.wantedAt !== null && row.wantedAt > began) await requestWabaSync(tx, wabaId);
  return { state: "read", templates };
}

/**
 * The read failed. The templates stay as they are.
 * @param hasNextTry the run tries once more, so the read goes on.
 */
export async function failTemplateSync(
  tx: Tx,
  input: SyncTemplatesInput,
  code: TemplateSyncFailure,
  { hasNextTry }: { hasNextTry: boolean },
): Promise<SyncTemplatesOutcome> {
  const row = await lockRun(tx, input);
  if (row === null) return { state: "over" };
  const failed = { failedAt: tx.now, failure: code };
  if (hasNextTry) await tx.manager.update(ChannelTemplateSync, row.id, failed);
  else await end(tx, row, failed);
  return { state: "failed", code, again: hasNextTry };
}

async function end(
  tx: Tx,
  row: ChannelTemplateSync,
  columns: Partial<ChannelTemplateSync>,
): Promise<void> {
  const dueAt = new Date(tx.now.getTime() + refreshMs);
  const ended = { ...columns, requestedAt: null, dueAt };
  Object.assign(row, ended);
  await tx.manager.update(ChannelTemplateSync, row.id, ended);
}

/** The list while this run is to read it. */
async function findRun(
  tx: Tx,
  { syncId, run }: SyncTemplatesInput,
): Promise<ChannelTemplateSync | null> {
  const row = await findOwned(tx, ChannelTemplateSync, { id: syncId });
  return row !== null && isOpenRun(row, run) ? row : null;
}

/** Like `findRun`, and locks the list. */
async function lockRun(
  tx: Tx,
  { syncId, run }: SyncTemplatesInput,
): Promise<ChannelTemplateSync | null> {
  const row = await lockOwnedIfThere(tx, ChannelTemplateSync, { id: syncId });
  return row !== null && isOpenRun(row, run) ? row : null;
}

/**
 * Requests reads of lists that are due, of all accounts, those due longest first. Numbers that were
 * connected without a list get one.
 * @returns the number of lists, `limit` at most.
 */
export async function requestDueSyncs(tx: Tx, limit: number): Promise<number> {
  await tx.manager.query(
    `INSERT INTO channel_template_syncs (account_id, waba_id, due_at, created_at)
     SELECT DISTINCT c.account_id, c.parent_id, ?, ? FROM channel_accounts c
      WHERE c.driver = 'whatsapp_cloud' AND c.parent_id IS NOT NULL AND c.state <> 'disconnected'
        AND NOT EXISTS (SELECT 1 FROM channel_template_syncs s
              WHERE s.account_id = c.account_id AND s.waba_id = c.parent_id)
     ON DUPLICATE KEY UPDATE id = channel_template_syncs.id`,
    [tx.now, tx.now],
  );
  const due = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM channel_template_syncs FORCE INDEX (channel_template_syncs_due)
      WHERE due_at <= ? ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED`,
    [tx.now, limit],
  );
  for (const { id } of due) {
    const row = await tx.manager.findOneByOrFail(ChannelTemplateSync, { id });
    await requestRun(actAs(tx, "system", row.accountId), row, 0);
  }
  return due.length;
}

/** Applies a webhook about a template at once, and requests a read, which knows its texts too. */
export async function applyTemplateNews(
  tx: Tx,
  wabaId: string,
  { name, language, status, quality, rejectedReason }: TemplateNews,
): Promise<void> {
  const { accountId } = tx.actor;
  const columns = {
    ...(status !== null && { status, rejectedReason }),
    ...(quality !== null && { quality }),
    updatedAt: tx.now,
  };
  await tx.manager.update(ChannelTemplate, { accountId, wabaId, name, language }, columns);
  await requestWabaSync(tx, wabaId);
}
