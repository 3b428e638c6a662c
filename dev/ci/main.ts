import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { localPath, repositoryRoot } from "../local.ts";
import { filesToRerun, totalsOf, type RunResults } from "./results.ts";

const help = `Runs all tests, then each file that failed once more, one at a time and with nothing beside it.

  node --import tsx/esm dev/ci/main.ts TOTALS [OPTIONS OF VITEST]

Writes "<passed> <failed>" to the file TOTALS. A test that passes in its rerun counts as passed and
is printed as FLAKY. The exit code is 0 without a failure.
`;

const resultsPath = localPath("test", `results-${process.pid}.json`);
const reporters = ["failures-first", "run-results"].map(
  (name) => `--reporter=${repositoryRoot}/test/support/${name}.ts`,
);

/**
 * Runs the tests of some files, or all tests.
 * @returns null where the run was cut off before its results
 */
async function runTests(files: string[], options: string[]): Promise<RunResults | null> {
  rmSync(resultsPath, { force: true });
  const args = ["test", "--", ...files, ...reporters, "--reporter=default", ...options];
  const child = spawn("npm", args, {
    cwd: repositoryRoot,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, RUN_RESULTS: resultsPath },
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (!existsSync(resultsPath)) return null;
  const results = JSON.parse(readFileSync(resultsPath, "utf8")) as RunResults;
  const explained = results.unhandled > 0 || results.files.some(({ ok }) => !ok);
  return code === 0 || explained ? results : { ...results, unhandled: 1 };
}

async function runAll(options: string[]): Promise<{ passed: number; failed: number }> {
  const first = await runTests([], options);
  if (first === null) return { passed: 0, failed: 1 };
  const reruns = new Map<string, RunResults | null>();
  for (const file of filesToRerun(first)) {
    print(`\n== once more, alone: ${file}\n`);
    reruns.set(file, await runTests([file], [...options, "--maxWorkers=1"]));
  }
  const { flaky, ...totals } = totalsOf(first, reruns);
  if (flaky.length > 0) print(`\n${flaky.join("\n")}\n`);
  return totals;
}

function print(text: string): void {
  process.stdout.write(text);
}

const [totalsPath, ...options] = process.argv.slice(2);
if (totalsPath === undefined || totalsPath === "--help") {
  print(help);
} else {
  const { passed, failed } = await runAll(options);
  rmSync(resultsPath, { force: true });
  writeFileSync(totalsPath, `${passed} ${failed}\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
