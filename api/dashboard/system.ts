import type { z } from "zod";
import { measureSystem, type SystemFigures } from "../../core/services/operations/system.ts";
import { temporalSdkVersion, version } from "../../core/version.ts";
import type { Deps } from "../deps.ts";
import { admin } from "./access.ts";
import type { faultView, systemView } from "../../core/model/views/system.ts";
import { accountRunsUrl, runUrl } from "./temporal-links.ts";
import { dashboardRoute } from "./route.ts";

/**
 * State of the installation, for the admins of any account. A long outbox or a missing worker
 * delays their own deliveries, and only admins can act on that. Figures of the whole installation
 * are counts, ages and versions, which reveal nothing of other accounts. Machines are not named.
 * Deliveries are those of the own account.
 */
export const systemRoutes = [
  dashboardRoute("GET /system", {
    access: admin,
    tag: "System",
    summary: "Outbox, workers, versions, and what failed last; asks MySQL alone",
    run: async (tx, _, deps) => ({
      data: present(await measureSystem(tx), deps, tx.actor.accountId),
    }),
  }),
];

function present(
  figures: SystemFigures,
  deps: Deps,
  accountId: number,
): z.output<typeof systemView> {
  const { outbox, ownOutbox, workers } = figures;
  return {
    outbox: {
      rows: outbox.rows,
      oldest_seconds: outbox.oldestSeconds,
      parked: outbox.parked,
      own_rows: ownOutbox.rows,
      own_parked: ownOutbox.parked,
    },
    deliveries: figures.deliveries,
    faults: figures.faults.map((fault) => presentFault(fault, deps)),
    workers: workers.map((worker) => ({
      version: worker.version,
      temporal_reachable: worker.temporal_reachable,
      started_at: worker.started_at,
      seen_at: worker.seen_at,
    })),
    last_worker_seen_at: figures.lastWorkerSeenAt?.toISOString() ?? null,
    temporal: figures.temporal,
    versions: {
      parley: version,
      node: process.versions.node,
      mysql: figures.mysqlVersion,
      temporal:
        workers.find((worker) => worker.temporal_version !== null)?.temporal_version ?? null,
      temporal_sdk: temporalSdkVersion,
    },
    temporal_ui_url: accountRunsUrl(deps.config, accountId),
  };
}

function presentFault(
  { workflow_id: workflowId, updated_at: updatedAt, ...fault }: SystemFigures["faults"][number],
  { config, naming }: Deps,
): z.output<typeof faultView> {
  return {
    ...fault,
    workflow_url: runUrl(config, workflowId && naming(workflowId)),
    updated_at: updatedAt.toISOString(),
  };
}
