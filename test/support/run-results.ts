import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import type { SerializedError } from "vitest";
import type { FileResult, RunResults } from "../../dev/ci/results.ts";

/** Writes the results of a run as JSON to the file that `RUN_RESULTS` names. */
export default class RunResultsFile implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const path = process.env["RUN_RESULTS"];
    if (path === undefined) throw new Error("RUN_RESULTS names no file");
    const files = modules.map(resultOf);
    const failed = new Set(
      modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId),
    );
    const apart = unhandled.filter(({ VITEST_TEST_PATH: origin }) => !failed.has(String(origin)));
    const results: RunResults = { files, unhandled: apart.length };
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(results));
  }
}

function resultOf(module: TestModule): FileResult {
  return {
    file: module.relativeModuleId,
    ok: module.ok(),
    passed: [...module.children.allTests("passed")].length,
    failed: [...module.children.allTests("failed")].map(({ fullName }) => fullName),
  };
}
