import { isDeepStrictEqual } from "node:util";
import { PipelineStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField, notFound } from "../../errors.ts";
import { maxStages, type StagePatchBody } from "../../model/pipeline.ts";
import { recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { forgetBookingStages, lockArrangement, lockStagesOf } from "./pipeline-locks.ts";
import { insertRow, getOwned } from "../sql.ts";
import { countCards, moveCards } from "./stage-moves.ts";

/** @throws AppError `stage_not_found` */
export async function getStage(tx: Tx, id: number): Promise<PipelineStage> {
  return await getOwned(tx, PipelineStage, "stage", { id });
}

/**
 * Adds a stage at the end of a pipeline.
 * @throws AppError `pipeline_not_found`; `validation_error` for a taken name, or a 31st stage.
 */
export async function createStage(tx: Tx, pipelineId: number, name: string): Promise<void> {
  await lockArrangement(tx);
  const stages = await listStages(tx, pipelineId);
  if (stages.length === 0) throw notFound("pipeline");
  if (stages.length >= maxStages) {
    const message = `A pipeline has at most ${maxStages} stages. Delete one first.`;
    throw invalidField("body", "too_many_stages", message);
  }
  const position = 1 + Math.max(...stages.map((stage) => stage.position));
  const id = await insertStage(tx, pipelineId, { name, position, path: "body.name" });
  await recordStageAudit(tx, "created", id, { name, pipeline_id: pipelineId });
}

/**
 * Writes a stage into a pipeline whose arrangement is locked. @returns its id.
 * @throws AppError `validation_error` at `path` for a taken name.
 */
export async function insertStage(
  tx: Tx,
  pipelineId: number,
  { name, position, path }: { name: string; position: number; path: string },
): Promise<number> {
  await requireFreeName(tx, { pipelineId, id: 0 }, name, path);
  const times = { createdAt: tx.now, updatedAt: tx.now };
  const { accountId } = tx.actor;
  return await insertRow(tx, PipelineStage, { accountId, pipelineId, name, position, ...times });
}

/**
 * Changes a stage's name, hue or slow limit.
 * @throws AppError `stage_not_found`; `validation_error` for a taken name.
 */
export async function updateStage(
  tx: Tx,
  id: number,
  patch: StagePatchBody,
): Promise<PipelineStage> {
  await lockArrangement(tx);
  const row = await getStage(tx, id);
  const before = { name: row.name, hue: row.hue, slowAfterDays: row.slowAfterDays };
  const after = {
    name: patch.name ?? row.name,
    hue: patch.hue ?? row.hue,
    slowAfterDays: patch.slow_after_days === undefined ? row.slowAfterDays : patch.slow_after_days,
  };
  if (isDeepStrictEqual(after, before)) return row;
  if (after.name !== before.name) await requireFreeName(tx, row, after.name, "body.name");
  const columns = { ...after, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(PipelineStage, id, columns);
  await recordStageAudit(tx, "updated", id, { before, after });
  return row;
}

/**
 * Changes the order of a pipeline's stages; cards stay in their stages.
 * @param stageIds every stage of the pipeline, once.
 * @throws AppError `pipeline_not_found`; `validation_error` with `not_every_stage` for any other
 * list.
 */
export async function orderStages(tx: Tx, pipelineId: number, stageIds: number[]): Promise<void> {
  await lockArrangement(tx);
  const stages = await listStages(tx, pipelineId);
  if (stages.length === 0) throw notFound("pipeline");
  const before = stages.map(({ id }) => id);
  const sorted = (ids: number[]) => ids.toSorted((one, other) => one - other).join();
  if (sorted(stageIds) !== sorted(before)) {
    const message = "Name every stage of this pipeline once. Read it again if others changed it.";
    throw invalidField("body.stage_ids", "not_every_stage", message);
  }
  if (stageIds.join() === before.join()) return;
  await lockStagesOf(tx, pipelineId);
  for (const [position, id] of stageIds.entries()) {
    await tx.manager.update(PipelineStage, id, { position, updatedAt: tx.now });
  }
  await recordAudit(tx, {
    action: "pipeline.stages_ordered",
    targetType: "pipeline",
    targetId: pipelineId,
    details: { before, after: stageIds },
  });
  await recordChange(tx, { kind: "pipeline.updated" });
}

/**
 * Deletes an empty stage.
 * @returns the id of its pipeline.
 * @throws AppError `stage_not_found`; `stage_not_empty`, with the number of cards; `last_stage`.
 */
export async function deleteStage(tx: Tx, id: number): Promise<number> {
  await lockArrangement(tx);
  const { pipelineId, name } = await getStage(tx, id);
  if ((await lockStagesOf(tx, pipelineId)).length === 1) {
    throw new AppError("last_stage");
  }
  const cards = await countCards(tx, id);
  if (cards > 0) {
    throw new AppError("stage_not_empty", { details: { cards } });
  }
  await tx.manager.delete(PipelineStage, { id, accountId: tx.actor.accountId });
  await forgetBookingStages(tx, [id]);
  await recordStageAudit(tx, "deleted", id, { name, pipeline_id: pipelineId });
  return pipelineId;
}

/**
 * Moves up to 100 contacts of a stage to another stage of the pipeline. Only an empty stage can be
 * deleted.
 * @returns the number of moved contacts, and of those left in the stage.
 * @throws AppError `stage_not_found`; `validation_error` with `unknown_stage`.
 */
export async function emptyStage(
  tx: Tx,
  id: number,
  toStageId: number,
): Promise<{ moved: number; left: number }> {
  const counts = await moveCards(tx, await getStage(tx, id), toStageId);
  await recordAudit(tx, {
    action: "stage.emptied",
    targetType: "stage",
    targetId: id,
    details: { into_stage_id: toStageId, ...counts },
  });
  return counts;
}

async function listStages(tx: Tx, pipelineId: number): Promise<PipelineStage[]> {
  return await tx.manager.find(PipelineStage, {
    where: { accountId: tx.actor.accountId, pipelineId },
    order: { position: "ASC" },
  });
}

/** MySQL compares names without regard to case and accents. */
async function requireFreeName(
  tx: Tx,
  { id, pipelineId }: Pick<PipelineStage, "id" | "pipelineId">,
  name: string,
  path: string,
): Promise<void> {
  const taken = await tx.manager.query<unknown[]>(
    "SELECT 1 FROM pipeline_stages WHERE pipeline_id = ? AND name = ? AND id <> ?",
    [pipelineId, name, id],
  );
  if (taken.length === 0) return;
  throw invalidField(path, "name_taken", "Another stage of this pipeline has this name.");
}

async function recordStageAudit(
  tx: Tx,
  action: "created" | "updated" | "deleted",
  targetId: number,
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudit(tx, { action: `stage.${action}`, targetType: "stage", targetId, details });
  await recordChange(tx, { kind: "pipeline.updated" });
}
