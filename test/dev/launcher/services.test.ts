import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Service } from "../../../dev/launcher/processes.ts";
import { waitUntil } from "../../../dev/launcher/services.ts";

/** A worker that runs, is never ready, and has written these lines. */
function lateWorker(lines: string): Service {
  const folder = mkdtempSync(join(tmpdir(), "parley-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const logFile = join(folder, "worker.log");
  writeFileSync(logFile, lines);
  return { name: "worker", pid: () => 1, logFile, deaths: () => 0, stop: async () => undefined };
}

test.each([
  ["temporal.away\nconnection refused\n", "It ends with:\n  temporal.away\n  connection refused"],
  ["", "It is empty."],
])("a service that is not ready in time is reported with its log, %j", async (lines, end) => {
  const worker = lateWorker(lines);
  const late = waitUntil(worker, new AbortController().signal, async () => false, 1);
  await expect(late).rejects.toThrow(
    `The worker is not ready after 0.001 s. Its log is ${worker.logFile}. ${end}`,
  );
});
