import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { startChild } from "../../../dev/child.ts";
import { localPath } from "../../../dev/local.ts";
import { waitUntilHealthy } from "../../../dev/servers/temporal.ts";

const folder = mkdtempSync(localPath("test", "temporal-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** What does as the program says in place of Temporal's own server. */
function startInstead(script: string) {
  const logFile = join(folder, `${script.length}.log`);
  const command = process.execPath;
  const child = startChild({ name: "instead", command, args: ["-e", script], logFile });
  return { child, logFile };
}

test.each([
  "setTimeout(() => process.exit(1), 1_000)",
  "console.error('port is in use'); process.exit(1)",
])(
  "a server of another's that took the port first is not taken for one's own: %s",
  async (script) => {
    const { child, logFile } = startInstead(script);
    const healthy = waitUntilHealthy(inject("temporalAddress"), child, logFile);
    await expect(healthy).rejects.toThrow("Temporal ended at once");
  },
);

test("one that says that it is up, answers and goes on is taken", async () => {
  const { child, logFile } = startInstead("console.log('up'); setInterval(() => {}, 1_000)");
  const healthy = waitUntilHealthy(inject("temporalAddress"), child, logFile);
  await expect(healthy).resolves.toBeUndefined();
  await child.stop(5_000);
});
