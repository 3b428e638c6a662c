import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute path of the repository, without a trailing slash. */
export const repositoryRoot = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/**
 * Absolute path below `.local/`, the git-ignored folder for everything that is fetched, built or
 * run here.
 */
export function localPath(...parts: string[]): string {
  return join(repositoryRoot, ".local", ...parts);
}

/** Takes one short line for people about the work of a part of the installation. */
export type Log = (line: string) => void;

/** A log that prints each line after the name of its part, in columns. */
export function partLog(part: string): Log {
  return (line) => console.log(`${part.padEnd(9)} ${line}`);
}
