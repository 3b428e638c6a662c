import { findQueuedCase, runCase, storeResult } from "../../core/services/agent/case-runs.ts";
import { rehearse, systemOf } from "../../db/transaction.ts";
import { asSystem } from "./accounts.ts";
import type { TestApi } from "./api.ts";
import type { TestDatabase } from "./database.ts";

/** Runs the queued test cases of an account, as the activity does. */
export async function runQueuedCases(
  { dataSource }: TestDatabase,
  api: TestApi,
  accountId: number,
): Promise<void> {
  const ports = {
    rehearse: async <T>(work: Parameters<typeof rehearse<T>>[2]) =>
      await rehearse(dataSource, systemOf(accountId), work),
    models: api.deps.models,
    limitMs: 5_000,
  };
  for (;;) {
    const claimed = await asSystem(dataSource, accountId, findQueuedCase);
    if (claimed === null) return;
    const result = await runCase(ports, claimed);
    await asSystem(dataSource, accountId, (tx) => storeResult(tx, claimed, result));
  }
}
