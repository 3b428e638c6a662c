import { createHash } from "node:crypto";
import type { Tx } from "../../../db/transaction.ts";
import type { AgentSettings } from "../../model/agent.ts";
import { defaultSettings, findProfile } from "./profile-rows.ts";

/** Digest of the draft's settings. The version of the profile also counts switches. */
export async function readDraftDigest(tx: Tx): Promise<string> {
  const row = await findProfile(tx);
  return digestOf(row?.draft ?? defaultSettings());
}

/** Results of test cases hold for the draft of this digest. */
export function digestOf(draft: AgentSettings): string {
  return createHash("sha256").update(JSON.stringify(draft)).digest("hex").slice(0, 32);
}

/** Counts of test cases that speak against a publication. */
export interface CaseCounts {
  total: number;
  /** Failed with the present draft. */
  failed: number;
  /** Not run with the present draft. */
  unrun: number;
}

/** Counts the account's test cases by their results with a draft. */
export async function countCases(tx: Tx, draft: AgentSettings): Promise<CaseCounts> {
  const digest = digestOf(draft);
  const [row] = await tx.manager.query<Record<keyof CaseCounts, string | number>[]>(
    `SELECT COUNT(*) AS total,
            COALESCE(SUM(state = 'failed' AND draft_digest = ?), 0) AS failed,
            COALESCE(SUM(draft_digest IS NULL OR draft_digest <> ?), 0) AS unrun
       FROM agent_cases WHERE account_id = ?`,
    [digest, digest, tx.actor.accountId],
  );
  return {
    total: Number(row?.total),
    failed: Number(row?.failed),
    unrun: Number(row?.unrun),
  };
}
