import { Context } from "@temporalio/activity";
import type { CaseResult } from "../core/model/agent-case.ts";
import {
  brokenResult,
  findQueuedCase,
  runCase,
  storeResult,
  type ClaimedCase,
} from "../core/services/agent/case-runs.ts";
import { rehearse, systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";

/** Time limit of the model calls of a line. */
const limitMs = 25_000;
/** A case that fails by a fault of ours so often gets this as its result. */
const maxAttempts = 3;

/** The step of a run of test cases. Nothing of a case stays but its result. */
export function createAgentCases({ dataSource, log, models }: ActivityDeps) {
  async function run(claimed: ClaimedCase, accountId: number): Promise<CaseResult> {
    const ports = {
      rehearse: async <T>(work: Parameters<typeof rehearse<T>>[2]) =>
        await rehearse(dataSource, systemOf(accountId), work),
      models,
      limitMs,
    };
    try {
      return await runCase(ports, claimed);
    } catch (error) {
      if (Context.current().info.attempt < maxAttempts) throw error;
      log.error({ err: error, case_id: claimed.row.id }, "agent.case_broken");
      return brokenResult(claimed);
    }
  }

  return {
    async runNextCase({
      accountId,
    }: {
      accountId: number;
    }): Promise<{ state: "passed" | "failed" | "none" }> {
      const system = systemOf(accountId);
      const claimed = await transaction(dataSource, system, findQueuedCase);
      if (claimed === null) return { state: "none" };
      const result = await run(claimed, accountId);
      const passed = await transaction(dataSource, system, (tx) =>
        storeResult(tx, claimed, result),
      );
      const state = passed ? "passed" : "failed";
      log.info({ case_id: claimed.row.id, state }, "agent.case");
      return { state };
    },
  };
}
