import type { WorkflowHandle } from "@temporalio/client";
import type { ScriptFixture } from "../workflows/scripted-run.ts";

const waiting = { state: "waiting", waitMs: 30 } as const;

/** Every way a file can go, by the name of its history. */
export const mediaScenarios: Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>> = {
  "fetch-media-ready": async (fixture) => (await fixture.media([{ state: "ready" }])).handle,
  "fetch-media-ready-after-waits": async (fixture) =>
    (await fixture.media([waiting, waiting, { state: "ready" }])).handle,
  "fetch-media-expired": async (fixture) =>
    (await fixture.media([waiting, { state: "expired" }])).handle,
  "fetch-media-refused": async (fixture) => (await fixture.media([{ state: "refused" }])).handle,
  "fetch-media-over": async (fixture) => (await fixture.media([{ state: "over" }])).handle,
  "fetch-media-faults-of-ours": async (fixture) =>
    (await fixture.media([new Error("a fault of ours"), { state: "ready" }])).handle,
  "export-file-done": async (fixture) => (await fixture.exportFile([{ state: "done" }])).handle,
  "export-file-faults-of-ours": async (fixture) =>
    (await fixture.exportFile([new Error("a fault of ours"), { state: "failed" }])).handle,
  "purge-media": async (fixture) => {
    const left = [
      { files: 100, uploads: 3, spooled: 0, done: false },
      { files: 2, uploads: 0, spooled: 1, done: true },
    ];
    const over = { files: 0, uploads: 0, spooled: 0, done: true };
    const purgeMedia = async () => await Promise.resolve(left.shift() ?? over);
    return (await fixture.mediaPurge({ purgeMedia })).handle;
  },
};

/** Ways that take an hour of tries. */
export const longMediaScenarios: typeof mediaScenarios = {
  "export-file-given-up": async (fixture) => (await fixture.exportFile("never")).handle,
};
