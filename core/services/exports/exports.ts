import { In, IsNull, MoreThan, Not } from "typeorm";
import { Export } from "../../../db/entities/export.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField, notFound } from "../../errors.ts";
import type { ErasedPerson } from "../../model/erasure.ts";
import {
  exportLinkMs,
  maxOpenExports,
  type ExportBody,
  type ExportError,
} from "../../model/export.ts";
import type { ExportView } from "../../model/views/export.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { dayMs } from "../../model/durations.ts";
import { requireUserId } from "../accounts/actor.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { namesPerson } from "../contacts/contact-filters.ts";
import { getContactRow } from "../contacts/contact-records.ts";
import { recordChange } from "../outbox/changes.ts";
import { request } from "../outbox/outbox.ts";
import { findOwned, getOwned, insertRow, lockOwnedIfThere, placeholders } from "../sql.ts";

const audit = auditOf("export");
/** Retention of the entries, from the request on. */
const keptMs = 30 * dayMs;

/**
 * Asks for an export. A run writes the file.
 * @throws AppError `contact_not_found`; `validation_error` with `too_many_exports`.
 */
export async function createExport(tx: Tx, body: ExportBody): Promise<Export> {
  return await insertExport(tx, {
    kind: body.kind,
    filters: "filters" in body ? storedFilters(tx, body.filters) : null,
    contactId: body.kind === "contact" ? body.contact_id : null,
  });
}

/**
 * Asks again for an export of the person who acts, with the same filters.
 * @throws AppError `export_not_found`; `validation_error` with `export_filters_erased`; and those of
 * `createExport`
 */
export async function repeatExport(tx: Tx, id: number): Promise<Export> {
  const row = await getExport(tx, id);
  if (row.errorCode === "person_erased") {
    const message = "The filters named a person who was erased. Export the list itself.";
    throw invalidField("body", "export_filters_erased", message);
  }
  return await insertExport(tx, row);
}

/** The rows that an export holds. */
type ExportContent = Pick<Export, "kind" | "filters" | "contactId">;

async function insertExport(tx: Tx, { kind, filters, contactId }: ExportContent): Promise<Export> {
  const { accountId } = tx.actor;
  const open = { accountId, state: In(["queued", "running"] as const) };
  if ((await tx.manager.countBy(Export, open)) >= maxOpenExports) {
    const message = `At most ${maxOpenExports} exports run at once. Wait for one to end.`;
    throw invalidField("body", "too_many_exports", message);
  }
  if (contactId !== null) await getContactRow(tx, contactId);
  const row = tx.manager.create(Export, {
    accountId,
    kind,
    state: "queued",
    filters,
    contactId,
    rows: 0,
    storageKey: null,
    size: null,
    errorCode: null,
    createdByUserId: requireUserId(tx.actor),
    createdAt: tx.now,
    finishedAt: null,
    expiresAt: null,
  });
  row.id = await insertRow(tx, Export, row);
  await request(tx, exportCommand(row));
  // The filters may name a person, so the log holds their names alone.
  const names = Object.keys(filters ?? {});
  await recordAudit(tx, audit("created", row.id, { kind, filters: names }));
  await tellChange(tx);
  return row;
}

/** Live views read the list again. */
async function tellChange(tx: Tx): Promise<void> {
  await recordChange(tx, { kind: "export.updated" });
}

/** Moments become texts. `me` becomes the person who asks, whom the run does not know. */
function storedFilters(tx: Tx, filters: object): Record<string, unknown> {
  const stored = JSON.parse(JSON.stringify(filters)) as Record<string, unknown>;
  const { assigned_to: to, ...others } = stored;
  if (to === undefined) return others;
  const assignee = to === "me" ? requireUserId(tx.actor) : to === "nobody" ? null : to;
  return { ...others, assigned_to_user_id: assignee };
}

/** Command that starts the run of an export. */
export function exportCommand({
  id,
  accountId,
}: Pick<Export, "id" | "accountId">): WorkflowCommand {
  return {
    op: "start",
    workflow: "exportFile",
    workflowId: `export-${id}`,
    taskQueue: "ops",
    input: { accountId, exportId: id },
    summary: `write the file of export ${id}`,
  };
}

/**
 * An export of the person who acts. Nobody else sees it.
 * @throws AppError `export_not_found`
 */
export async function getExport(tx: Tx, id: number): Promise<Export> {
  const createdByUserId = requireUserId(tx.actor);
  return await getOwned(tx, Export, "export", { id, createdByUserId });
}

/**
 * The stored file of an export of the person who acts, while its link is valid.
 * @throws AppError `export_not_found`
 */
export async function getExportFile(tx: Tx, id: number): Promise<{ key: string; name: string }> {
  const row = await getExport(tx, id);
  if (presentExport(row, tx.now).state !== "done" || row.storageKey === null) {
    throw notFound("export");
  }
  return { key: row.storageKey, name: fileNameOf(row) };
}

/** Marks an export as running. @returns null for one that has ended. */
export async function beginExport(tx: Tx, id: number): Promise<Export | null> {
  const row = await lockOwnedIfThere(tx, Export, { id });
  if (row === null || row.state === "done" || row.state === "failed") return null;
  await tx.manager.update(Export, id, { state: "running" });
  await tellChange(tx);
  return row;
}

/** Records the progress of an export. */
export async function noteExportRows(tx: Tx, id: number, rows: number): Promise<void> {
  const { affected } = await tx.manager.update(Export, { id, state: "running" }, { rows });
  if (affected === 1) await tellChange(tx);
}

