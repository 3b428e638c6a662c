import { In } from "typeorm";
import { KnowledgeItem } from "../../../db/entities/knowledge.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { KnowledgeHit } from "../../agent/context.ts";
import { buildIndex, offerScore, type Search } from "../../agent/search.ts";
import type { Locale } from "../../model/user.ts";

/** Accounts whose items a process keeps. */
const maxAccounts = 50;
const maxHits = 5;

interface AccountIndex {
  /** Changes with every change of an item. */
  key: string;
  search: Search;
  rows: ReadonlyMap<number, KnowledgeItem>;
}

/** Least recently used first. */
const indexes = new Map<number, AccountIndex>();

/** Approved items that fit the text, best first. Expired items and other languages are left out. */
export async function searchKnowledge(
  tx: Tx,
  text: string,
  language: Locale,
): Promise<KnowledgeHit[]> {
  const { search, rows } = await getIndex(tx);
  return search(text, language)
    .flatMap(({ id, score }) => {
      const row = rows.get(id);
      const isFitting = row !== undefined && row.language === language && !isExpired(row, tx.now);
      return score >= offerScore && isFitting ? [presentHit(row, score)] : [];
    })
    .slice(0, maxHits);
}

function presentHit(
  { id, question, answer, language }: KnowledgeItem,
  score: number,
): KnowledgeHit {
  return { id, question, answer, language, score };
}

/** Approved items by their ids, with a full score. */
export async function readItems(tx: Tx, ids: readonly number[]): Promise<KnowledgeHit[]> {
  if (ids.length === 0) return [];
  const rows = await tx.manager.findBy(KnowledgeItem, {
    accountId: tx.actor.accountId,
    id: In([...ids]),
    state: "approved",
  });
  return rows.map((row) => presentHit(row, 1));
}

/** The index of the account, built again where an item has changed. */
async function getIndex(tx: Tx): Promise<AccountIndex> {
  const { accountId } = tx.actor;
  // No two states of the items have the same three numbers: a change raises a version, and a new
  // item has a new highest id.
  const [state] = await tx.manager.query<{ state: string }[]>(
    `SELECT CONCAT(COUNT(*), ':', COALESCE(SUM(version), 0), ':', COALESCE(MAX(id), 0)) AS state
       FROM knowledge_items FORCE INDEX (knowledge_items_version) WHERE account_id = ?`,
    [accountId],
  );
  const key = state?.state ?? "";
  const known = indexes.get(accountId);
  indexes.delete(accountId);
  const index = known?.key === key ? known : { key, ...(await loadIndex(tx)) };
  indexes.set(accountId, index);
  for (const oldest of [...indexes.keys()].slice(0, Math.max(0, indexes.size - maxAccounts))) {
    indexes.delete(oldest);
  }
  return index;
}

async function loadIndex(tx: Tx): Promise<Omit<AccountIndex, "key">> {
  const rows = await tx.manager.find(KnowledgeItem, {
    where: { accountId: tx.actor.accountId, state: "approved" },
    order: { id: "ASC" },
  });
  return { search: buildIndex(rows), rows: new Map(rows.map((row) => [row.id, row])) };
}

function isExpired({ validUntil }: KnowledgeItem, now: Date): boolean {
  return validUntil !== null && validUntil <= now;
}
