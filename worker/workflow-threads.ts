import workerThreads, { type WorkerOptions } from "node:worker_threads";

/**
 * Runs in a thread of workflows before the SDK's code, as CommonJS.
 *
 * The SDK would keep the stack of each promise of a run, for the tab "Call Stack" of Temporal UI. That is
 * a quarter of the thread's CPU, and memory of each run that waits.
 *
 * Node starts a thread for each call with a time limit. A run makes nine such calls until it has
 * arrived. Two of their sorts run code of workflows, and keep the limit.
 */
const preparation = `
  const { promiseHooks } = require("node:v8");
  const { Script } = require("node:vm");
  promiseHooks.createHook = () => () => undefined;
  const { runInContext } = Script.prototype;
  const unlimited = new Set(["initRuntime", "initialize", "concludeActivation", "dispose"]);
  Script.prototype.runInContext = function (context, options) {
    const called = context.__temporal_args?.[1];
    const given = unlimited.has(called) ? { ...options, timeout: undefined } : options;
    return Reflect.apply(runInContext, this, [context, given]);
  };
`;

const threadFile = /workflow-worker-thread(\.js)?$/u;

/**
 * Runs `create`, in which the SDK starts its threads of workflows, and makes these threads cheaper. The SDK
 * has no setting for that. Where its files or names differ, the threads do the same at their usual cost.
 */
export async function withLightThreads<T>(create: () => Promise<T>): Promise<T> {
  const { Worker } = workerThreads;
  class LightThread extends Worker {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      if (!threadFile.test(String(file))) super(file, options);
      else {
        const code = `${preparation} require(${JSON.stringify(String(file))});`;
        super(code, { ...options, eval: true });
      }
    }
  }
  Object.assign(workerThreads, { Worker: LightThread });
  try {
    return await create();
  } finally {
    Object.assign(workerThreads, { Worker });
  }
}
