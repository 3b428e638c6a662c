import { BaseSequencer, type TestSpecification } from "vitest/node";
import { fromRoot } from "./imports.ts";
import { projectNames, projectOf, type ProjectName } from "./needs.ts";

/** Files that take longest. */
const longest = [
  "test/e2e/faults-mix",
  "test/e2e/faults-",
  "test/dashboard/pages",
  "test/dashboard/xss",
  "test/core/imports/hostile-files",
];

/**
 * Begins with the files that take longest, so that no process waits for one of them at the end. Files
 * of `e2e` mostly wait and files of `browser` mostly work, so they take turns.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
    const listOf = (name: ProjectName): TestSpecification[] =>
      sorted.filter(({ moduleId }) => projectOf(fromRoot(moduleId)) === name);
    const others = projectNames.filter((name) => name !== "e2e" && name !== "browser");
    return [...takeTurns(listOf("e2e"), listOf("browser")), ...others.flatMap(listOf)];
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const file = fromRoot(moduleId);
  const place = longest.findIndex((start) => file.startsWith(start));
  return place === -1 ? longest.length : place;
}

/** Merges two lists so that both end together. */
function takeTurns<T>(one: T[], other: T[]): T[] {
  const place = (index: number, list: T[]): number => (index + 0.5) / list.length;
  return [
    ...one.map((item, index) => ({ item, at: place(index, one) })),
    ...other.map((item, index) => ({ item, at: place(index, other) })),
  ]
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
