import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { ChannelTemplateSync } from "../../../db/entities/channel-template.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { minuteMs } from "../../model/durations.ts";
import type { SyncTemplatesInput } from "../../model/workflow/template-sync.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { request } from "../outbox/outbox.ts";
import { findOwned, getOwned, lockOwnedIfThere } from "../sql.ts";

/** Reads by themselves, and reads on demand, of one list: at most one a minute. */
const pauseMs = minuteMs;

/** Columns of a channel account that lead to its templates. */
export type TemplateChannel = Pick<ChannelAccount, "driver" | "parentId">;

/** The WhatsApp Business Account whose templates a channel sends; null where it has none. */
export function wabaOf({ driver, parentId }: TemplateChannel): string | null {
  return driver === "whatsapp_cloud" ? parentId : null;
}

/**
 * Requests a read of the templates of a channel account. A burst of requests costs one read a
 * minute, and the last of them is covered too. A channel without templates is left alone.
 */
export async function requestTemplateSync(tx: Tx, channelAccountId: number): Promise<void> {
  const channel = await findOwned(tx, ChannelAccount, { id: channelAccountId });
  const wabaId = channel === null ? null : wabaOf(channel);
  if (wabaId !== null) await requestWabaSync(tx, wabaId);
}

/** The same by the WhatsApp Business Account. */
export async function requestWabaSync(tx: Tx, wabaId: string): Promise<void> {
  const row = await lockSync(tx, wabaId);
  const since = tx.now.getTime() - (lastReadOf(row)?.getTime() ?? 0);
  await wantSync(tx, row, Math.max(0, pauseMs - since));
}

/**
 * Requests a read because a person asks for it.
 * @throws AppError `channel_account_not_found`, `template_unavailable` for a channel without
 * templates, `rate_limited` within a minute of the last such request.
 */
export async function askTemplateSync(
  tx: Tx,
  channelAccountId: number,
): Promise<ChannelTemplateSync> {
  const channel = await getOwned(tx, ChannelAccount, "channel_account", { id: channelAccountId });
  const wabaId = wabaOf(channel);
  if (wabaId === null) throw new AppError("template_unavailable", { message: noTemplates });
  const row = await lockSync(tx, wabaId);
  const sinceMs = tx.now.getTime() - (row.askedAt?.getTime() ?? 0);
  if (sinceMs < pauseMs) {
    const retryAfterSeconds = Math.ceil((pauseMs - sinceMs) / 1_000);
    const message = `The templates were asked for within the last minute. Ask again in ${retryAfterSeconds} s.`;
    throw new AppError("rate_limited", { message, retryAfterSeconds });
  }
  await store(tx, row, { askedAt: tx.now });
  await wantSync(tx, row, 0);
  return row;
}

/** Text for a channel that has no list of templates. */
export const noTemplates =
  "This channel has no templates. A WhatsApp number has them once it is connected with its WhatsApp Business Account.";

/** The state of the reads of a list; null before the first request. */
export async function findSync(tx: Tx, wabaId: string): Promise<ChannelTemplateSync | null> {
  return await findOwned(tx, ChannelTemplateSync, { wabaId });
}

/** The row of a list, locked, and inserted where it is missing. */
async function lockSync(tx: Tx, wabaId: string): Promise<ChannelTemplateSync> {
  const { accountId } = tx.actor;
  await tx.manager.query(
    `INSERT INTO channel_template_syncs (account_id, waba_id, created_at) VALUES (?, ?, ?)
     ON DUPLICATE KEY UPDATE id = id`,
    [accountId, wabaId, tx.now],
  );
  const row = await lockOwnedIfThere(tx, ChannelTemplateSync, { wabaId });
  if (row === null) throw new Error("The row of the list is missing.");
  return row;
}

/**
 * Notes that a fresh list is wanted. A read that has not begun covers the request. After a read
 * under way `completeTemplateSync` requests the next one.
 */
async function wantSync(tx: Tx, row: ChannelTemplateSync, waitMs: number): Promise<void> {
  await store(tx, row, { wantedAt: tx.now });
  if (row.requestedAt === null) await requestRun(tx, row, waitMs);
}

/** Requests the next run of a locked list. */
export async function requestRun(tx: Tx, row: ChannelTemplateSync, waitMs: number): Promise<void> {
  await store(tx, row, { run: row.run + 1, requestedAt: tx.now, dueAt: null });
  await request(tx, syncCommand(row, waitMs));
}

/** End of the newest read of a list, with or without success. */
export function lastReadOf({ syncedAt, failedAt }: ChannelTemplateSync): Date | null {
  if (syncedAt === null || failedAt === null) return syncedAt ?? failedAt;
  return syncedAt > failedAt ? syncedAt : failedAt;
}

/** Command that starts the run which reads a list. */
export function syncCommand(
  { accountId, id, run }: Pick<ChannelTemplateSync, "accountId" | "id" | "run">,
  waitMs: number,
): WorkflowCommand {
  return {
    op: "start",
    workflow: "syncTemplates",
    workflowId: `templates-${id}-${run}`,
    taskQueue: "ops",
    input: { accountId, syncId: id, run, waitMs } satisfies SyncTemplatesInput,
    summary: `templates of list ${id}`,
  };
}

async function store(
  tx: Tx,
  row: ChannelTemplateSync,
  columns: Partial<ChannelTemplateSync>,
): Promise<void> {
  Object.assign(row, columns);
  await tx.manager.update(ChannelTemplateSync, row.id, columns);
}
