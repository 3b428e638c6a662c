import { In, IsNull, Like, Not, type FindOptionsWhere } from "typeorm";
import { KnowledgeGap, KnowledgeItem } from "../../../db/entities/knowledge.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField } from "../../errors.ts";
import type { KnowledgeState } from "../../model/agent.ts";
import {
  maxKnowledgeItems,
  type KnowledgeBulkBody,
  type KnowledgeItemCreateBody,
  type KnowledgeItemPatchBody,
  type KnowledgeListQuery,
} from "../../model/knowledge.ts";
import type { Page } from "../../model/page.ts";
import type { KnowledgeItemView } from "../../model/views/knowledge.ts";
import { actingUserId, isAdmin } from "../accounts/actor.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { escapeLike, findPage, getOwned, insertRow, lockOwned, lockOwnedIfThere } from "../sql.ts";

const audit = auditOf("knowledge_item");
const noun = "knowledge_item";

/** The account's knowledge items, newest first. */
export async function listKnowledgeItems(
  tx: Tx,
  { state, language, q, ...page }: KnowledgeListQuery,
): Promise<Page<KnowledgeItem>> {
  const where: FindOptionsWhere<KnowledgeItem> = {
    accountId: tx.actor.accountId,
    ...(state === undefined ? {} : { state }),
    ...(language === undefined ? {} : { language }),
  };
  const part = Like(`%${escapeLike(q ?? "")}%`);
  return await findPage(tx, KnowledgeItem, page, {
    where:
      q === undefined ? where : ["question", "answer"].map((one) => ({ ...where, [one]: part })),
    order: { id: "DESC" },
  });
}

/** @throws AppError `knowledge_item_not_found` */
export async function getKnowledgeItem(tx: Tx, id: number): Promise<KnowledgeItem> {
  return await getOwned(tx, KnowledgeItem, noun, { id });
}

/**
 * Adds a knowledge item. An agent proposes; an admin may approve at once.
 * @throws AppError `forbidden_role`, `knowledge_gap_not_found`; `validation_error` with
 * `too_many_items`.
 */
export async function createKnowledgeItem(
  tx: Tx,
  { gap_id: gapId, ...body }: KnowledgeItemCreateBody,
): Promise<KnowledgeItem> {
  const { accountId } = tx.actor;
  requireRight(tx, body.state);
  if ((await tx.manager.countBy(KnowledgeItem, { accountId })) >= maxKnowledgeItems) {
    const message = `An account has at most ${maxKnowledgeItems} items. Delete one first.`;
    throw invalidField("body", "too_many_items", message);
  }
  const gap = gapId === undefined ? null : await lockOpenGap(tx, gapId);
  const row = tx.manager.create(KnowledgeItem, {
    accountId,
    question: body.question,
    phrasings: body.phrasings,
    answer: body.answer,
    language: body.language,
    state: body.state,
    validUntil: body.valid_until,
    createdByUserId: actingUserId(tx.actor),
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
    sourceId: null,
    sourceKey: null,
    sourceHash: null,
    replacesItemId: null,
  });
  row.id = await insertRow(tx, KnowledgeItem, row);
  if (gap !== null) {
    const { question, language } = gap;
    const same = { accountId, question, language, resolvedAt: IsNull() };
    await tx.manager.update(KnowledgeGap, same, { itemId: row.id });
  }
  await resolveGaps(tx, row);
  await record(tx, "created", row, {});
  return row;
}

/**
 * Changes the fields sent. An agent changes suggestions only, and approves none.
 * @throws AppError `knowledge_item_not_found`, `forbidden_role`.
 */
export async function updateKnowledgeItem(
  tx: Tx,
  id: number,
  patch: KnowledgeItemPatchBody,
): Promise<KnowledgeItem> {
  const row = await lockOwned(tx, KnowledgeItem, noun, { id });
  requireRight(tx, row.state);
  requireRight(tx, patch.state ?? row.state);
  const columns = {
    question: patch.question ?? row.question,
    phrasings: patch.phrasings ?? row.phrasings,
    answer: patch.answer ?? row.answer,
    language: patch.language ?? row.language,
    state: patch.state ?? row.state,
    validUntil: patch.valid_until === undefined ? row.validUntil : patch.valid_until,
    updatedAt: tx.now,
    version: row.version + 1,
  };
  const isApproval = row.state !== "approved" && columns.state === "approved";
  await tx.manager.update(KnowledgeItem, id, columns);
  Object.assign(row, columns);
  if (isApproval) {
    await archiveReplaced(tx, row);
    await replaceFromNowOn(tx, row);
  }
  await resolveGaps(tx, row);
  await record(tx, "updated", row, { fields: Object.keys(patch).toSorted() });
  return row;
}

/**
 * Approves or archives several items. Items that are gone are left out.
 * @throws AppError `forbidden_role`
 */
