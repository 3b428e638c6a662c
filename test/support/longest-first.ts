import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Folders and files in the order in which they begin: by how long they take, those apart together. */
const order = [
  "/test/e2e/faults-mix",
  "/test/e2e/",
  "/test/workflows/",
  "/test/worker/",
  "/test/activities/",
  "/test/dashboard/",
];

/** Begins with what takes longest, so that no worker waits for it in the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = order.findIndex((part) => moduleId.includes(part));
      return place === -1 ? order.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
