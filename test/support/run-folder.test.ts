import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clearDeadRuns } from "./run-folder.ts";

/** Larger than any process id of Linux. */
const deadPid = 2 ** 22 + 1;

test("the folders of dead runs are removed; those of running ones and other files stay", async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-runs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const pid of [deadPid, process.pid, process.ppid]) mkdirSync(join(folder, `run-${pid}`));
  writeFileSync(join(folder, `run-${deadPid}-temporal.pid`), "{}");
  mkdirSync(join(folder, "mysql-template"));

  await clearDeadRuns(folder, () => undefined);

  expect(new Set(readdirSync(folder))).toEqual(
    new Set([
      `run-${process.pid}`,
      `run-${process.ppid}`,
      `run-${deadPid}-temporal.pid`,
      "mysql-template",
    ]),
  );
});

test("a folder that does not exist yet is no error", async () => {
  const folder = join(tmpdir(), `parley-runs-${process.pid}-absent`);
  await clearDeadRuns(folder, () => undefined);
  expect(existsSync(folder)).toBe(false);
});
