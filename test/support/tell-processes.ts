import { afterAll, afterEach, expect, vi } from "vitest";
import type { TestProcess } from "./process.ts";
import { startedProcesses } from "./started-processes.ts";

// What a process said last, and whether it still ran, tells more of a failed test than what did not come
// of it.

declare module "@vitest/runner" {
  interface TaskMeta {
    /** How the processes of a failed test were. */
    processes?: string[];
  }
}

// Whole processes start, fail and recover in these files.
// oxlint-disable-next-line vitest/no-standalone-expect -- nothing else here knows the path of the file
if (expect.getState().testPath?.includes("/test/e2e/")) vi.setConfig({ testTimeout: 150_000 });

const mostLines = 4;
const mostCharacters = 240;

afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  task.meta.processes = await Promise.all(
    startedProcesses.map(({ which, process }) => describe(which, process)),
  );
});

afterAll(() => {
  startedProcesses.length = 0;
});

async function describe(which: string, one: TestProcess): Promise<string> {
  const state = await Promise.race([
    one.exited.then((code) => `ended with ${code ?? "a signal"}`),
    Promise.resolve("runs"),
  ]);
  const said = one
    .output()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith('{"level":"info"'))
    .slice(-mostLines)
    .map((line) => `  ${line.slice(0, mostCharacters)}`);
  return [`${which} ${one.pid} ${state}`, ...said].join("\n");
}
