import { PipelineStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { Money } from "../../model/money.ts";
import { startOfMonth } from "../../model/month.ts";
import type { BoardFilter, BoardTotals } from "../../model/pipeline.ts";
import { getAccount } from "../accounts/accounts.ts";
import { getPipeline } from "../pipelines/pipelines.ts";
import { placeholders } from "../sql.ts";
import { filterSql } from "./board-filter.ts";

interface SumRow {
  stage_id: number;
  /** Null for the cards without a value. */
  currency: string | null;
  cards: number;
  /** A DECIMAL, which the driver returns as text. */
  amount: string | null;
}

/**
 * Number and value of the cards in each stage of a pipeline. Without a filter an index alone
 * answers.
 * @throws AppError `pipeline_not_found`
 */
export async function readTotals(
  tx: Tx,
  pipelineId: number,
  filter: BoardFilter,
): Promise<BoardTotals> {
  await getPipeline(tx, pipelineId);
  const stages = await tx.manager.find(PipelineStage, {
    select: { id: true },
    where: { accountId: tx.actor.accountId, pipelineId },
    order: { position: "ASC" },
  });
  const ids = stages.map(({ id }) => id);
  const { joins, conditions } = filterSql(tx, filter);
  const rows = await tx.manager.query<SumRow[]>(
    `SELECT s.stage_id, s.currency, COUNT(*) AS cards, SUM(s.amount) AS amount
       FROM contact_stages s FORCE INDEX (contact_stages_sums) ${joins.sql}
      WHERE s.stage_id IN (${placeholders(ids)}) AND ${conditions.sql}
      GROUP BY s.stage_id, s.currency`,
    [...joins.values, ...ids, ...conditions.values],
  );
  return {
    stages: ids.map((id) => {
      const own = rows.filter(({ stage_id }) => Number(stage_id) === id);
      const cards = own.reduce((sum, row) => sum + Number(row.cards), 0);
      return { stage_id: id, cards, values: sumsOf(own) };
    }),
    won_this_month: await sumWonThisMonth(tx, pipelineId),
  };
}

async function sumWonThisMonth(tx: Tx, pipelineId: number): Promise<Money[]> {
  const month = startOfMonth(tx.now, (await getAccount(tx)).timeZone);
  const rows = await tx.manager.query<SumRow[]>(
    `SELECT currency, SUM(amount) AS amount
       FROM contact_stages FORCE INDEX (contact_stages_won)
      WHERE pipeline_id = ? AND outcome = 'won' AND closed_at >= ? GROUP BY currency`,
    [pipelineId, month],
  );
  return sumsOf(rows);
}

function sumsOf(rows: SumRow[]): Money[] {
  const sums = rows.flatMap(({ currency, amount }) => {
    return currency === null ? [] : [{ currency, amount: Number(amount) }];
  });
  return sums.toSorted((one, other) => other.amount - one.amount);
}
