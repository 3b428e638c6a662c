import { IsNull } from "typeorm";
import { SavedInboxView } from "../../../db/entities/inbox-view.ts";
import { PipelineStage } from "../../../db/entities/pipeline.ts";
import { Membership } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField, notFound } from "../../errors.ts";
import type { ErasedPerson } from "../../model/erasure.ts";
import {
  maxSavedViews,
  type SavedView,
  type SavedViewBody,
  type SavedViewFilter,
  type SavedViewPatch,
} from "../../model/saved-view.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { isAdmin, requireUserId } from "../accounts/actor.ts";
import { namesPerson } from "../contacts/contact-filters.ts";
import { recordChange } from "../outbox/changes.ts";
import { findPage, insertRow, lockOwnedIfThere } from "../sql.ts";

/** Tells open pages that a saved view was added, changed or deleted. */
const viewsChanged = { kind: "inbox_view.updated" } as const;

/** Saved views that the person sees, by name: their own, and those shared with the account. */
export async function listSavedViews(tx: Tx, page: PageBounds): Promise<Page<SavedInboxView>> {
  const { accountId } = tx.actor;
  return await findPage(tx, SavedInboxView, page, {
    where: [
      { accountId, userId: requireUserId(tx.actor) },
      { accountId, shared: true },
    ],
    order: { name: "ASC", id: "ASC" },
  });
}

/**
 * Saves a view for the person, or for the account.
 * @throws AppError `validation_error` with `too_many_views` for the 51st of a person, and for an
 * unknown stage or member in its filter.
 */
export async function createSavedView(tx: Tx, body: SavedViewBody): Promise<SavedInboxView> {
  const { accountId } = tx.actor;
  const userId = requireUserId(tx.actor);
  await lockOwner(tx, accountId, userId);
  await requireKnown(tx, body.filter);
  if ((await tx.manager.countBy(SavedInboxView, { accountId, userId })) >= maxSavedViews) {
    const message = `Save at most ${maxSavedViews} views. Delete one first.`;
    throw invalidField("body.name", "too_many_views", message);
  }
  const { order: listOrder, ...columns } = body;
  const times = { createdAt: tx.now, updatedAt: tx.now, version: 1 };
  const row = tx.manager.create(SavedInboxView, {
    accountId,
    userId,
    listOrder,
    ...columns,
    ...times,
  });
  row.id = await insertRow(tx, SavedInboxView, row);
  await recordChange(tx, viewsChanged);
  return row;
}

/**
 * Changes a saved view. A view keeps its owner, also where an admin changes it.
 * @throws AppError `inbox_view_not_found`, also for a personal view of another member;
 * `forbidden_role` for a shared one, unless the person is an admin; `validation_error`.
 */
export async function updateSavedView(
  tx: Tx,
  id: number,
  { order, ...patch }: SavedViewPatch,
): Promise<SavedInboxView> {
  const row = await lockEditable(tx, id);
  if (patch.filter !== undefined) await requireKnown(tx, patch.filter);
  const columns = {
    ...patch,
    ...(order === undefined ? {} : { listOrder: order }),
    updatedAt: tx.now,
    version: row.version + 1,
  };
  Object.assign(row, columns);
  await tx.manager.update(SavedInboxView, row.id, columns);
  await recordChange(tx, viewsChanged);
  return row;
}

/**
 * Deletes a saved view. Its conversations stay.
 * @throws AppError `inbox_view_not_found`; `forbidden_role`, as for a change.
 */
export async function deleteSavedView(tx: Tx, id: number): Promise<void> {
  await lockEditable(tx, id);
  await tx.manager.delete(SavedInboxView, id);
  await recordChange(tx, viewsChanged);
}

/** Deletes the saved views of the account that name an erased person. */
export async function forgetViewsNaming(tx: Tx, person: ErasedPerson): Promise<void> {
  const isNamed = namesPerson(person);
  const rows = await tx.manager.find(SavedInboxView, {
    where: { accountId: tx.actor.accountId },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  const named = rows.filter(({ name, filter }) => [name, filter.tag ?? ""].some(isNamed));
  for (const { id } of named) await tx.manager.delete(SavedInboxView, id);
  if (named.length > 0) await recordChange(tx, viewsChanged);
}

/** View of a saved view. */
export function presentSavedView(row: SavedInboxView): SavedView {
  return {
    id: row.id,
    name: row.name,
    view: row.view,
    filter: row.filter,
    order: row.listOrder,
    shared: row.shared,
    user_id: row.userId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** Locks the owner, so that two views at once do not both become the last one. */
async function lockOwner(tx: Tx, accountId: number, userId: number): Promise<void> {
  await tx.manager.findOneOrFail(Membership, {
    where: { accountId, userId },
    lock: { mode: "pessimistic_write" },
  });
}

async function lockEditable(tx: Tx, id: number): Promise<SavedInboxView> {
  const row = await lockOwnedIfThere(tx, SavedInboxView, { id });
  const isOwn = row?.userId === requireUserId(tx.actor);
  if (row === null || (!isOwn && !row.shared)) throw notFound("inbox_view");
  if (!isOwn && !isAdmin(tx.actor)) throw new AppError("forbidden_role");
  return row;
}

async function requireKnown(tx: Tx, filter: SavedViewFilter): Promise<void> {
  const { accountId } = tx.actor;
  const { stage_id: stageId, assigned_to: userId } = filter;
  if (
    stageId !== undefined &&
    !(await tx.manager.existsBy(PipelineStage, { id: stageId, accountId }))
  ) {
    const message = "Name a stage of this account.";
    throw invalidField("body.filter.stage_id", "unknown_stage", message);
  }
  if (typeof userId !== "number") return;
  if (await tx.manager.existsBy(Membership, { accountId, userId, disabledAt: IsNull() })) return;
  const message = "Name a member of this account.";
  throw invalidField("body.filter.assigned_to", "unknown_user", message);
}