export async function decideKnowledgeItems(
  tx: Tx,
  { ids, state }: KnowledgeBulkBody,
): Promise<KnowledgeItem[]> {
  const rows: KnowledgeItem[] = [];
  // Ids in order, so that two decisions at once lock rows in one order.
  for (const id of [...new Set(ids)].toSorted((one, other) => one - other)) {
    const row = await lockOwnedIfThere(tx, KnowledgeItem, { id });
    if (row !== null) rows.push(await updateKnowledgeItem(tx, id, { state }));
  }
  return rows;
}

/**
 * Deletes an item. Open gaps that it would have answered stay open. An agent deletes suggestions
 * only.
 * @throws AppError `knowledge_item_not_found`, `forbidden_role`.
 */
export async function deleteKnowledgeItem(tx: Tx, id: number): Promise<void> {
  const row = await lockOwned(tx, KnowledgeItem, noun, { id });
  requireRight(tx, row.state);
  const { accountId } = row;
  await tx.manager.delete(KnowledgeItem, { id, accountId });
  const open = { accountId, itemId: id, resolvedAt: IsNull() };
  await tx.manager.update(KnowledgeGap, open, { itemId: null });
  await record(tx, "deleted", row, {});
}

/** An open gap, locked. @throws AppError `knowledge_gap_not_found` */
export async function lockOpenGap(tx: Tx, id: number): Promise<KnowledgeGap> {
  const open = { id, resolvedAt: IsNull() };
  return await lockOwned(tx, KnowledgeGap, "knowledge_gap", open);
}

/** Knowledge items in the Dashboard's API, each suggestion with the approved item it replaces. */
export async function presentKnowledgeItems(
  tx: Tx,
  rows: readonly KnowledgeItem[],
): Promise<KnowledgeItemView[]> {
  const ids = rows.flatMap((row) =>
    row.state === "suggested" && row.replacesItemId !== null ? [row.replacesItemId] : [],
  );
  const where = { accountId: tx.actor.accountId, id: In(ids), state: "approved" as const };
  const replaced = ids.length === 0 ? [] : await tx.manager.findBy(KnowledgeItem, where);
  const byId = new Map(replaced.map((row) => [row.id, row]));
  return rows.map((row) => {
    const known = row.state === "suggested" ? byId.get(row.replacesItemId ?? 0) : undefined;
    return present(row, known);
  });
}

/** A knowledge item in the Dashboard's API. */
export async function presentKnowledgeItem(tx: Tx, row: KnowledgeItem): Promise<KnowledgeItemView> {
  const [view] = await presentKnowledgeItems(tx, [row]);
  return view ?? present(row, undefined);
}

function present(row: KnowledgeItem, replaced: KnowledgeItem | undefined): KnowledgeItemView {
  return {
    id: row.id,
    question: row.question,
    phrasings: row.phrasings,
    answer: row.answer,
    language: row.language,
    state: row.state,
    valid_until: row.validUntil?.toISOString() ?? null,
    source_id: row.sourceId,
    replaces:
      replaced === undefined
        ? null
        : { id: replaced.id, question: replaced.question, answer: replaced.answer },
    created_by_user_id: row.createdByUserId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** Only an admin decides on texts that customers get. */
function requireRight({ actor }: Tx, state: KnowledgeState): void {
  if (state === "suggested" || isAdmin(actor)) return;
  throw new AppError("forbidden_role", {
    message: "Only an admin of the account approves, changes or archives answers.",
  });
}

/** An approved suggestion takes the place of the item that it replaces. */
async function archiveReplaced(tx: Tx, { replacesItemId }: KnowledgeItem): Promise<void> {
  if (replacesItemId === null) return;
  const row = await lockOwnedIfThere(tx, KnowledgeItem, { id: replacesItemId, state: "approved" });
  if (row === null) return;
  const columns = { state: "archived" as const, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(KnowledgeItem, row.id, columns);
  await recordAudit(tx, audit("updated", row.id, { state: "archived", fields: ["state"] }));
}

/**
 * Other suggestions for the same question of the same source replace the approved item from now on.
 * Without this, a second approval would leave two answers to one question.
 */
async function replaceFromNowOn(
  tx: Tx,
  { id, accountId, sourceId, sourceKey }: KnowledgeItem,
): Promise<void> {
  if (sourceId === null || sourceKey === null) return;
  const others = { id: Not(id), accountId, sourceId, sourceKey, state: "suggested" as const };
  await tx.manager.update(KnowledgeItem, others, { replacesItemId: id });
}

/** An approved item answers the gaps for which it was written. */
async function resolveGaps(tx: Tx, { id, accountId, state }: KnowledgeItem): Promise<void> {
  if (state !== "approved") return;
  const open = { accountId, itemId: id, resolvedAt: IsNull() };
  await tx.manager.update(KnowledgeGap, open, { resolvedAt: tx.now });
}

async function record(
  tx: Tx,
  action: "created" | "updated" | "deleted",
  { id, state }: KnowledgeItem,
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudit(tx, audit(action, id, { state, ...details }));
  await recordChange(tx, { kind: "knowledge.updated" });
}
