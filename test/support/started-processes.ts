import type { TestProcess } from "./process.ts";

/** Processes of the test file under way, for the report of a test that fails. */
export const startedProcesses: { which: string; process: TestProcess }[] = [];
