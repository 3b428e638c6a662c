import { KnowledgeItem, KnowledgeSource } from "../../../db/entities/knowledge.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { Pair } from "../../agent/sources/pairs.ts";
import { invalidField } from "../../errors.ts";
import type { KnowledgePageBody, KnowledgeSourceKind } from "../../model/knowledge.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import type { Locale } from "../../model/user.ts";
import type { KnowledgeSourceView } from "../../model/views/knowledge.ts";
import type { RefreshPageInput } from "../../model/workflow/knowledge-refresh.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { actingUserId } from "../accounts/actor.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { request } from "../outbox/outbox.ts";
import {
  findPage,
  insertOrLose,
  insertRow,
  lockOwned,
  lockOwnedIfThere,
  placeholders,
} from "../sql.ts";
import { hashOf, suggestChanges } from "./source-suggestions.ts";

const audit = auditOf("knowledge_source");
const noun = "knowledge_source";

/** Most pages and files of an account. */
const maxSources = 100;

/** Pages and files of the account, newest first, with the number of their open suggestions. */
export async function listKnowledgeSources(
  tx: Tx,
  bounds: PageBounds,
): Promise<Page<KnowledgeSourceView>> {
  const { accountId } = tx.actor;
  const page = await findPage(tx, KnowledgeSource, bounds, {
    where: { accountId },
    order: { id: "DESC" },
  });
  const counts = await countSuggestions(
    tx,
    page.rows.map(({ id }) => id),
  );
  return { ...page, rows: page.rows.map((row) => presentSource(row, counts.get(row.id) ?? 0)) };
}

/**
 * Adds a page and requests its first read.
 * @throws AppError `validation_error` with `already_added` or `too_many_sources`.
 */
export async function addKnowledgePage(
  tx: Tx,
  { url, language }: KnowledgePageBody,
): Promise<KnowledgeSourceView> {
  const location = new URL(url);
  location.hash = "";
  const found = await lockSource(tx, "page", location.href);
  if (found !== null) {
    throw invalidField("body.url", "already_added", "This page was added before. Refresh it.");
  }
  const row = await insertSource(tx, { kind: "page", location: location.href, language });
  await requestRead(tx, row);
  await record(tx, "created", row);
  return presentSource(row, 0);
}

/**
 * Adds a file with its questions. A file of the same name takes the place of the earlier one.
 * @param pairs of the file, at least one
 * @throws AppError `validation_error` with the reason why the file gave no suggestions.
 */
export async function addKnowledgeFile(
  tx: Tx,
  { name, language }: { name: string; language: Locale },
  pairs: readonly Pair[],
): Promise<KnowledgeSourceView> {
  const known = await lockSource(tx, "file", name);
  const row = known ?? (await insertSource(tx, { kind: "file", location: name, language }));
  row.language = language;
  const compared = await suggestChanges(tx, row, pairs);
  if ("failure" in compared) {
    const message = "The file gave no suggestions. See the list of reasons in docs/agent.md.";
    throw invalidField("body.content", compared.failure, message);
  }
  const columns = {
    language,
    questions: pairs.length,
    contentHash: hashOf(JSON.stringify(pairs)),
    fetchedAt: tx.now,
    updatedAt: tx.now,
    version: row.version + 1,
  };
  await tx.manager.update(KnowledgeSource, row.id, columns);
  Object.assign(row, columns);
  await record(tx, known === null ? "created" : "updated", row);
  return presentSource(row, (await countSuggestions(tx, [row.id])).get(row.id) ?? 0);
}

/**
 * Requests a read of a page now. A read under way serves for this request too.
 * @throws AppError `knowledge_source_not_found`; `validation_error` with `not_a_page` for a file.
 */
export async function refreshKnowledgePage(tx: Tx, id: number): Promise<KnowledgeSourceView> {
  const row = await lockOwned(tx, KnowledgeSource, noun, { id });
  if (row.kind === "file") {
    throw invalidField("id", "not_a_page", "Only a page is refreshed. Upload the file again.");
  }
  if (row.requestedAt === null) {
    await requestRead(tx, row);
    await record(tx, "refreshed", row);
  }
  return presentSource(row, (await countSuggestions(tx, [id])).get(id) ?? 0);
}

