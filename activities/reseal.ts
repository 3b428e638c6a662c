import { resealSecrets } from "../core/services/operations/sealed-secrets.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";

const secretsAtOnce = 100;

/** The step of a change of SECRET_KEY. It may run twice, and finds less to do. */
export function createReseal({ dataSource, log, secretBox }: ActivityDeps) {
  return {
    /**
     * Reseals a batch of stored secrets with the key of this id. A worker with another first key
     * leaves the batch to others. Such a worker runs with the old settings until it stops.
     */
    async resealBatch({ keyId }: { keyId: string }): Promise<{
      resealed: number;
      state: "more" | "done" | "other_key";
    }> {
      if (secretBox.currentKeyId !== keyId) return { resealed: 0, state: "other_key" };
      const resealed = await transaction(dataSource, systemOf(), (tx) =>
        resealSecrets(tx, secretBox, secretsAtOnce),
      );
      log.info({ key_id: keyId, resealed }, "secrets.resealed");
      return { resealed, state: resealed === 0 ? "done" : "more" };
    },
  };
}
