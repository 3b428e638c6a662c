import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { listTestFiles, projectNames, projectOf } from "./test/support/needs.ts";

const files = listTestFiles();

// A process serves the files of one project. Without a chosen project, nearly every file belongs to
// one project, so each process loads the sources once and waits of one file fill with work of others.
const isChosen = process.argv.some((argument) => argument.startsWith("--project"));
const projects = isChosen
  ? projectNames.map((name) => ({ name, include: files.filter((one) => projectOf(one) === name) }))
  : [
      { name: "all", include: files.filter((one) => !/^(image|alone)$/.test(projectOf(one))) },
      { name: "alone", include: files.filter((one) => projectOf(one) === "alone") },
    ];

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    sequence: { sequencer: LongestFirst },
    // Most wait (for a fault to pass, a timeout, a page) about as much as they work.
    maxWorkers: 4,
    projects: projects.map((project) => ({
      test: {
        ...project,
        // It begins once the files of all others have ended.
        sequence: { groupOrder: project.name === "alone" ? 1 : 0 },
        // Threads crash Temporal's native worker.
        pool: "forks",
        // One file after the other in a process: to load the sources anew for each took a third of the time.
        isolate: false,
        unstubEnvs: true,
        // Workflows run in the test's own thread. A thread for each of some hundred workers loads the
        // SDK anew, which took a quarter of the CPU. Processes that a test starts keep their threads.
        env: { TEMPORAL_DEBUG: "1" },
        setupFiles: ["test/support/tell-processes.ts"],
        testTimeout: 60_000,
        hookTimeout: 120_000,
        // A busy machine needs more than the default of one second for a polled change.
        expect: { poll: { timeout: 20_000 } },
      },
    })),
  },
});
