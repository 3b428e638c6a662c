import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

export default defineConfig({
  test: {
    // Threads crash Temporal's native worker.
    pool: "forks",
    maxWorkers: 3,
    // One file after the other in two processes: to load the sources anew for each took a third of the time.
    isolate: false,
    unstubEnvs: true,
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    fileParallelism: true,
    sequence: { sequencer: LongestFirst },
  },
});
