import { setTimeout as sleep } from "node:timers/promises";
import { loadClientConnectConfig } from "@temporalio/envconfig";
import { DefaultLogger, NativeConnection, Runtime } from "@temporalio/worker";
import type { Logger } from "../core/log.ts";

const retryMs = 2_000;
const deadlineMs = 3_000;

/** A connection and the namespace to work in. */
export interface TemporalLink {
  connection: NativeConnection;
  namespace: string;
}

/** Sends the SDK's own log to ours: its messages alone, since their fields may hold failures. */
export function installRuntime(log: Logger): void {
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger("WARN", ({ level, message }) => {
      log[level === "ERROR" ? "error" : "warn"](
        { message: message.slice(0, 300) },
        "temporal.said",
      );
    }),
  });
}

/**
 * Connects as the standard `TEMPORAL_*` settings say, and waits for a server that is not there yet.
 * @returns null when `stopping` was aborted first.
 */
export async function connectTemporal(
  log: Logger,
  stopping: AbortSignal,
): Promise<TemporalLink | null> {
  const { connectionOptions, namespace = "default" } = loadClientConnectConfig();
  while (!stopping.aborted) {
    try {
      return { connection: await NativeConnection.connect(connectionOptions), namespace };
    } catch (error) {
      log.warn({ err: error, address: connectionOptions.address }, "temporal.away");
      await sleep(retryMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
  return null;
}

/** Whether the server answers now; never throws. */
export async function isReachable({ connection, namespace }: TemporalLink): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + deadlineMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return true;
  } catch {
    return false;
  }
}
