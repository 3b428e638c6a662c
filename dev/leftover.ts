import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Log } from "./local.ts";

const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

const Note = z.object({ pid: z.int(), ownerPid: z.int(), commandLine: z.string() });
type Note = z.infer<typeof Note>;

/** Records in `pidFile` that this process runs the child `pid` with `args`. */
export function recordPid(pidFile: string, pid: number, args: string[]): void {
  const note: Note = { pid, ownerPid: process.pid, commandLine: args.join(" ") };
  mkdirSync(dirname(pidFile), { recursive: true });
  writeFileSync(pidFile, JSON.stringify(note), { mode: 0o600 });
}

/** Removes the record if it still belongs to `pid`. */
export function forgetPid(pidFile: string, pid: number): void {
  if (readNote(pidFile)?.pid === pid) rmSync(pidFile, { force: true });
}

/**
 * Stops the child recorded in `pidFile` if its parent is gone, so that its files and ports are free
 * again. A pid that now belongs to another program is left alone.
 * @throws Error when the parent still runs, because two must not share the same data
 */
export async function stopLeftover(pidFile: string, log: Log): Promise<void> {
  const note = readNote(pidFile);
  if (note !== null && isNoted(note)) {
    if (parentOf(note.pid) === note.ownerPid) {
      throw new Error(
        `Already running: process ${note.pid}, started by process ${note.ownerPid}. Stop that one first (Ctrl-C in its terminal).`,
      );
    }
    log(`stopping process ${note.pid}, left over from an earlier start`);
    await endProcess(note);
  }
  rmSync(pidFile, { force: true });
}

/** @returns true while a process with this id runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function endProcess(note: Note): Promise<void> {
  process.kill(note.pid, "SIGTERM");
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isNoted(note)) {
    if (Date.now() > deadline) process.kill(note.pid, "SIGKILL");
    await sleep(POLL_MS);
  }
}

function isNoted(note: Note): boolean {
  return isRunning(note.pid) && commandLineOf(note.pid).endsWith(` ${note.commandLine}`);
}

function readNote(pidFile: string): Note | null {
  try {
    return Note.parse(JSON.parse(readFileSync(pidFile, "utf8")));
  } catch {
    return null;
  }
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replace(/\0$/, "").replaceAll("\0", " ");
  } catch {
    return processField(pid, "command");
  }
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return Number(processField(pid, "ppid"));
  }
}

/** Reads a field of a process on systems without /proc. */
function processField(pid: number, field: string): string {
  try {
    return execFileSync("ps", ["-ww", "-o", `${field}=`, "-p", String(pid)], {
      encoding: "utf8",
    }).trim();
  } catch {
    return "";
  }
}
