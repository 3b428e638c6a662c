import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "parley-child-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** A tool with one child that would run for a minute. It prints the id of the child. */
const tool = `
  import { exitOnSignal, startChild } from "./dev/child.ts";
  exitOnSignal();
  const args = ["-e", "setTimeout(() => {}, 60_000)"];
  const logFile = ${JSON.stringify(join(folder, "child.log"))};
  const { pid } = startChild({ name: "child", command: process.execPath, args, logFile });
  process.stdout.write(String(pid));
  setTimeout(() => {}, 60_000);
`;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each(["SIGINT", "SIGTERM"] as const)(
  "a tool that gets %s leaves no child behind",
  async (signal) => {
    const args = ["--input-type=module", "--import", "tsx/esm", "-e", tool];
    const running = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [printed] = (await once(running.stdout, "data")) as [Buffer];
    const child = Number(printed);
    expect(isRunning(child)).toBe(true);
    running.kill(signal);
    await once(running, "exit");
    await expect.poll(() => isRunning(child), { timeout: 10_000 }).toBe(false);
  },
);
