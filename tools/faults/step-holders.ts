import { Client, Connection } from "@temporalio/client";
import { readNaming } from "../../dev/read-naming.ts";
import type { Installation } from "./installation.ts";

/** Finds the processes that hold the model steps of conversations. */
export interface StepHolders {
  /** Process id of the worker whose model step is under way, or null. */
  find(conversationId: number): Promise<number | null>;
  stop(): Promise<void>;
}

/** Asks Temporal past its proxy. A process of the installation must have started before. */
export async function watchStepHolders({
  databaseUrl,
  temporal,
}: Pick<Installation, "databaseUrl" | "temporal">): Promise<StepHolders> {
  const naming = await readNaming(databaseUrl);
  const connection = await Connection.connect({ address: temporal.address });
  const { workflow } = new Client({ connection });
  return {
    async find(conversationId) {
      const { raw } = await workflow.getHandle(naming(`agent-${conversationId}`)).describe();
      const step = raw.pendingActivities?.find(
        ({ activityType }) => activityType?.name === "modelStep",
      );
      // By default a worker is known as its process id and host.
      const pid = /^\d+(?=@)/u.exec(step?.lastWorkerIdentity ?? "")?.[0];
      return pid === undefined ? null : Number(pid);
    },
    stop: async () => await connection.close(),
  };
}
