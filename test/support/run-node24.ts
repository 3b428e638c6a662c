import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { partLog, repositoryRoot } from "../../dev/local.ts";
import { findNode24 } from "../../dev/servers/node-program.ts";
import { listTestFiles, projectOf } from "./needs.ts";

// Runs with Node 24 what differs between versions of Node: the language, the native modules, the sandbox
// of the workflows, and a delivery from the API to a receiver. Arguments go to vitest.

const files = [
  ...listTestFiles().filter((file) => projectOf(file) === "unit"),
  "test/workflows/replay.test.ts",
  "test/e2e/main-job.test.ts",
  "test/e2e/worker-ready.test.ts",
];
const bin = await findNode24(partLog("node"));
const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
const child = spawn(join(bin, "node"), [vitest, "run", ...files, ...process.argv.slice(2)], {
  cwd: repositoryRoot,
  stdio: "inherit",
  // Tests start `npx` and `npm` too.
  env: { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` },
});
const [code] = (await once(child, "exit")) as [number | null];
process.exitCode = code ?? 1;
