import { expect, test } from "vitest";
import type { ImportStep } from "../../core/model/workflow/importing.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";
import { changed } from "../../workflows/import-file.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { createScriptFixture, storyOf } from "./scripted-run.ts";

const fixture = useFixture(async () => await createScriptFixture(await startTimeSkippingFixture()));

const dayMs = 86_400_000;
const common = { handled: 20_000, total: 1_000_000 };
const more: ImportStep = { next: "more", state: "committing", ...common };
const ended: ImportStep = { next: "ended", state: "done", ...common };

function following(steps: ImportStep[]): () => Promise<ImportStep> {
  const left = [...steps];
  return async () => await Promise.resolve(left.shift() ?? ended);
}

test("an import of a million rows stays under a thousand events", async () => {
  const steps = Array.from({ length: 50 }, () => more);
  const { handle } = await fixture.importing({ runImport: following(steps) });
  expect(await handle.result()).toEqual({ state: "done" });
  const { events } = await handle.fetchHistory();
  expect(events?.length).toBeLessThan(1_000);
});

test("an import that waits looks again at its end, and at once when a person calls", async () => {
  const idle: ImportStep = { next: "idle", state: "mapping", waitMs: 7 * dayMs, ...common };
  const alone = await fixture.importing({ runImport: following([idle]) });
  expect(await alone.handle.result()).toEqual({ state: "done" });
  expect(await storyOf(alone.handle)).toContain("wait 168 h");

  const called = await fixture.importing({ runImport: following([idle]) });
  await eventually(() => expect(called.calls).toHaveLength(1));
  await called.handle.signal(changed);
  expect(await called.handle.result()).toEqual({ state: "done" });
});

test("an undo goes on until nothing is left, and waits for its turn", async () => {
  const waiting: ImportStep = { next: "idle", state: "undoing", waitMs: 60_000, ...common };
  const steps = [waiting, more];
  const { handle, calls } = await fixture.undoing({ undoImport: following(steps) });
  expect(await handle.result()).toEqual({ state: "done" });
  expect(calls).toEqual(["undoImport", "undoImport", "undoImport"]);
});
