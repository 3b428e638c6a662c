import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { supervise, type Supervised } from "../../tools/faults/supervised.ts";
import { eventually } from "../support/eventually.ts";

let folder: string;
let supervised: Supervised;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-supervised-"));
  const main = join(folder, "main.mjs");
  // Ends with a code of its own when it is told to.
  writeFileSync(
    main,
    `process.on("SIGUSR2", () => process.exit(3)); setInterval(() => {}, 1_000); console.log("ready");`,
  );
  supervised = supervise({
    name: "one",
    args: [main],
    env: { PATH: process.env["PATH"] ?? "" },
    logFile: join(folder, "one.log"),
    isReady: async (output) => output.includes("ready"),
  });
  await supervised.start();
});

afterEach(async () => {
  await supervised.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends the signal, and waits until the supervisor has started another one. */
async function endBy(signal: NodeJS.Signals): Promise<void> {
  const pid = supervised.pid();
  process.kill(pid, signal);
  await eventually(() => {
    expect(supervised.isRunning() && supervised.pid() !== pid).toBe(true);
  });
  await supervised.start();
}

test("a process that ends by itself counts, whether by a code or by the signal of its own crash", async () => {
  await endBy("SIGUSR2");
  expect(supervised.ends()).toBe(1);
  // As of a heap that is full (abort) and of a fault in native code.
  await endBy("SIGABRT");
  await endBy("SIGSEGV");
  expect(supervised.ends()).toBe(3);
});

test("one that is killed from outside is started again and does not count", async () => {
  await endBy("SIGKILL");
  expect(supervised.ends()).toBe(0);
});

test("one that is told to end stays down and does not count", async () => {
  await supervised.kill();
  expect(supervised.isRunning()).toBe(false);
  await supervised.start();
  await supervised.stop();
  expect(supervised.isRunning()).toBe(false);
  expect(supervised.ends()).toBe(0);
});
