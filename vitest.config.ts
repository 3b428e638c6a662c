import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

export default defineConfig({
  test: {
    // Threads crash Temporal's native worker; forks also give each file its own process to kill.
    pool: "forks",
    maxWorkers: 2,
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    fileParallelism: true,
    sequence: { sequencer: LongestFirst },
  },
});
