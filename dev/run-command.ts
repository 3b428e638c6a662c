import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Log } from "./local.ts";

const PROGRESS_MS = 15_000;

/** Folders of servers and hand-installed tools that a login shell does not always search. */
const FURTHER_FOLDERS = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/usr/libexec"];

export type CommandOptions = { cwd?: string; env?: NodeJS.ProcessEnv; timeoutMs?: number };

/**
 * Runs a program to its end.
 * @returns its stdout
 * @throws Error with the last lines of its output when the program fails or cannot be started
 */
export async function runCommand(
  command: string,
  args: string[],
  { cwd, env, timeoutMs = 0 }: CommandOptions = {},
): Promise<string> {
  return await new Promise((resolve, reject) => {
    const options = { cwd, env, timeout: timeoutMs, maxBuffer: 64_000_000 };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const said = lastLines(`${stdout}\n${stderr}`) || error.message;
      reject(new Error(`${command} failed: ${said}`, { cause: error }));
    });
  });
}

/**
 * The last non-empty lines of a text, joined into one line: enough to see the reason of a failure.
 */
export function lastLines(text: string, count = 4): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .slice(-count)
    .join(" | ");
}

/** Absolute path of an executable on PATH or in the usual folders; null without one. */
export function findExecutable(name: string, folders: string[] = []): string | null {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of [...path, ...FURTHER_FOLDERS, ...folders]) {
    if (isExecutable(join(folder, name))) return join(folder, name);
  }
  return null;
}

/** @returns true for a file that exists and may be executed. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Logs `text` now, and every 15 s with the elapsed seconds, until `work` is done. */
export async function withProgress<T>(log: Log, text: string, work: () => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  log(`${text} …`);
  const timer = setInterval(() => {
    log(`${text}, ${Math.round((Date.now() - startedAt) / 1000)} s so far …`);
  }, PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
