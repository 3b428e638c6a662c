import { existsSync } from "node:fs";
import { join } from "node:path";
import { serverSources } from "../../cli/staleness.ts";
import { dashboardSources } from "../../dev/build/dashboard-build.ts";
import { widgetSources } from "../../dev/build/widget-build.ts";
import { repositoryRoot } from "../../dev/local.ts";
import { importsOf, readSource } from "./imports.ts";
import { listTestFiles, needsOf, projectOf } from "./needs.ts";

/** A change of these files can break every test. */
const settings = ["package.json", "package-lock.json", "tsconfig.json", "vitest.config.ts"];

/**
 * Lists the test files that a change can break. A test depends on the files that it and its fixtures
 * import, on the sources of each build that it runs, and on each file whose path its text names. The
 * unit tests are always among them: they check the sources too, and are quick.
 * @param changed paths from the root
 */
export function testsOf(changed: readonly string[]): string[] {
  const all = listTestFiles();
  const ofEveryRun = closureOf("test/support/global-setup.ts").filter(isOfTests);
  if (changed.some((path) => [...settings, ...ofEveryRun].includes(path))) return all;
  return all.filter((file) => projectOf(file) === "unit" || dependsOn(file, changed));
}

function dependsOn(file: string, changed: readonly string[]): boolean {
  const closure = closureOf(file);
  const needs = needsOf(file);
  const built = [
    ...(needs.has("serverBuild") ? serverSources : []),
    ...(needs.has("chromium") ? [...dashboardSources, ...widgetSources] : []),
  ];
  const texts = closure.filter(isOfTests).map(readSource);
  return changed.some(
    (path) =>
      closure.includes(path) ||
      built.some((source) => path === source || path.startsWith(`${source}/`)) ||
      texts.some((text) => text.includes(path)),
  );
}

function isOfTests(path: string): boolean {
  return /^(test|dev|tools)\//.test(path);
}

/** A file and all of our own files that it imports, directly or not. */
function closureOf(file: string): string[] {
  const files = new Set([file]);
  for (const one of files) for (const target of targetsOf(one)) files.add(target);
  return [...files];
}

const targets = new Map<string, string[]>();

function targetsOf(file: string): string[] {
  const known = targets.get(file);
  if (known !== undefined) return known;
  const found = /\.tsx?$/.test(file)
    ? importsOf(file)
        .map(({ target }) => target)
        .filter((target) => existsSync(join(repositoryRoot, target)))
    : [];
  targets.set(file, found);
  return found;
}
