import { Like, In, IsNull } from "typeorm";
import { Macro } from "../../../db/entities/macro.ts";
import { PipelineStage } from "../../../db/entities/pipeline.ts";
import { Membership } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import type {
  MacroCreateBody,
  MacroListQuery,
  MacroPatchBody,
  MacroStep,
} from "../../model/macro.ts";
import type { Page } from "../../model/page.ts";
import type { MacroView } from "../../model/views/macro.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { escapeLike, findPage, insertRow } from "../sql.ts";
import {
  everyone,
  getUsable,
  lockChangeable,
  requireOwner,
  usableOwners,
} from "./answer-owners.ts";

const auditRecord = auditOf("macro");

/** The macros that the person may use: the account's and their own, by name. */
export async function listMacros(
  tx: Tx,
  { search, shared, ...page }: MacroListQuery,
): Promise<Page<Macro>> {
  const owners = usableOwners(tx).filter((id) => shared === undefined || shared === (id === 0));
  return await findPage(tx, Macro, page, {
    where: {
      accountId: tx.actor.accountId,
      ownerUserId: In(owners),
      ...(search === undefined ? {} : { name: Like(`%${escapeLike(search)}%`) }),
    },
    order: { name: "ASC", id: "ASC" },
  });
}

/** @throws AppError `macro_not_found`, also for one of another person. */
export async function getMacro(tx: Tx, id: number): Promise<Macro> {
  return await getUsable(tx, Macro, "macro", id);
}

/**
 * Saves a macro of the person, or of the account.
 * @throws AppError `forbidden_role` where an agent would share it; `validation_error` with
 * `unknown_stage` or `unknown_user`.
 */
export async function createMacro(
  tx: Tx,
  { name, steps, shared }: MacroCreateBody,
): Promise<Macro> {
  const ownerUserId = requireOwner(tx, shared);
  await requireTargets(tx, steps);
  const row = tx.manager.create(Macro, {
    accountId: tx.actor.accountId,
    ownerUserId,
    name,
    steps,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertRow(tx, Macro, row);
  await recordEffect(tx, "created", row, shared);
  return row;
}

/**
 * Changes a macro. To share it or to take it back is an admin's act.
 * @throws AppError `macro_not_found`, and those of `createMacro`.
 */
export async function updateMacro(
  tx: Tx,
  id: number,
  { name, steps, shared }: MacroPatchBody,
): Promise<Macro> {
  const row = await lockChangeable(tx, Macro, "macro", id);
  const wasShared = row.ownerUserId === everyone;
  const moves = shared !== undefined && shared !== wasShared;
  if (name === undefined && steps === undefined && !moves) return row;
  if (steps !== undefined) await requireTargets(tx, steps);
  const columns = {
    name: name ?? row.name,
    steps: steps ?? row.steps,
    ownerUserId: moves ? requireOwner(tx, shared) : row.ownerUserId,
    updatedAt: tx.now,
    version: row.version + 1,
  };
  await tx.manager.update(Macro, id, columns);
  Object.assign(row, columns);
  await recordEffect(tx, "updated", row, wasShared || row.ownerUserId === everyone);
  return row;
}

/** @throws AppError `macro_not_found`, `forbidden_role`. */
export async function deleteMacro(tx: Tx, id: number): Promise<void> {
  const row = await lockChangeable(tx, Macro, "macro", id);
  await tx.manager.delete(Macro, { id });
  await recordEffect(tx, "deleted", row, row.ownerUserId === everyone);
}

/** A macro in the Dashboard's API. */
export function presentMacro(row: Macro): MacroView {
  return {
    id: row.id,
    name: row.name,
    steps: row.steps,
    shared: row.ownerUserId === everyone,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** Stages and members may be gone when the macro runs, so a run checks them once more. */
async function requireTargets(tx: Tx, steps: MacroStep[]): Promise<void> {
  const { accountId } = tx.actor;
  for (const [index, step] of steps.entries()) {
    const path = `body.steps.${index}`;
    if (step.type === "move_to_stage") {
      const stage = { id: step.stage_id, accountId };
      if (await tx.manager.existsBy(PipelineStage, stage)) continue;
      throw invalidField(`${path}.stage_id`, "unknown_stage", "Name a stage of this account.");
    }
    if (step.type === "assign" && typeof step.to === "number") {
      const member = { accountId, userId: step.to, disabledAt: IsNull() };
      if (await tx.manager.existsBy(Membership, member)) continue;
      throw invalidField(`${path}.to`, "unknown_user", "Name a member of this account.");
    }
  }
}

async function recordEffect(
  tx: Tx,
  action: "created" | "updated" | "deleted",
  { id, name }: Macro,
  shared: boolean,
): Promise<void> {
  if (shared) await recordAudit(tx, auditRecord(action, id, { name }));
  await recordChange(tx, { kind: "macro.updated" });
}
