import { createHash } from "node:crypto";
import { KnowledgeItem, type KnowledgeSource } from "../../../db/entities/knowledge.ts";
import type { Tx } from "../../../db/transaction.ts";
import { keyOf, type Pair } from "../../agent/sources/pairs.ts";
import { maxKnowledgeItems } from "../../model/knowledge.ts";
import type { SourceFailure } from "../../model/workflow/knowledge-refresh.ts";
import { placeholders } from "../sql.ts";

/** Most questions of a page or file. */
const maxQuestions = 500;

/** Outcome of a comparison: the number of new suggestions, or the reason why nothing changed. */
export type Comparison = { suggested: number } | { failure: SourceFailure };

/** Hash of a whole text, or of a question with its answer. */
export function hashOf(...texts: string[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex");
}

interface Found extends Pair {
  key: string;
  hash: string;
}

/**
 * Compares the questions of a source with its items, and suggests what is new there. The caller
 * holds the lock of the source.
 *
 * - A text that was suggested before is not suggested again, whatever a person decided.
 * - A new answer to an approved question becomes a suggestion that replaces the approved item.
 * - A suggestion follows its source until a person edits it: it changes, or goes with its question.
 */
export async function suggestChanges(
  tx: Tx,
  source: KnowledgeSource,
  pairs: readonly Pair[],
): Promise<Comparison> {
  if (pairs.length === 0) return { failure: "nothing_found" };
  if (pairs.length > maxQuestions) return { failure: "too_many_questions" };
  const { accountId } = source;
  const items = await tx.manager.find(KnowledgeItem, {
    where: { accountId, sourceId: source.id },
    order: { id: "ASC" },
    // A person may be deciding on one. Their text must not change under them.
    lock: { mode: "pessimistic_write" },
  });
  const newest = new Map(items.map((item) => [item.sourceKey, item]));
  const approved = new Map(
    items.filter(({ state }) => state === "approved").map((item) => [item.sourceKey, item]),
  );
  const fresh: { found: Found; replaced: KnowledgeItem | undefined }[] = [];
  const changed: { item: KnowledgeItem; found: Found }[] = [];
  const keys = new Set<string>();
  for (const pair of pairs) {
    const found = {
      ...pair,
      key: hashOf(keyOf(pair.question)),
      hash: hashOf(pair.question, pair.answer),
    };
    keys.add(found.key);
    const last = newest.get(found.key);
    const replaced = approved.get(found.key);
    // The source says again what is approved, so a suggestion of the text between goes.
    if (replaced?.answer === pair.answer) keys.delete(found.key);
    if (last?.sourceHash === found.hash || replaced?.answer === pair.answer) continue;
    if (last !== undefined && isUntouched(last)) changed.push({ item: last, found });
    else fresh.push({ found, replaced });
  }
  const gone = items.filter((item) => isUntouched(item) && !keys.has(item.sourceKey ?? ""));
  const total = await tx.manager.countBy(KnowledgeItem, { accountId });
  if (total - gone.length + fresh.length > maxKnowledgeItems) return { failure: "too_many_items" };
  await deleteItems(tx, accountId, gone);
  for (const { item, found } of changed) await follow(tx, item, found);
  await insertSuggestions(tx, source, fresh);
  return { suggested: fresh.length + changed.length };
}

/** A suggestion that says what its source said. */
function isUntouched({ state, question, answer, sourceHash }: KnowledgeItem): boolean {
  return state === "suggested" && hashOf(question, answer) === sourceHash;
}

async function follow(
  tx: Tx,
  { id, version }: KnowledgeItem,
  { question, answer, hash }: Found,
): Promise<void> {
  const columns = { question, answer, sourceHash: hash, updatedAt: tx.now, version: version + 1 };
  await tx.manager.update(KnowledgeItem, id, columns);
}

async function deleteItems(
  tx: Tx,
  accountId: number,
  items: readonly KnowledgeItem[],
): Promise<void> {
  if (items.length === 0) return;
  const ids = items.map(({ id }) => id);
  await tx.manager.query(
    `DELETE FROM knowledge_items WHERE account_id = ? AND id IN (${placeholders(ids)})`,
    [accountId, ...ids],
  );
}

async function insertSuggestions(
  tx: Tx,
  { accountId, id: sourceId, language }: KnowledgeSource,
  fresh: readonly { found: Found; replaced: KnowledgeItem | undefined }[],
): Promise<void> {
  if (fresh.length === 0) return;
  const rows = fresh.map(({ found, replaced }) => [
    accountId,
    found.question,
    JSON.stringify(replaced?.phrasings ?? []),
    found.answer,
    replaced?.language ?? language,
    replaced?.validUntil ?? null,
    sourceId,
    found.key,
    found.hash,
    replaced?.id ?? null,
    tx.now,
    tx.now,
  ]);
  await tx.manager.query(
    `INSERT INTO knowledge_items (account_id, question, phrasings, answer, language, state,
       valid_until, source_id, source_key, source_hash, replaces_item_id, created_at, updated_at)
     VALUES ${rows.map(() => "(?, ?, ?, ?, ?, 'suggested', ?, ?, ?, ?, ?, ?, ?)").join(", ")}`,
    rows.flat(),
  );
}
