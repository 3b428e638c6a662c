import { IsNull, Not } from "typeorm";
import { AgentCase } from "../../../db/entities/agent-case.ts";
import type { Tx } from "../../../db/transaction.ts";
import { judgeCase } from "../../agent/judge-case.ts";
import { AppError } from "../../errors.ts";
import type { CaseResult } from "../../model/agent-case.ts";
import { recordChange } from "../outbox/changes.ts";
import { lockOwnedIfThere } from "../sql.ts";
import { readDraftDigest } from "./draft-digest.ts";
import { answerTrial, type TrialPorts } from "./trial-run.ts";
import type { Trial } from "./trial.ts";

/** A queued case, with the digest of the draft that it tries. */
export interface ClaimedCase {
  row: AgentCase;
  digest: string;
}

/** The queued case with the lowest id, or null. */
export async function findQueuedCase(tx: Tx): Promise<ClaimedCase | null> {
  const row = await tx.manager.findOne(AgentCase, {
    where: { accountId: tx.actor.accountId, queuedAt: Not(IsNull()) },
    order: { id: "ASC" },
  });
  return row === null ? null : { row, digest: await readDraftDigest(tx) };
}

/** Plays the lines of a case with the draft. An error of the trial is a result too. */
export async function runCase(ports: TrialPorts, { row }: ClaimedCase): Promise<CaseResult> {
  const { channel, customerLines, expected } = row;
  const trial: Trial = { channel, contactId: null, name: null, lines: [] };
  const tools = new Set<string>();
  const cited = new Set<number>();
  const texts: string[] = [];
  let end: { outcome: CaseResult["outcome"]; reason: string | null } = noEnd;
  try {
    for (const text of customerLines) {
      trial.lines.push({ text, at: new Date().toISOString(), steps: [] });
      const answer = await answerTrial(ports, trial);
      for (const { tool, code } of answer.trace.flatMap(({ calls }) => calls)) {
        if (code === "ok") tools.add(tool);
      }
      for (const id of answer.cited) cited.add(id);
      texts.push(...answer.messages);
      end = { outcome: answer.outcome, reason: answer.reason };
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const found = { ...noEnd, tools: [...tools], cited: [...cited], texts, error: error.code };
    return judgeCase(expected, found);
  }
  const found = { ...end, tools: [...tools], cited: [...cited], texts, error: null };
  return judgeCase(expected, found);
}

const noEnd = { outcome: null, reason: null };

/** Result of a case that a fault of ours prevents. */
export function brokenResult({ row }: ClaimedCase): CaseResult {
  const found = { ...noEnd, tools: [], cited: [], texts: [], error: "internal_error" };
  return judgeCase(row.expected, found);
}

/**
 * Stores the result of a run. A case that was changed or deleted meanwhile has no result. Where the
 * draft changed meanwhile the case stays queued, because people may have asked for the new one.
 * @returns true where the case passed.
 */
export async function storeResult(
  tx: Tx,
  { row, digest }: ClaimedCase,
  result: CaseResult,
): Promise<boolean> {
  const passed = result.differences.length === 0;
  const known = await lockOwnedIfThere(tx, AgentCase, { id: row.id });
  if (known === null || known.version !== row.version) return passed;
  const isCurrent = digest === (await readDraftDigest(tx));
  await tx.manager.update(AgentCase, row.id, {
    state: passed ? "passed" : "failed",
    result,
    draftDigest: digest,
    queuedAt: isCurrent ? null : known.queuedAt,
    ranAt: tx.now,
  });
  await recordChange(tx, { kind: "agent.updated" });
  return passed;
}
