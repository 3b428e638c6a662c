import type { Client } from "@temporalio/client";
import type { DataSource } from "typeorm";
import type { TemporalNaming } from "../core/model/installation.ts";
import type { SecretBox } from "../core/secrets.ts";
import type { TaskQueue } from "../core/model/workflow/workflow-command.ts";
import { isResealingDue } from "../core/services/operations/sealed-secrets.ts";
import { snapshot, systemOf } from "../db/transaction.ts";
import { prepare, type Preparing } from "./prepare.ts";
import { withLimit } from "./time-limit.ts";

const limitMs = 10_000;
/** A run that was ended in Temporal before it was through is started once more. */
const againMs = 600_000;
const taskQueue: TaskQueue = "ops";

/**
 * Starts the workflow that seals stored secrets anew, where SECRET_KEY begins with another key than
 * the one they were sealed with, or where they are not bound to their row. A running one is enough.
 */
export async function startReseal(
  client: Client,
  {
    dataSource,
    naming,
    secretBox,
  }: { dataSource: DataSource; naming: TemporalNaming; secretBox: SecretBox },
  preparing: Preparing,
): Promise<void> {
  const keyId = secretBox.currentKeyId;
  const start = async (): Promise<void> => {
    const due = await snapshot(dataSource, systemOf(), (tx) => isResealingDue(tx, secretBox));
    if (!due) return;
    const started = client.workflow.start("reseal", {
      workflowId: naming(`reseal-${keyId}`),
      taskQueue: naming(taskQueue),
      args: [{ keyId }],
      workflowIdReusePolicy: "ALLOW_DUPLICATE",
      workflowIdConflictPolicy: "USE_EXISTING",
      staticSummary: `seal every stored secret with the key ${keyId}`,
    });
    await withLimit(limitMs, started);
    preparing.log.info({ key_id: keyId }, "secrets.reseal_started");
  };
  await prepare({ againMs, ...preparing }, "secrets.reseal_not_started", start, { key_id: keyId });
}
