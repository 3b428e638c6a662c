import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { hashSources } from "../core/source-hash.ts";

/** Everything that `dist/` is built from. */
export const serverSources = [
  "activities",
  "api",
  "cli",
  "core",
  "db",
  "worker",
  "workflows",
  "dev/build/server-build.ts",
  "package-lock.json",
  "tsconfig.json",
];

/** The build writes the hash of its sources to this file of its folder. */
export const hashFile = "sources";

/**
 * Compares a build with the sources beside it.
 * @param folder the build; its sources are in the parent folder
 * @returns true if they differ. An image has no sources, so its build is never stale.
 */
export function isStale(folder: string): boolean {
  const root = resolve(folder, "..");
  const mark = join(folder, hashFile);
  if (![mark, ...serverSources.map((path) => join(root, path))].every(existsSync)) return false;
  return readFileSync(mark, "utf8") !== hashSources(root, serverSources);
}
