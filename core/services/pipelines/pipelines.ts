import { isDeepStrictEqual } from "node:util";
import { In } from "typeorm";
import { Pipeline, PipelineStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField, notFound } from "../../errors.ts";
import {
  maxPipelines,
  type PipelineCreateBody,
  type PipelinePatchBody,
  type PipelineView,
} from "../../model/pipeline.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { insertStage } from "./pipeline-stages.ts";
import { forgetBookingStages, lockArrangement, lockStagesOf } from "./pipeline-locks.ts";
import { findPage, getOwned, insertRow, placeholders } from "../sql.ts";

/** The account's pipelines, the oldest first. */
export async function listPipelines(tx: Tx, page: PageBounds): Promise<Page<Pipeline>> {
  return await findPage(tx, Pipeline, page, {
    where: { accountId: tx.actor.accountId },
    order: { id: "ASC" },
  });
}

/** @throws AppError `pipeline_not_found` */
export async function getPipeline(tx: Tx, id: number): Promise<Pipeline> {
  return await getOwned(tx, Pipeline, "pipeline", { id });
}

/**
 * Creates a pipeline with its stages.
 * @throws AppError `validation_error` for a taken name, or a 21st pipeline.
 */
export async function createPipeline(tx: Tx, input: PipelineCreateBody): Promise<Pipeline> {
  await lockArrangement(tx);
  const { accountId } = tx.actor;
  if ((await tx.manager.countBy(Pipeline, { accountId })) >= maxPipelines) {
    const message = `An account has at most ${maxPipelines} pipelines. Delete one first.`;
    throw invalidField("body", "too_many_pipelines", message);
  }
  await requireFreeName(tx, input.name);
  const row = tx.manager.create(Pipeline, {
    accountId,
    name: input.name,
    isDefault: false,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertRow(tx, Pipeline, row);
  for (const [position, name] of input.stages.entries()) {
    await insertStage(tx, row.id, { name, position, path: `body.stages.${position}` });
  }
  if (input.default) await storeDefault(tx, row, true);
  const { name, stages } = input;
  await recordPipelineAudit(tx, "created", row.id, { name, stages, default: input.default });
  return row;
}

/**
 * Changes a pipeline's name or lost reasons, or makes it the default, which new conversations enter.
 * @throws AppError `pipeline_not_found`; `validation_error` for a taken name.
 */
export async function updatePipeline(
  tx: Tx,
  id: number,
  patch: PipelinePatchBody,
): Promise<Pipeline> {
  await lockArrangement(tx);
  const row = await getPipeline(tx, id);
  const before = { name: row.name, default: row.isDefault, lost_reasons: row.lostReasons ?? [] };
  const after = {
    name: patch.name ?? before.name,
    default: patch.default ?? before.default,
    lost_reasons: [...new Set(patch.lost_reasons ?? before.lost_reasons)],
  };
  if (isDeepStrictEqual(after, before)) return row;
  if (after.name !== row.name) await requireFreeName(tx, after.name, id);
  const columns = {
    name: after.name,
    lostReasons: after.lost_reasons,
    updatedAt: tx.now,
    version: row.version + 1,
  };
  await tx.manager.update(Pipeline, id, columns);
  if (after.default !== before.default) await storeDefault(tx, row, after.default);
  await recordPipelineAudit(tx, "updated", id, { before, after });
  return Object.assign(row, columns);
}

/** Deletes a pipeline with its stages and cards. Publishes no event. */
export async function deletePipeline(tx: Tx, id: number): Promise<void> {
  await lockArrangement(tx);
  const row = await getPipeline(tx, id);
  const own = { accountId: tx.actor.accountId, pipelineId: id };
  const stages = await lockStagesOf(tx, id);
  const cards = await deleteCards(tx, stages);
  await tx.manager.delete(PipelineStage, own);
  await tx.manager.delete(Pipeline, { id, accountId: tx.actor.accountId });
  await forgetBookingStages(tx, stages);
  await recordPipelineAudit(tx, "deleted", id, { name: row.name, cards });
}

const cardsAtOnce = 10_000;

/**
 * Uses several statements, so that each ends within the time limit of a statement. @returns the
 * number of deleted cards.
 */
async function deleteCards(tx: Tx, stageIds: number[]): Promise<number> {
  for (let cards = 0; ;) {
    const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
      `DELETE /*+ INDEX(contact_stages contact_stages_board) */ FROM contact_stages
        WHERE stage_id IN (${placeholders(stageIds)}) AND account_id = ? LIMIT ?`,
      [...stageIds, tx.actor.accountId, cardsAtOnce],
    );
    cards += affectedRows;
    if (affectedRows < cardsAtOnce) return cards;
  }
}

/** Pipelines with their stages, and the number of contacts in each stage. */
export async function presentPipelines(tx: Tx, rows: Pipeline[]): Promise<PipelineView[]> {
  const stages = await tx.manager.find(PipelineStage, {
    where: { accountId: tx.actor.accountId, pipelineId: In(rows.map(({ id }) => id)) },
    order: { position: "ASC" },
  });
  const counts = await countCardsOf(tx, stages);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    default: row.isDefault,
    stages: stages
      .filter(({ pipelineId }) => pipelineId === row.id)
      .map(({ id, name, hue, slowAfterDays }) => {
        return { id, name, hue, slow_after_days: slowAfterDays, cards: counts.get(id) ?? 0 };
      }),
    lost_reasons: row.lostReasons ?? [],
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }));
}

/** One pipeline with its stages. @throws AppError `pipeline_not_found` */
export async function presentPipeline(tx: Tx, id: number): Promise<PipelineView> {
  const [view] = await presentPipelines(tx, [await getPipeline(tx, id)]);
  if (view === undefined) throw notFound("pipeline");
  return view;
}

async function countCardsOf(tx: Tx, stages: PipelineStage[]): Promise<Map<number, number>> {
  if (stages.length === 0) return new Map();
  const ids = stages.map(({ id }) => id);
  const rows = await tx.manager.query<{ stage_id: number; cards: number }[]>(
    `SELECT stage_id, COUNT(*) AS cards FROM contact_stages FORCE INDEX (contact_stages_board)
      WHERE stage_id IN (${placeholders(ids)}) GROUP BY stage_id`,
    ids,
  );
  return new Map(rows.map(({ stage_id, cards }) => [Number(stage_id), Number(cards)]));
}

async function storeDefault(tx: Tx, row: Pipeline, isDefault: boolean): Promise<void> {
  const { accountId } = tx.actor;
  if (isDefault) await tx.manager.update(Pipeline, { accountId }, { isDefault: false });
  await tx.manager.update(Pipeline, row.id, { isDefault });
  Object.assign(row, { isDefault });
}

/** MySQL compares names without regard to case and accents. */
async function requireFreeName(tx: Tx, name: string, butOf = 0): Promise<void> {
  const taken = await tx.manager.query<unknown[]>(
    "SELECT 1 FROM pipelines WHERE account_id = ? AND name = ? AND id <> ?",
    [tx.actor.accountId, name, butOf],
  );
  if (taken.length === 0) return;
  throw invalidField("body.name", "name_taken", "Another pipeline has this name.");
}

async function recordPipelineAudit(
  tx: Tx,
  action: "created" | "updated" | "deleted",
  targetId: number,
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudit(tx, {
    action: `pipeline.${action}`,
    targetType: "pipeline",
    targetId,
    details,
  });
  await recordChange(tx, { kind: "pipeline.updated" });
}
