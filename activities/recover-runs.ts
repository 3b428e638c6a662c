import type { RecoverInput, RecoverProgress } from "../core/model/workflow/reconcile.ts";
import {
  listLateRuns,
  lostRunKinds,
  requestAgain,
  withoutPending,
  type LateRun,
} from "../core/services/operations/lost-runs.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";
import { isLost } from "./run-state.ts";

/** Maximum number of late runs in one step. All are of one kind. */
const pageSize = 100;

type RecoverDeps = Pick<ActivityDeps, "dataSource" | "log" | "metrics" | "runStates">;

/**
 * The step that finds lost runs of everything except deliveries. It may run twice, and finds less
 * to do.
 */
export function createRecoverRuns(deps: RecoverDeps) {
  const { dataSource } = deps;
  return {
    /** Searches the kinds up to the next late runs, and requests the lost ones again. */
    async recoverRuns({ kind, after }: RecoverInput): Promise<RecoverProgress> {
      const first = kind === null ? 0 : lostRunKinds.indexOf(kind);
      // The next round handles a kind that this version does not know.
      if (first < 0) return { restarted: 0, next: null };
      for (const [index, name] of lostRunKinds.slice(first).entries()) {
        const page = { after: index === 0 ? after : 0, limit: pageSize };
        const late = await transaction(dataSource, systemOf(), (tx) =>
          listLateRuns(tx, name, page),
        );
        const last = late.at(-1);
        if (last === undefined) continue;
        return { restarted: await recover(deps, name, late), next: { kind: name, after: last.id } };
      }
      return { restarted: 0, next: null };
    },
  };
}

/** Calls Temporal outside of every transaction. @returns the number of lost runs. */
async function recover(deps: RecoverDeps, kind: string, late: LateRun[]): Promise<number> {
  const { dataSource, log, metrics, runStates } = deps;
  const told = await transaction(dataSource, systemOf(), (tx) => withoutPending(tx, late));
  const runsOf = ({ command, standIns }: LateRun) => [command.workflowId, ...standIns];
  const states = await runStates(told.flatMap(runsOf));
  const lost = told.filter((run) => runsOf(run).every((id) => isLost(states.get(id))));
  let restarted = 0;
  for (const run of lost) {
    const { id, accountId: account_id, command } = run;
    const isAsked = await transaction(dataSource, systemOf(account_id), (tx) =>
      requestAgain(tx, kind, run),
    );
    if (!isAsked) continue;
    log.error({ account_id, kind, id, workflow_id: command.workflowId }, "run.lost");
    metrics.runsLost.inc({ kind });
    restarted += 1;
  }
  return restarted;
}
