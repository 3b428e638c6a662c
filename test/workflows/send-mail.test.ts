import { expect, test } from "vitest";
import { mailWaitsMs } from "../../core/model/workflow/mailing.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { createScriptFixture, storyOf } from "./scripted-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(async () => await createScriptFixture(await startTimeSkippingFixture()));

test("a mail server in trouble is tried after 1, 5 and 15 min, 1 h and 3 h, and then no more", async () => {
  const waits = mailWaitsMs.map((waitMs) => ({ state: "waiting", waitMs }) as const);
  const { handle } = await fixture.mail([...waits, { state: "failed" }]);
  expect(await handle.result()).toEqual({ state: "failed" });
  expect(await storyOf(handle)).toEqual([
    "postMail",
    "wait 1 min",
    "postMail",
    "wait 5 min",
    "postMail",
    "wait 15 min",
    "postMail",
    "wait 1 h",
    "postMail",
    "wait 3 h",
    "postMail",
  ]);
});

test("a mail that is over is tried once, and a fault of ours uses no try up", async () => {
  const over = await fixture.mail([{ state: "over" }]);
  expect(await over.handle.result()).toEqual({ state: "over" });
  const { handle, calls } = await fixture.mail([new Error("ours"), { state: "sent" }]);
  expect(await handle.result()).toEqual({ state: "sent" });
  expect(calls).toEqual(["postMail", "postMail"]);
});
