import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import workerThreads from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { withLightThreads } from "../../worker/workflow-threads.ts";

const folder = mkdtempSync(join(tmpdir(), "threads-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a file in a thread that starts as the SDK's do. @returns its message */
async function runThread(name: string, code: string): Promise<unknown> {
  const file = join(folder, name);
  writeFileSync(file, `const { parentPort } = require("node:worker_threads");\n${code}`);
  const thread = await withLightThreads(async () => new workerThreads.Worker(file));
  const [message] = (await once(thread, "message")) as unknown[];
  await thread.terminate();
  return message;
}

/** Calls into a context as the SDK does, with 20 ms for each call. */
const calls = `
  const vm = require("node:vm");
  const context = vm.createContext({ now: () => Date.now() });
  const call = (name) => {
    context.__temporal_args = [{}, name, []];
    try {
      return new vm.Script("{ const end = now() + 200; while (now() < end); 'done' }").runInContext(context, { timeout: 20 });
    } catch (error) {
      return error.code;
    }
  };
`;

const cut = "ERR_SCRIPT_EXECUTION_TIMEOUT";

test("calls that run code of workflows keep their time limit, and the SDK's own have none", async () => {
  const code = `${calls} parentPort.postMessage(
    ["activate", "tryUnblockConditions", "another", "initRuntime", "dispose"].map(call));`;
  expect(await runThread("workflow-worker-thread.js", code)).toEqual([
    cut,
    cut,
    cut,
    "done",
    "done",
  ]);
});

const hookCalls = `
  let count = 0;
  require("node:v8").promiseHooks.createHook({ init: () => (count += 1) });
  Promise.resolve().then(() => parentPort.postMessage(count));
`;

test("no promise of a workflow is tracked", async () => {
  expect(await runThread("workflow-worker-thread.js", hookCalls)).toBe(0);
});

test("another thread is as it is, and so are threads that start later", async () => {
  expect(await runThread("another.js", hookCalls)).toBeGreaterThan(0);
  expect(await runThread("slow.js", `${calls} parentPort.postMessage(call("dispose"));`)).toBe(cut);
  const { Worker } = workerThreads;
  await expect(withLightThreads(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(workerThreads.Worker).toBe(Worker);
});
