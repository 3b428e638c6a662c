import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "./leftover.ts";
import type { Log } from "./local.ts";

const POLL_MS = 200;
const HEARTBEAT_MS = 5_000;
const STALE_MS = 60_000;

/**
 * Runs `work` while no other process runs work under the same lock file. The lock of a dead process
 * is taken over. The lock only avoids duplicate work: each result must still be put in place by one
 * rename.
 */
export async function withLock<T>(path: string, log: Log, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  let waiting = false;
  while (!tryLock(path)) {
    if (!waiting) log("waiting for another process that is doing the same …");
    waiting = true;
    await sleep(POLL_MS);
  }
  const heartbeat = setInterval(() => {
    void utimes(path, new Date(), new Date()).catch(() => undefined);
  }, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    rmSync(path, { force: true });
  }
}

/**
 * Makes an empty folder `<path>.part-<pid>` for work under the lock of `path`. Such folders of
 * killed processes are removed first.
 */
export function freshPart(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.part-`)) continue;
    rmSync(join(dirname(path), name), { recursive: true, force: true });
  }
  const part = `${path}.part-${process.pid}`;
  mkdirSync(part);
  return part;
}

function tryLock(path: string): boolean {
  if (isStale(path)) rmSync(path, { force: true });
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    // A link appears together with its content, or not at all.
    linkSync(own, path);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function isStale(path: string): boolean {
  try {
    const age = Date.now() - statSync(path).mtimeMs;
    return age > STALE_MS || !isRunning(Number(readFileSync(path, "utf8")));
  } catch {
    return false;
  }
}
