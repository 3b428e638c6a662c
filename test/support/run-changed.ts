import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repositoryRoot } from "../../dev/local.ts";
import { runCommand } from "../../dev/run-command.ts";
import { testsOf } from "./changed.ts";

// Runs the tests that the uncommitted changes, and the commits that main lacks, can break. Arguments go
// to vitest.

async function git(...args: string[]): Promise<string[]> {
  const output = await runCommand("git", args, { cwd: repositoryRoot });
  return output.split("\n").filter((line) => line !== "");
}

/** @returns the commit at which this branch left main */
async function findBase(): Promise<string> {
  const fork = git("merge-base", "HEAD", "origin/main");
  // A clone that is the origin has no other main than its own.
  const [base = "HEAD"] = await fork.catch(async () => await git("merge-base", "HEAD", "main"));
  return base;
}

const changed = [
  ...(await git("diff", "--name-only", "--no-renames", await findBase())),
  ...(await git("ls-files", "--others", "--exclude-standard")),
];
const files = changed.length === 0 ? [] : testsOf(changed);
process.stdout.write(`${changed.length} changed files, ${files.length} test files\n`);
if (files.length > 0) {
  const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", ...files, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
