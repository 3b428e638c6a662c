import type { WorkflowHandle } from "@temporalio/client";
import type { ScriptFixture } from "../workflows/scripted-run.ts";

const waiting = { state: "waiting", waitMs: 30 } as const;

/** Every way a mail can go, by the name of its history. */
export const mailScenarios: Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>> = {
  "send-mail-sent": async (fixture) => (await fixture.mail([{ state: "sent" }])).handle,
  "send-mail-sent-after-waits": async (fixture) =>
    (await fixture.mail([waiting, waiting, { state: "sent" }])).handle,
  "send-mail-failed": async (fixture) => (await fixture.mail([waiting, { state: "failed" }])).handle,
  "send-mail-over": async (fixture) => (await fixture.mail([{ state: "over" }])).handle,
  "send-mail-faults-of-ours": async (fixture) =>
    (await fixture.mail([new Error("a fault of ours"), { state: "sent" }])).handle,
};
