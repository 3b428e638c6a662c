import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker, type WorkflowBundle } from "@temporalio/worker";
import { DeterminismViolationError } from "@temporalio/workflow";
import { historyFromJSON } from "@temporalio/common/lib/proto-utils.js";
import { beforeAll, expect, test } from "vitest";
import { bundleWorkflows } from "../../worker/workflow-bundle.ts";
import { installTestRuntime } from "../support/worker.ts";

const folder = fileURLToPath(new URL("../histories", import.meta.url));
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .toSorted();

let workflowBundle: WorkflowBundle;

/** Errors of the replays by file, undefined where a run would go on. */
const replays = new Map<string, Error | undefined>();

beforeAll(async () => {
  installTestRuntime();
  workflowBundle = await bundleWorkflows();
  // One worker for all: each loads the bundle anew, which takes far longer than a replay.
  const histories = names.map((name) => ({
    workflowId: name,
    history: historyFromJSON(JSON.parse(textOf(name))),
  }));
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle },
    histories,
  )) {
    replays.set(workflowId, error);
  }
});

function textOf(name: string): string {
  return readFileSync(`${folder}/${name}`, "utf8");
}

async function replay(text: string): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle }, JSON.parse(text));
}

test("there is a history of every way a run can go", () => {
  expect(names.map((name) => name.replace(".json", ""))).toEqual([
    "agent-cases-queued-again",
    "agent-cases-run",
    "agent-turn-after-silence",
    "agent-turn-answers-both",
    "agent-turn-begun-again",
    "agent-turn-blocked-once",
    "agent-turn-draft-requested",
    "agent-turn-faults-of-ours",
    "agent-turn-handed-over-by-a-tool",
    "agent-turn-idle",
    "agent-turn-model-failed",
    "agent-turn-model-tried-again",
    "agent-turn-never-done",
    "agent-turn-paused-before-a-tool",
    "agent-turn-paused-in-a-step",
    "agent-turn-replied",
    "agent-turn-superseded",
    "agent-turn-with-tools",
    "apply-calendly-faults-of-ours",
    "apply-calendly",
    "cancel-deliveries",
    "deliver-webhook-begins-anew",
    "deliver-webhook-begun-anew",
    "deliver-webhook-cancel-before-its-start",
    "deliver-webhook-cancel-request-in-the-last-wait",
    "deliver-webhook-cancel-request",
    "deliver-webhook-cancel-signal",
    "deliver-webhook-delivered-at-first",
    "deliver-webhook-delivered-at-third",
    "deliver-webhook-discarded",
    "deliver-webhook-faults-of-ours",
    "deliver-webhook-held",
    "deliver-webhook-retries-in-the-last-wait",
    "deliver-webhook-retry-before-its-start",
    "deliver-webhook-retry-in-a-middle-wait",
    "deliver-webhook-retry-in-the-last-wait-arrives",
    "deliver-webhook-retry-told-before-the-outcome",
    // Of before: a retry that came with the start was not heard.
    "deliver-webhook-retry-with-its-start-unheard",
    "deliver-webhook-retry-with-its-start",
    "deliver-webhook-starts-at-its-first-wait",
    "deliver-webhook-starts-at-third",
    "deliver-webhook-starts-later",
    "erase-contact-searching-calls",
    // Of before: the request itself had searched the inbound calls.
    "erase-contact",
    "export-file-done",
    "export-file-faults-of-ours",
    "export-file-given-up",
    "fetch-media-expired",
    "fetch-media-faults-of-ours",
    "fetch-media-over",
    "fetch-media-ready-after-waits",
    "fetch-media-ready",
    "fetch-media-refused",
    "handoff-begun-by-a-reply",
    "handoff-ended-before-the-escalation",
    "handoff-ended-before-the-reminder",
    "handoff-ended-in-the-silence",
    "handoff-ended-signal-first",
    "handoff-escalation-before-the-reminder",
    "handoff-faults-of-ours",
    "handoff-nobody-answers",
    "handoff-past-at-its-begin",
    "handoff-past-at-the-escalation",
    "handoff-past-at-the-reminder",
    "handoff-past-in-the-silence",
    "handoff-replied-before-the-escalation",
    "handoff-replied-before-the-reminder",
    "handoff-replied-signal-first",
    "handoff-replied-without-a-signal",
    "handoff-returned-after-a-reply",
    "handoff-returned-after-the-escalation",
    "handoff-returned-before-the-escalation",
    "hold-deliveries",
    "import-file-done",
    "import-file-expired",
    "import-file-faults-of-ours",
    "import-file-waits-for-its-turn",
    "pair-calendly-cancelled",
    "purge-media",
    "purge",
    "reconcile-calendly-woken",
    "reconcile-every-kind",
    "reconcile-in-parts",
    "reconcile",
    "refresh-page-failed",
    "refresh-page-faults-of-ours",
    "refresh-page-over",
    "refresh-page-ready",
    "refresh-pages",
    "refresh-templates",
    "remind-appointment-cancelled-in-temporal",
    "remind-appointment-cancelled",
    "remind-appointment-faults-of-ours",
    "remind-appointment-moved",
    "remind-appointment-over",
    "remind-appointment-sent",
    "remind-appointment-signal-first",
    "remind-appointment-skipped",
    "replay-deliveries",
    "reschedule-calendar-unavailable",
    "reschedule-cancelled-in-temporal",
    "reschedule-committed-after-waits",
    "reschedule-committed",
    "reschedule-faults-of-ours",
    "reschedule-refused-by-the-calendar",
    "reschedule-released-at-the-commit",
    "reschedule-replaced",
    "reseal",
    "resume-deliveries",
    "send-mail-failed",
    "send-mail-faults-of-ours",
    "send-mail-over",
    "send-mail-sent-after-waits",
    "send-mail-sent",
    "send-message-begins-anew",
    "send-message-cancelled-in-temporal",
    "send-message-cancelled",
    "send-message-failed",
    "send-message-faults-of-ours",
    "send-message-held",
    // Of before: each step was an activity on the queue.
    "send-message-on-the-queue-cancelled-in-temporal",
    "send-message-on-the-queue-cancelled",
    "send-message-on-the-queue-failed",
    "send-message-on-the-queue-faults-of-ours",
    "send-message-on-the-queue-over",
    "send-message-on-the-queue-sent-after-waits",
    "send-message-on-the-queue-sent-in-silence",
    "send-message-on-the-queue-sent",
    "send-message-on-the-queue-unknown",
    "send-message-over",
    "send-message-sent-after-waits",
    "send-message-sent-in-silence",
    "send-message-sent",
    "send-message-unknown",
    "send-message-with-a-file",
    "snooze-changed",
    "snooze-ended",
    "snooze-faults-of-ours",
    "snooze-over",
    "snooze-signal-first",
    "sync-appointment",
    "sync-calendar-announced-while-waiting",
    "sync-calendar-ended",
    "sync-calendar-in-trouble",
    "sync-templates-after-a-wait",
    "sync-templates-given-up",
    "sync-templates-over",
    "sync-templates-read-at-the-third-try",
    "sync-templates-refused",
    "tell-calendly",
    "undo-import-undone",
    "watch-calendar-ended",
    "watch-calendar-renews",
  ]);
});

