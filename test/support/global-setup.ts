import type { TestProject } from "vitest/node";
import { listTestFiles, needsOf, type Need } from "./needs.ts";
import { fromRoot } from "./imports.ts";

/**
 * Starts the servers that the files of this run need, and no other.
 * @returns what vitest calls at the end
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { config, state } = project.vitest;
  // Files that join later, while vitest watches, come with no setup of their own.
  const files = config.watch ? listTestFiles() : state.getPaths().map(fromRoot);
  const needs = new Set(files.flatMap((file) => [...needsOf(file)]));
  if (needs.size === 0) return undefined;
  // Loads the ORM and more, which a run without servers need not wait for.
  const { startTestServers } = await import("./servers.ts");
  const { provided, stop } = await startTestServers(needs);
  for (const [name, value] of Object.entries(provided)) project.provide(name as Need, value);
  return stop;
}
