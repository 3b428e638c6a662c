import { setTimeout as sleep } from "node:timers/promises";
import { receiverSecretsFile } from "./prepare-database.ts";
import { startService, type Service } from "./processes.ts";

const readyTimeoutMs = 120_000;
const pollMs = 50;
const answerTimeoutMs = 2_000;
/** A program that ends this often cannot start, and further starts would fail the same way. */
const deathsToGiveUp = 3;

/** Our own programs, in the order in which they stop. */
export const serviceNames = ["receiver", "api", "worker"];

/** The ports of our own programs. */
export interface ServicePorts {
  api: number;
  receiver: number;
  apiMetrics: number;
  workerMetrics: number;
}

/** Our own programs, running. */
export interface Services {
  receiver: Service;
  api: Service;
  worker: Service;
}

/** Starts the example receiver, the API and the worker as separate processes. */
export function startServices(
  env: NodeJS.ProcessEnv,
  ports: ServicePorts,
  folder: string,
): Services {
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
    api: startService({ name: "api", program: ["api/main.ts"], env: apiEnv, folder }),
    worker: startService({ name: "worker", program: ["worker/main.ts"], env: workerEnv, folder }),
  };
}

/**
 * Resolves once the API and the receiver answer and the worker takes work.
 * @throws Error when one of them cannot stay up or is not ready after two minutes, and when `stop`
 * aborts
 */
export async function waitForServices(
  { receiver, api, worker }: Services,
  given: { apiUrl: string; receiverUrl: string; workerUrl: string; stop: AbortSignal },
): Promise<void> {
  const { apiUrl, receiverUrl, workerUrl, stop } = given;
  await Promise.all([
    waitUntil(api, stop, async () => await answers(`${apiUrl}/readyz`)),
    waitUntil(receiver, stop, async () => await answers(receiverUrl)),
    waitUntil(worker, stop, async () => await answers(`${workerUrl}/readyz`)),
  ]);
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerTimeoutMs) });
  await response.body?.cancel();
  return response.status === 200;
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
