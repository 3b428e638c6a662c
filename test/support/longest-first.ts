import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Folders and files that take longest; what is left takes seconds. */
const long = [
  "/test/e2e/faults-mix",
  "/test/e2e/faults-",
  "/test/e2e/",
  "/test/dashboard/",
  "/test/workflows/",
  "/test/worker/",
];

/** Begins with what takes longest, so that no worker waits for it in the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = long.findIndex((part) => moduleId.includes(part));
      return place === -1 ? long.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
