import { localPath } from "../../dev/local.ts";

/** Where a test file keeps servers of its own; named so that the global setup clears up after a killed run. */
export const ownFolder = localPath("test", `run-${process.pid}`);