/**
 * Ends an export whose file the storage has. The link begins. A run that another one has overtaken
 * ends it anew, because the storage has the file of the last one.
 * @returns false where the export has ended otherwise meanwhile: its file has to go.
 */
export async function completeExport(
  tx: Tx,
  id: number,
  file: { key: string; size: number; rows: number },
): Promise<boolean> {
  const { key: storageKey, size, rows } = file;
  const expiresAt = new Date(tx.now.getTime() + exportLinkMs);
  const own = { id, accountId: tx.actor.accountId };
  const { affected } = await tx.manager.update(
    Export,
    // An erasure ends the link of an export that is done.
    [
      { ...own, state: "running" },
      { ...own, state: "done", expiresAt: MoreThan(tx.now) },
    ],
    { state: "done", storageKey, size, rows, finishedAt: tx.now, expiresAt },
  );
  if (affected !== 1) return false;
  await tellChange(tx);
  return true;
}

/** Ends an export without a file. @returns true where it is done: it keeps its file. */
export async function failExport(tx: Tx, id: number, errorCode: ExportError): Promise<boolean> {
  const { affected } = await tx.manager.update(
    Export,
    { id, accountId: tx.actor.accountId, state: In(["queued", "running"]) },
    { state: "failed", errorCode, finishedAt: tx.now },
  );
  if (affected === 1) await tellChange(tx);
  return (await findOwned(tx, Export, { id }))?.state === "done";
}

/** Files of all accounts whose links have ended. */
export async function listExpiredExports(
  tx: Tx,
  limit: number,
): Promise<{ id: number; accountId: number; key: string }[]> {
  const rows = await tx.manager.query<{ id: number; accountId: number; key: string }[]>(
    `SELECT id, account_id AS accountId, storage_key AS \`key\`
       FROM exports FORCE INDEX (exports_expires)
      WHERE expires_at < ? AND storage_key IS NOT NULL ORDER BY expires_at, id LIMIT ?`,
    [tx.now, limit],
  );
  return rows.map((row) => ({ ...row, id: Number(row.id), accountId: Number(row.accountId) }));
}

/** Forgets the keys of deleted files. */
export async function forgetExportFiles(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.manager.update(Export, { id: In([...ids]) }, { storageKey: null });
}

/** Deletes exports of all accounts that were asked for 30 days ago. Their files are gone long since. */
export async function deleteOldExports(tx: Tx, limit: number): Promise<void> {
  await tx.manager.query(
    "DELETE FROM exports WHERE created_at < ? AND storage_key IS NULL ORDER BY created_at, id LIMIT ?",
    [new Date(tx.now.getTime() - keptMs), limit],
  );
}

/**
 * Ends the links of an account's exports, which may hold an erased person. An export that is still
 * being written fails. The next purge of files deletes the files.
 * @param contactIds ends exports of these contacts alone
 */
export async function expireExports(tx: Tx, contactIds?: readonly number[]): Promise<void> {
  const { accountId } = tx.actor;
  const own = contactIds === undefined ? {} : { contactId: In([...contactIds]) };
  const open = { expiresAt: MoreThan(tx.now) };
  const ended = await tx.manager.update(
    Export,
    { accountId, ...own, state: "done", ...open },
    { expiresAt: tx.now },
  );
  const stopped = await tx.manager.update(
    Export,
    { accountId, ...own, state: In(["queued", "running"]) },
    { state: "failed", errorCode: "export_failed", finishedAt: tx.now },
  );
  if ((ended.affected ?? 0) + (stopped.affected ?? 0) > 0) await tellChange(tx);
}

/**
 * Deletes the filters of the account's exports that name an erased person, and ends those exports.
 * Without its filters an export would hold other rows, so it is neither written nor repeated. Call
 * it after `expireExports`.
 */
export async function forgetExportFilters(tx: Tx, person: ErasedPerson): Promise<void> {
  const isNamed = namesPerson(person);
  const rows = await tx.manager.findBy(Export, {
    accountId: tx.actor.accountId,
    filters: Not(IsNull()),
  });
  const named = rows.filter(({ filters }) =>
    typedFilters.some((name) => {
      const value = filters?.[name];
      return typeof value === "string" && isNamed(value);
    }),
  );
  if (named.length === 0) return;
  const ids = named.map(({ id }) => id);
  // An export may have been asked for since `expireExports`. MySQL sets columns from left to right.
  await tx.manager.query(
    `UPDATE exports
        SET filters = '{}', error_code = 'person_erased', expires_at = LEAST(expires_at, ?),
            finished_at = IF(state IN ('queued', 'running'), ?, finished_at),
            state = IF(state IN ('queued', 'running'), 'failed', state)
      WHERE id IN (${placeholders(ids)})`,
    [tx.now, tx.now, ...ids],
  );
  await tellChange(tx);
}

/** Filters that hold text of people. */
const typedFilters = ["search", "tag"];

/** An export as the Dashboard shows it. */
export function presentExport(row: Export, now: Date): ExportView {
  const isExpired = row.state === "done" && row.expiresAt !== null && row.expiresAt <= now;
  return {
    id: row.id,
    kind: row.kind,
    state: isExpired ? "expired" : row.state,
    rows: row.rows,
    name: fileNameOf(row),
    size: row.size,
    expires_at: row.expiresAt?.toISOString() ?? null,
    error: row.errorCode,
    created_at: row.createdAt.toISOString(),
  };
}

/** Name of the file: its kind and the day on which it was asked for. */
function fileNameOf({ kind, contactId, createdAt }: Export): string {
  const day = createdAt.toISOString().slice(0, 10);
  return kind === "contact" ? `contact-${contactId}-${day}.zip` : `${kind}-${day}.csv`;
}
