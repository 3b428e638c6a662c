import { setTimeout as sleep } from "node:timers/promises";
import { loadClientConnectConfig, type ClientConnectConfig } from "@temporalio/envconfig";
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  type NativeConnectionOptions,
} from "@temporalio/worker";
import type { Logger } from "../core/log.ts";
import type { TemporalLook } from "../core/services/operations/heartbeats.ts";
import { withLimit } from "./time-limit.ts";

const retryMs = 2_000;
const deadlineMs = 3_000;

/** A connection and the namespace of this installation. */
export interface TemporalLink {
  connection: NativeConnection;
  namespace: string;
}

/**
 * Warning for a long workflow task. A first attempt runs inside a task, so a slow receiver causes
 * one.
 */
const longTask = "TMPRL1104";

/** Forwards the SDK's log to ours. Only its messages, because its fields may hold failures. */
export function installRuntime(log: Logger): void {
  Runtime.install({
    shutdownSignals: [],
    // Without `forward` the native part writes to standard output itself.
    telemetryOptions: { logging: { forward: {}, filter: "WARN" } },
    logger: new DefaultLogger("WARN", ({ level, message }) => {
      if (message.includes(longTask)) return;
      log[level === "ERROR" ? "error" : "warn"](
        { message: message.slice(0, 300) },
        "temporal.sdk_log",
      );
    }),
  });
}

/**
 * Connects with the standard `TEMPORAL_*` settings, and waits for a server that is not reachable
 * yet.
 * @returns null if `stopping` was aborted first.
 */
export async function connectTemporal(
  log: Logger,
  stopping: AbortSignal,
): Promise<TemporalLink | null> {
  const { connectionOptions, namespace = "default" } = readTemporalSettings(process.env);
  while (!stopping.aborted) {
    try {
      return { connection: await connectInTime(connectionOptions), namespace };
    } catch (error) {
      log.warn({ err: error, address: connectionOptions.address }, "temporal.away");
      await sleep(retryMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
  return null;
}

/**
 * Reads the standard `TEMPORAL_*` settings. Compose passes an empty variable for each unset one.
 */
export function readTemporalSettings(env: NodeJS.ProcessEnv): ClientConnectConfig {
  const overrideEnvVars: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value) overrideEnvVars[name] = value;
  return loadClientConnectConfig({ overrideEnvVars });
}

async function connectInTime(options: NativeConnectionOptions): Promise<NativeConnection> {
  const connecting = NativeConnection.connect(options);
  try {
    return await withLimit(deadlineMs, connecting);
  } catch (error) {
    // A connection that succeeds after the time limit is closed.
    connecting.then((connection) => connection.close()).catch(() => undefined);
    throw error;
  }
}

/** Target of a reachability check. */
interface Reached {
  connection: Pick<NativeConnection, "workflowService">;
  namespace: string;
}

/** @returns true if the server answers now. Never throws. */
export async function isReachable({ connection, namespace }: Reached): Promise<boolean> {
  try {
    await withLimit(deadlineMs, connection.workflowService.describeNamespace({ namespace }));
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks if the server answers now, and reads its version. Never throws. @param link null: not
 * connected yet.
 */
export async function lookAtTemporal(link: TemporalLink | null): Promise<TemporalLook> {
  if (link === null || !(await isReachable(link))) return { reachable: false, version: null };
  return { reachable: true, version: await findServerVersion(link) };
}

/** A text that is no version counts as none, because people see the value. */
async function findServerVersion({ connection }: TemporalLink): Promise<string | null> {
  try {
    const asked = connection.workflowService.getSystemInfo({});
    const { serverVersion } = await withLimit(deadlineMs, asked);
    return /^[\w.+-]{1,32}$/u.test(serverVersion) ? serverVersion : null;
  } catch {
    return null;
  }
}
