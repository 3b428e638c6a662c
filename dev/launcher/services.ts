import { setTimeout as sleep } from "node:timers/promises";
import { receiverSecretsFile } from "./prepare-database.ts";
import { startService, type Service } from "./processes.ts";
import type { UpState } from "./up-state.ts";

const readyTimeoutMs = 120_000;
const pollMs = 50;
const answerTimeoutMs = 2_000;
/** A program that ends this often cannot start, and further starts would fail the same way. */
const deathsToGiveUp = 3;

/** Our own programs, in the order in which they stop. */
export const serviceNames = ["receiver", "stand-in", "api", "worker"];

/** The ports of our own programs. */
export interface ServicePorts {
  api: number;
  receiver: number;
  /** Null: no stand-in of Meta starts. */
  standIn: number | null;
  apiMetrics: number;
  workerMetrics: number;
}

/** Our own programs, running. */
export interface Services {
  receiver: Service;
  standIn: Service | null;
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
    standIn: ports.standIn === null ? null : startStandIn(ports.standIn, given),
    api: startService({ name: "api", program: ["api/main.ts"], env: apiEnv, folder }),
    worker: startService({ name: "worker", program: ["worker/main.ts"], env: workerEnv, folder }),
  };
}

/** Stands for the servers of Meta. It connects the channels once the API answers. */
function startStandIn(port: number, given: { folder: string; state: UpState }): Service {
  const { folder, state } = given;
  const program = ["dev/stand-in/meta.ts", "--port", String(port), "--parley", state.apiUrl];
  return startService({
    name: "stand-in",
    program: [...program, "--email", state.admin?.email ?? ""],
    folder,
    // A command line is readable to everybody on this machine, so it has no password.
    env: { PATH: process.env["PATH"], PARLEY_PASSWORD: state.admin?.password ?? "" },
  });
}

/**
 * Resolves once the API and the receiver answer, the worker takes work, and the channels of the
 * stand-in are connected.
 * @throws Error when one of them cannot stay up or is not ready after two minutes, and when `stop`
 * aborts
 */
export async function waitForServices(
  { receiver, standIn, api, worker }: Services,
  given: {
    apiUrl: string;
    receiverUrl: string;
    standInUrl: string | null;
    workerUrl: string;
    stop: AbortSignal;
  },
): Promise<void> {
  const { apiUrl, receiverUrl, standInUrl, workerUrl, stop } = given;
  await Promise.all([
    waitUntil(api, stop, async () => await answers(`${apiUrl}/readyz`)),
    waitUntil(receiver, stop, async () => await answers(receiverUrl)),
    ...(standIn === null
      ? []
      : [waitUntil(standIn, stop, async () => await isConnected(`${standInUrl}/control/state`))]),
    waitUntil(worker, stop, async () => await answers(`${workerUrl}/readyz`)),
  ]);
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerTimeoutMs) });
  await response.body?.cancel();
  return response.status === 200;
}

/** @returns true once the stand-in has connected its channels to Parley */
async function isConnected(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerTimeoutMs) });
  const state = (await response.json()) as { connected?: unknown };
  return state.connected === true;
}

async function waitUntil(
  service: Service,
  stop: AbortSignal,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await isReady().catch(() => false))) {
    stop.throwIfAborted();
    if (service.deaths() >= deathsToGiveUp)
      throw new Error(`The ${service.name} cannot start; its last words stand above.`);
    if (Date.now() > deadline)
      throw new Error(`The ${service.name} is not ready after ${readyTimeoutMs / 1_000} s.`);
    await sleep(pollMs);
  }
}
