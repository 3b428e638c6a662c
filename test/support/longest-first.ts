import { BaseSequencer, type TestSpecification } from "vitest/node";
import { projectNames } from "./needs.ts";

/** Files that take longest. */
const longest = ["/test/e2e/image", "/test/e2e/faults-mix", "/test/e2e/faults-"];

/**
 * Begins with what takes longest, so that no worker waits for it in the end, and keeps the files of a
 * project together, since a process serves one project.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const place = longest.findIndex((part) => moduleId.includes(part));
      if (place !== -1) return place - longest.length;
      return projectNames.findIndex((name) => name === project.name);
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
