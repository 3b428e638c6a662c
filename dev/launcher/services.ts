import { setTimeout as sleep } from "node:timers/promises";
import { receiverSecretsFile } from "./prepare-database.ts";
import { readTail, startService, type Service } from "./processes.ts";
import { standIns, type StandIn } from "./stand-ins.ts";
import type { UpState } from "./up-state.ts";

const pollMs = 50;
const answerTimeoutMs = 2_000;
/** A program that ends this often cannot start, and further starts would fail the same way. */
const deathsToGiveUp = 3;

/** Our own programs, in the order in which they stop. */
export const serviceNames = ["receiver", ...standIns.map(({ name }) => name), "api", "worker"];

/** The ports of our own programs. */
export interface ServicePorts {
  api: number;
  receiver: number;
  /** Ports of the stand-ins by their key; empty: none starts. */
  standIns: Record<string, number>;
  apiMetrics: number;
  workerMetrics: number;
}

/** A stand-in and its process. */
interface RunningStandIn {
  standIn: StandIn;
  service: Service;
}

/** Our own programs, running. */
export interface Services {
  receiver: Service;
  standIns: RunningStandIn[];
  api: Service;
  worker: Service;
}

/** Starts our own programs as separate processes. */
export function startServices(given: {
  /** Settings of the API and the worker. */
  env: NodeJS.ProcessEnv;
  ports: ServicePorts;
  folder: string;
  state: UpState;
}): Services {
  const { env, ports, folder } = given;
  const receiver = ["dev/receiver/receiver.ts", "--port", String(ports.receiver)];
  receiver.push("--secrets-file", receiverSecretsFile(folder));
  const apiEnv = { ...env, METRICS_PORT: String(ports.apiMetrics) };
  const workerEnv = { ...env, METRICS_PORT: String(ports.workerMetrics) };
  return {
    // The receiver stands for the server of another company, so it gets none of our settings.
    receiver: startService({
      name: "receiver",
      program: receiver,
      folder,
      env: { PATH: process.env["PATH"] },
    }),
    standIns: standIns.flatMap((standIn) => {
      const port = ports.standIns[standIn.key];
      return port === undefined ? [] : [startStandIn(standIn, port, given)];
    }),
    api: startService({ name: "api", program: ["api/main.ts"], env: apiEnv, folder }),
    worker: startService({ name: "worker", program: ["worker/main.ts"], env: workerEnv, folder }),
  };
}

function startStandIn(
  standIn: StandIn,
  port: number,
  { folder, state }: { folder: string; state: UpState },
): RunningStandIn {
  const service = startService({
    name: standIn.name,
    program: standIn.program(port, state),
    folder,
    env: { PATH: process.env["PATH"], ...standIn.env(state) },
  });
  return { standIn, service };
}

/**
 * Resolves once the API and the receiver answer, the worker takes work, and the stand-ins are
 * ready.
 * @throws Error when one of them cannot stay up or is not ready after two minutes, and when `stop`
 * aborts
 */
export async function waitForServices(
  { receiver, standIns: running, api, worker }: Services,
  given: {
    apiUrl: string;
    receiverUrl: string;
    standIns: UpState["standIns"];
    workerUrl: string;
    stop: AbortSignal;
  },
): Promise<void> {
  const { apiUrl, receiverUrl, standIns: urls, workerUrl, stop } = given;
  await Promise.all([
    waitUntil(api, stop, async () => await answers(`${apiUrl}/readyz`)),
    waitUntil(receiver, stop, async () => await answers(receiverUrl)),
    ...running.map(({ standIn, service }) =>
      waitUntil(service, stop, async () => await isReady(standIn, urls[standIn.key] ?? "")),
    ),
    waitUntil(worker, stop, async () => await answers(`${workerUrl}/readyz`)),
  ]);
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerTimeoutMs) });
  await response.body?.cancel();
  return response.status === 200;
}

async function isReady(standIn: StandIn, url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(answerTimeoutMs);
  const response = await fetch(`${url}/control/state`, { signal });
  return standIn.isReady((await response.json()) as { connected?: unknown });
}

/** Says that a service is late, with the end of its log, which has the reason. */
function describeLate({ name, logFile }: Service, timeoutMs: number): string {
  const lines = readTail(logFile).map((line) => `\n  ${line}`);
  const end = lines.length === 0 ? "It is empty." : `It ends with:${lines.join("")}`;
  return `The ${name} is not ready after ${timeoutMs / 1_000} s. Its log is ${logFile}. ${end}`;
}

/** Asks until the service is ready. */
export async function waitUntil(
  service: Service,
  stop: AbortSignal,
  isReady: () => Promise<boolean>,
  readyTimeoutMs = 120_000,
): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await isReady().catch(() => false))) {
    stop.throwIfAborted();
    if (service.deaths() >= deathsToGiveUp)
      throw new Error(`The ${service.name} cannot start; its last words stand above.`);
    if (Date.now() > deadline) throw new Error(describeLate(service, readyTimeoutMs));
    await sleep(pollMs);
  }
}
