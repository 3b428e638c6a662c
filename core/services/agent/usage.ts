import type { Tx } from "../../../db/transaction.ts";
import { minuteMs } from "../../model/durations.ts";
import type { AgentUsageView } from "../../model/views/agent-report.ts";
import { readBudgets } from "./budgets.ts";
import { findActiveAgent } from "./versions.ts";
import { readReportDays } from "./report-days.ts";

type Usage = AgentUsageView["total"];
/** Sums of an engine on a day. MySQL returns sums as text. */
type UsageRow = { place: number; engine: string } & Record<keyof Usage, string>;

const none: Usage = { turns: 0, input_tokens: 0, output_tokens: 0, cost_micros: 0 };

/**
 * Turns, tokens and cost by day and by engine. One read of the index by time, whatever the range:
 * MySQL finds each turn's day among the midnights.
 */
export async function readUsage(
  tx: Tx,
  range: { from: string; to: string },
): Promise<AgentUsageView> {
  const { days, from, until } = await readReportDays(tx, range);
  const minutes = days.map(({ startsAt }) => (startsAt.getTime() - from.getTime()) / minuteMs);
  const rows = await tx.manager.query<UsageRow[]>(
    `SELECT INTERVAL(TIMESTAMPDIFF(MINUTE, ?, created_at), ${minutes.join(", ")}) - 1 AS place,
            engine, COUNT(*) AS turns, SUM(input_tokens) AS input_tokens,
            SUM(output_tokens) AS output_tokens, SUM(cost_micros) AS cost_micros
       FROM agent_turns FORCE INDEX (agent_turns_time)
      WHERE account_id = ? AND created_at >= ? AND created_at < ?
      GROUP BY place, engine`,
    [from, tx.actor.accountId, from, until],
  );
  const engines = [...new Set(rows.map(({ engine }) => engine))].map((engine) => ({
    engine,
    ...sumOf(rows.filter((row) => row.engine === engine)),
  }));
  return {
    ...range,
    total: sumOf(rows),
    days: days.map(({ day }, place) => ({
      day,
      ...sumOf(rows.filter((row) => Number(row.place) === place)),
    })),
    engines: engines.toSorted(
      (one, other) => other.cost_micros - one.cost_micros || other.turns - one.turns,
    ),
    budgets: await presentBudgets(tx),
  };
}

function sumOf(rows: UsageRow[]): Usage {
  return rows.reduce(
    (sum, row) => ({
      turns: sum.turns + Number(row.turns),
      input_tokens: sum.input_tokens + Number(row.input_tokens),
      output_tokens: sum.output_tokens + Number(row.output_tokens),
      cost_micros: sum.cost_micros + Number(row.cost_micros),
    }),
    none,
  );
}

async function presentBudgets(tx: Tx): Promise<AgentUsageView["budgets"]> {
  const agent = await findActiveAgent(tx);
  if (agent === null) return [];
  return (await readBudgets(tx, agent.settings)).flatMap(({ period, limitMicros, spentMicros }) =>
    limitMicros === null ? [] : [{ period, limit_micros: limitMicros, spent_micros: spentMicros }],
  );
}
