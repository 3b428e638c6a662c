import { resealSecrets } from "../core/services/operations/sealed-secrets.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./index.ts";

const secretsAtOnce = 100;

/** The step of a change of SECRET_KEY. It may run twice, and finds less to do. */
export function createReseal({ dataSource, log, secretBox }: ActivityDeps) {
  return {
    /**
     * Seals a batch of stored secrets with the key of this id. A worker whose first key is another one,
     * as one of the old settings is until it stops, leaves that to the others.
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