/**
 * Deletes a page or file with its suggestions. Approved and archived items stay, without a source.
 * @throws AppError `knowledge_source_not_found`
 */
export async function deleteKnowledgeSource(tx: Tx, id: number): Promise<void> {
  const row = await lockOwned(tx, KnowledgeSource, noun, { id });
  const { accountId } = row;
  await tx.manager.delete(KnowledgeItem, { accountId, sourceId: id, state: "suggested" });
  await tx.manager.query(
    `UPDATE knowledge_items SET source_id = NULL, source_key = NULL, source_hash = NULL,
            version = version + 1
      WHERE account_id = ? AND source_id = ?`,
    [accountId, id],
  );
  await tx.manager.delete(KnowledgeSource, { id, accountId });
  await record(tx, "deleted", row);
}

/** Marks a locked page as being read, and requests the run. */
export async function requestRead(tx: Tx, row: KnowledgeSource): Promise<void> {
  const columns = { run: row.run + 1, requestedAt: tx.now, dueAt: null };
  await tx.manager.update(KnowledgeSource, row.id, columns);
  Object.assign(row, columns);
  await request(tx, pageCommand(row, row.run));
}

/** Command that starts the run which reads a page. */
export function pageCommand(
  { accountId, id }: Pick<KnowledgeSource, "accountId" | "id">,
  run: number,
): WorkflowCommand {
  return {
    op: "start",
    workflow: "refreshPage",
    workflowId: `knowledge-page-${id}-${run}`,
    taskQueue: "ops",
    input: { accountId, sourceId: id, run } satisfies RefreshPageInput,
    summary: `knowledge page ${id}`,
  };
}

/** The source at a place, locked. The hash, because a URL is longer than a key may be. */
async function lockSource(
  tx: Tx,
  kind: KnowledgeSourceKind,
  location: string,
): Promise<KnowledgeSource | null> {
  return await lockOwnedIfThere(tx, KnowledgeSource, { locationHash: hashOf(kind, location) });
}

async function insertSource(
  tx: Tx,
  given: { kind: KnowledgeSourceKind; location: string; language: Locale },
): Promise<KnowledgeSource> {
  const { accountId } = tx.actor;
  if ((await tx.manager.countBy(KnowledgeSource, { accountId })) >= maxSources) {
    const message = `An account has at most ${maxSources} pages and files. Delete one first.`;
    throw invalidField("body", "too_many_sources", message);
  }
  const row = tx.manager.create(KnowledgeSource, {
    ...given,
    accountId,
    locationHash: hashOf(given.kind, given.location),
    failure: null,
    contentHash: null,
    questions: 0,
    run: 0,
    requestedAt: null,
    fetchedAt: null,
    dueAt: null,
    createdByUserId: actingUserId(tx.actor),
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  // Two callers that add one place at once make one source: the second begins again and finds it.
  row.id = await insertOrLose(() => insertRow(tx, KnowledgeSource, row));
  return row;
}

async function countSuggestions(tx: Tx, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.manager.query<{ source_id: number; total: number }[]>(
    `SELECT source_id, COUNT(*) AS total FROM knowledge_items FORCE INDEX (knowledge_items_source)
      WHERE source_id IN (${placeholders(ids)}) AND state = 'suggested' GROUP BY source_id`,
    [...ids],
  );
  return new Map(rows.map((row) => [Number(row.source_id), Number(row.total)]));
}

function presentSource(row: KnowledgeSource, suggestions: number): KnowledgeSourceView {
  const settled = row.failure === null ? "ready" : "failed";
  return {
    id: row.id,
    kind: row.kind,
    location: row.location,
    language: row.language,
    state: row.requestedAt === null ? settled : "reading",
    failure: row.failure,
    questions: row.questions,
    suggestions,
    fetched_at: row.fetchedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

async function record(
  tx: Tx,
  action: "created" | "updated" | "refreshed" | "deleted",
  { id, kind }: KnowledgeSource,
): Promise<void> {
  await recordAudit(tx, audit(action, id, { kind }));
  await recordChange(tx, { kind: "knowledge.updated" });
}