test.each(names)("a run under way would go on: %s", (name) => {
  expect(replays.has(name)).toBe(true);
  expect(replays.get(name)).toBeUndefined();
});

test.each([
  ["another activity", '"name":"discardDelivery"', '"name":"forgetDelivery"'],
  ["another order of signals", '"signalName":"retryNow"', '"signalName":"cancel"'],
])("a history of %s is refused, so the replay can fail", async (_, from, to) => {
  const spaced = from.replace(":", ": ");
  const text = textOf("deliver-webhook-retries-in-the-last-wait.json");
  const mutated = text.replaceAll(from, to).replaceAll(spaced, to);
  expect(mutated).not.toBe(text);
  await expect(replay(mutated)).rejects.toThrow(DeterminismViolationError);
});

test.each(["deliver-webhook-delivered-at-first", "send-message-sent-in-silence"])(
  "a run that arrives at once is six events long: %s",
  (name) => {
    const { events } = historyFromJSON(JSON.parse(textOf(`${name}.json`)));
    expect(events).toHaveLength(6);
  },
);

test("every workflow file fits on a screen: 60 lines without comments and blank ones", () => {
  const sources = fileURLToPath(new URL("../../workflows", import.meta.url));
  const tooLong = readdirSync(sources).filter((name) => {
    const lines = readFileSync(`${sources}/${name}`, "utf8").split("\n");
    return lines.filter((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line)).length > 60;
  });
  expect(tooLong).toEqual([]);
});
