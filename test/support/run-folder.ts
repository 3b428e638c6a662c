import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRunning, stopLeftover } from "../../dev/leftover.ts";
import { localPath, type Log } from "../../dev/local.ts";

/** Folder of this process for the servers that it starts. */
export const runFolder = localPath("test", `run-${process.pid}`);

const runName = /^run-(?<pid>\d+)$/u;

/** Stops the servers of killed runs and removes their folders. */
export async function clearDeadRuns(folder: string, log: Log): Promise<void> {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = Number(runName.exec(name)?.groups?.["pid"]);
    if (Number.isNaN(pid) || pid === process.pid || isRunning(pid)) continue;
    await stopLeftover(join(folder, name, "mysql", "mysqld.pid"), log);
    await stopLeftover(join(folder, name, "temporal.pid"), log);
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}
