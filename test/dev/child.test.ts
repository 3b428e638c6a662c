import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { freePort, onFreePort, releasePort } from "../../dev/child.ts";

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

test("a server whose port another process takes meanwhile gets the next one", async () => {
  const preferred = await freePort();
  releasePort(preferred);
  const tried: number[] = [];
  const port = await onFreePort(preferred, async (free) => {
    tried.push(free);
    if (tried.length > 1) return free;
    const other = createServer().listen(free, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    throw new Error("address in use");
  });
  releasePort(port);
  expect(tried).toHaveLength(2);
  expect(port).toBeGreaterThan(tried[0] ?? Number.NaN);
});

test("a server that fails for another reason is not started again", async () => {
  let starts = 0;
  const failed = onFreePort(0, () => Promise.reject(new Error(`start ${(starts += 1)}`)));
  await expect(failed).rejects.toThrow("start 1");
});
