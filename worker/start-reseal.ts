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
/** A run that was ended in Temporal before it was done is started again. */
const againMs = 600_000;
const taskQueue: TaskQueue = "ops";

/**
 * Starts the workflow that reseals stored secrets, if any needs resealing. Such a secret was sealed
 * with another key than the first of SECRET_KEY, or is not bound to its row. A run that exists
 * already is enough.
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
