import { readFileSync } from "node:fs";

/** Files that a process opens beside its visitors' streams: other requests, MySQL, its log. */
const otherFiles = 1_000;

/** @returns the number of files that this process may open; null where the system does not say. */
export function readFileLimit(): number | null {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files\s+(\d+)/mu.exec(limits)?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

/** Warnings about a limit of files below what visitors' streams may need. */
export function describeFileLimit(limit: number | null, maxStreams: number): string[] {
  if (limit === null || limit >= maxStreams + otherFiles) return [];
  return [
    `This process may open ${limit} files, and WIDGET_MAX_STREAMS is ${maxStreams}. Allow ${maxStreams + otherFiles} files (ulimit -n), or set WIDGET_MAX_STREAMS to ${Math.max(1, limit - otherFiles)}.`,
  ];
}
