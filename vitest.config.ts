import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { listTestFiles, projectNames, projectOf } from "./test/support/needs.ts";

const each = {
  // Threads crash Temporal's native worker.
  pool: "forks",
  // One file after the other in a process: to load the sources anew for each took a third of the time.
  isolate: false,
  unstubEnvs: true,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // What is polled comes by itself, and on a busy machine not within the second that is the default.
  expect: { poll: { timeout: 20_000 } },
} as const;

const whole = { setupFiles: ["test/support/tell-processes.ts"], testTimeout: 150_000 };

const files = listTestFiles();

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    sequence: { sequencer: LongestFirst },
    // Most wait (for a fault to pass, a timeout, a page) about as much as they work.
    maxWorkers: 3,
    projects: projectNames.map((name) => ({
      test: {
        ...each,
        ...(name === "e2e" ? whole : {}),
        name,
        include: files.filter((file) => projectOf(file) === name),
      },
    })),
  },
});
