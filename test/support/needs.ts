import type { ProvidedContext } from "vitest";
import { importsOf, listSources, readSource } from "./imports.ts";

/** Names of what the global setup provides. */
export type Need = keyof ProvidedContext;

/** Vitest projects, in the order in which their files run: the longest first. */
export const projectNames = [
  "image",
  "e2e",
  "browser",
  "workflow",
  "api",
  "db",
  "io",
  "unit",
  "alone",
] as const;

export type ProjectName = (typeof projectNames)[number];

/** Paths of all test files, from the root. */
export function listTestFiles(): string[] {
  return listSources("test").filter((file) => file.endsWith(".test.ts"));
}

/**
 * Files that compare the time of many calls at once with a promise. Beside other files they would
 * measure those as well.
 */
const measured = new Set(["test/api/http/database-away.test.ts"]);

const opensSockets = /^(node:(child_process|dgram|https?|net|tls)|smtp-server)$/;

/** Servers that a test file and its fixtures need, and the files that they import. */
interface Closure {
  needs: Set<Need>;
  /** Its own files and packages. */
  imports: Set<string>;
}

/**
 * The servers that a test file needs: the names that it and its fixtures pass to `inject`.
 * @param file a path from the root
 */
export function needsOf(file: string): Set<Need> {
  return closureOf(file).needs;
}

/** The project of a test file follows from what it imports, so that nobody keeps a list. */
export function projectOf(file: string): ProjectName {
  if (file === "test/e2e/image.test.ts") return "image";
  if (measured.has(file)) return "alone";
  if (file.startsWith("test/e2e/")) return "e2e";
  const { needs, imports } = closureOf(file);
  if (needs.has("chromium")) return "browser";
  if (needs.has("temporalAddress") || needs.has("timeSkippingExecutable")) return "workflow";
  if (needs.has("mysqlUrl")) return imports.has("test/support/api.ts") ? "api" : "db";
  return [...imports].some((one) => opensSockets.test(one)) ? "io" : "unit";
}

/** Follows the imports inside of `test`, `dev` and `tools`: the product starts nothing by itself. */
function closureOf(file: string): Closure {
  const files = new Set([file]);
  const closure: Closure = { needs: new Set(), imports: new Set() };
  for (const one of files) {
    const { injected, targets } = scan(one);
    for (const need of injected) closure.needs.add(need);
    for (const target of targets) {
      closure.imports.add(target);
      if (/^(test|dev|tools)\/.*\.ts$/.test(target)) files.add(target);
    }
  }
  return closure;
}

const scans = new Map<string, { injected: Need[]; targets: string[] }>();

function scan(file: string): { injected: Need[]; targets: string[] } {
  const known = scans.get(file);
  if (known !== undefined) return known;
  const injected = [...readSource(file).matchAll(/\binject\("(\w+)"\)/g)].map(([, name]) => name);
  const imports = importsOf(file).filter(({ typeOnly }) => !typeOnly);
  const scanned = { injected: injected as Need[], targets: imports.map(({ target }) => target) };
  scans.set(file, scanned);
  return scanned;
}
