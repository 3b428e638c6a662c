import type { Tx } from "../../../db/transaction.ts";
import type { RatingReason, RatingValue } from "../../model/agent-rating.ts";
import type { DraftState } from "../../model/agent-draft.ts";
import type { TurnOutcome } from "../../model/agent.ts";
import type { AgentQualityView } from "../../model/views/agent-report.ts";
import { countRows } from "../sql.ts";
import { readReportDays, type ReportDays } from "./report-days.ts";

const inRange = "account_id = ? AND created_at >= ? AND created_at < ? AND mode = 'live'";

/** Quality of the agent's answers. Each figure counts turns that the list of turns shows. */
export async function readQuality(
  tx: Tx,
  range: { from: string; to: string },
): Promise<AgentQualityView> {
  const days = await readReportDays(tx, range);
  const values = [tx.actor.accountId, days.from, days.until];
  const ends = await tx.manager.query<
    { outcome: TurnOutcome | null; reason: string | null; turns: string }[]
  >(
    `SELECT outcome, reason, COUNT(*) AS turns FROM agent_turns FORCE INDEX (agent_turns_time)
      WHERE ${inRange} GROUP BY outcome, reason`,
    values,
  );
  const countOf = (outcome?: TurnOutcome): number =>
    ends
      .filter((row) => outcome === undefined || row.outcome === outcome)
      .reduce((sum, row) => sum + Number(row.turns), 0);
  const handovers = ends
    .filter(({ outcome }) => outcome === "handed_off")
    .map(({ reason, turns }) => ({ reason: reason ?? "agent_decided", turns: Number(turns) }));
  return {
    ...range,
    turns: countOf(),
    replied: countOf("replied"),
    handed_off: countOf("handed_off"),
    handovers: handovers.toSorted((one, other) => other.turns - one.turns),
    reopened: await countRows(tx, {
      sql: `FROM agent_turns FORCE INDEX (agent_turns_reopened) WHERE reopened = 1 AND ${inRange}`,
      values,
    }),
    paused: countOf("paused"),
    silence_ms: await readSilence(tx, values),
    ...(await readDrafts(tx, values)),
    ...(await readRatings(tx, days)),
  };
}

/** Of the turns that a pause cut alone: the index finds them without the other rows. */
async function readSilence(tx: Tx, values: unknown[]): Promise<AgentQualityView["silence_ms"]> {
  const [row] = await tx.manager.query<{ average: string | null; longest: string | null }[]>(
    `SELECT AVG(took) AS average, MAX(took) AS longest FROM (
       SELECT GREATEST(TIMESTAMPDIFF(MICROSECOND, cut_at, aborted_at), 0) DIV 1000 AS took
         FROM agent_turns FORCE INDEX (agent_turns_time)
        WHERE ${inRange} AND outcome = 'paused' AND cut_at IS NOT NULL AND aborted_at IS NOT NULL
     ) cut`,
    values,
  );
  if (row === undefined || row.average === null) return null;
  return { average: Math.round(Number(row.average)), longest: Number(row.longest) };
}

async function readDrafts(tx: Tx, values: unknown[]) {
  const rows = await tx.manager.query<{ state: DraftState; drafts: string }[]>(
    `SELECT state, COUNT(*) AS drafts FROM agent_drafts FORCE INDEX (agent_drafts_account)
      WHERE account_id = ? AND created_at >= ? AND created_at < ? GROUP BY state`,
    values,
  );
  const countOf = (state: DraftState): number =>
    Number(rows.find((row) => row.state === state)?.drafts ?? 0);
  return { drafts_sent: countOf("sent"), drafts_edited: countOf("edited") };
}

/** A rating is younger than its turn, so ratings before the range are left out by the index. */
async function readRatings(tx: Tx, { from, until }: ReportDays) {
  const rows = await tx.manager.query<
    { value: RatingValue; reason: RatingReason | null; turn_id: number }[]
  >(
    `SELECT r.value, r.reason, r.turn_id
       FROM agent_ratings r FORCE INDEX (agent_ratings_account)
       STRAIGHT_JOIN agent_turns t ON t.id = r.turn_id
      WHERE r.account_id = ? AND r.created_at >= ? AND t.created_at >= ? AND t.created_at < ?
        AND t.mode = 'live'`,
    [tx.actor.accountId, from, from, until],
  );
  const turnsOf = (value: RatingValue): number =>
    new Set(rows.filter((row) => row.value === value).map((row) => row.turn_id)).size;
  const reasons = rows.flatMap(({ reason }) => (reason === null ? [] : [reason]));
  const downReasons = [...new Set(reasons)].map((reason) => ({
    reason,
    ratings: reasons.filter((one) => one === reason).length,
  }));
  return {
    rated_up: turnsOf("up"),
    rated_down: turnsOf("down"),
    down_reasons: downReasons.toSorted((one, other) => other.ratings - one.ratings),
  };
}
