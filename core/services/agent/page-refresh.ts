import { KnowledgeSource } from "../../../db/entities/knowledge.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { SourceContent } from "../../agent/sources/pairs.ts";
import { dayMs } from "../../model/durations.ts";
import type {
  RefreshPageInput,
  RefreshPageOutcome,
} from "../../model/workflow/knowledge-refresh.ts";
import { actAs } from "../act-as.ts";
import { recordChange } from "../outbox/changes.ts";
import { isOpenRun } from "../outbox/outbox.ts";
import { findOwned, lockOwnedIfThere } from "../sql.ts";
import { requestRead } from "./knowledge-sources.ts";
import { hashOf, suggestChanges } from "./source-suggestions.ts";

/** Time between two reads of a page. */
const refreshMs = dayMs;

/** The address of a page that this run is to read; null where there is nothing to read. */
export async function beginPage(tx: Tx, input: RefreshPageInput): Promise<string | null> {
  return (await findRun(tx, input))?.location ?? null;
}

/**
 * Stores a read of a page: suggestions, or the reason why there are none. An unchanged page
 * suggests nothing. The row is locked, so one of two reads at once stores its suggestions.
 */
export async function completePage(
  tx: Tx,
  input: RefreshPageInput,
  content: SourceContent,
): Promise<RefreshPageOutcome> {
  const row = await lockRun(tx, input);
  if (row === null) return { state: "over" };
  const read = {
    requestedAt: null,
    dueAt: new Date(tx.now.getTime() + refreshMs),
    updatedAt: tx.now,
  };
  await recordChange(tx, { kind: "knowledge.updated" });
  if (typeof content === "string") return await fail(tx, row, { ...read, failure: content });
  const contentHash = hashOf(JSON.stringify(content));
  const isChanged = contentHash !== row.contentHash;
  const compared = isChanged ? await suggestChanges(tx, row, content) : { suggested: 0 };
  if ("failure" in compared) return await fail(tx, row, { ...read, failure: compared.failure });
  await tx.manager.update(KnowledgeSource, row.id, {
    ...read,
    failure: null,
    contentHash,
    questions: content.length,
    fetchedAt: tx.now,
    version: row.version + 1,
  });
  return { state: "ready", suggested: compared.suggested };
}

/**
 * Requests a run for pages that are due, of all accounts, those due longest first.
 * @returns the number of pages, `limit` at most.
 */
export async function requestDuePages(tx: Tx, limit: number): Promise<number> {
  const due = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM knowledge_sources FORCE INDEX (knowledge_sources_due)
      WHERE due_at <= ? ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED`,
    [tx.now, limit],
  );
  for (const { id } of due) {
    const row = await tx.manager.findOneByOrFail(KnowledgeSource, { id });
    await requestRead(actAs(tx, "system", row.accountId), row);
  }
  return due.length;
}

/** The source while this run is to read it. */
async function findRun(
  tx: Tx,
  { sourceId, run }: RefreshPageInput,
): Promise<KnowledgeSource | null> {
  const row = await findOwned(tx, KnowledgeSource, { id: sourceId });
  return row !== null && isOpenRun(row, run) ? row : null;
}

/** Like `findRun`, and locks the source. */
async function lockRun(
  tx: Tx,
  { sourceId, run }: RefreshPageInput,
): Promise<KnowledgeSource | null> {
  const row = await lockOwnedIfThere(tx, KnowledgeSource, { id: sourceId });
  return row !== null && isOpenRun(row, run) ? row : null;
}

/** The items stay as they are: a page that is away for a day loses nothing. */
async function fail(
  tx: Tx,
  { id, version }: KnowledgeSource,
  columns: Pick<KnowledgeSource, "requestedAt" | "dueAt" | "updatedAt"> & {
    failure: Exclude<SourceContent, readonly unknown[]>;
  },
): Promise<RefreshPageOutcome> {
  await tx.manager.update(KnowledgeSource, id, { ...columns, version: version + 1 });
  return { state: "failed", code: columns.failure };
}
