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
import { escapeLike, findPage } from "../sql.ts";
import {
  createAnswer,
  everyone,
  lockChangeable,
  updateAnswer,
  usableOwners,
  type AnswerKind,
} from "./answer-rows.ts";

/** Macros, for the functions that canned answers share. */
export const macros: AnswerKind<Macro> = {
  entity: Macro,
  noun: "macro",
  nameOf: ({ name }) => ({ name }),
};

/** The macros that the person may use: the account's and their own, by name. */
export async function listMacros(
  tx: Tx,
  { search, shared, ...page }: MacroListQuery,
): Promise<Page<Macro>> {
  return await findPage(tx, Macro, page, {
    where: {
      accountId: tx.actor.accountId,
      ownerUserId: In(usableOwners(tx, shared)),
      ...(search === undefined ? {} : { name: Like(`%${escapeLike(search)}%`) }),
    },
    order: { name: "ASC", id: "ASC" },
  });
}

/**
 * Saves a macro of the person, or of the account.
 * @throws AppError `forbidden_role` where an agent would share it; `validation_error` with
 * `unknown_stage` or `unknown_user`.
 */
export async function createMacro(tx: Tx, body: MacroCreateBody): Promise<Macro> {
  await requireTargets(tx, body.steps);
  return await createAnswer(tx, macros, body);
}

/**
 * Changes a macro. To share it or to take it back is an admin's act.
 * @throws AppError `macro_not_found`, and those of `createMacro`.
 */
export async function updateMacro(tx: Tx, id: number, body: MacroPatchBody): Promise<Macro> {
  const row = await lockChangeable(tx, macros, id);
  if (body.steps !== undefined) await requireTargets(tx, body.steps);
  return await updateAnswer(tx, macros, row, body);
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
