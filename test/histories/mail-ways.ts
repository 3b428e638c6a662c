import type { WorkflowHandle } from "@temporalio/client";
import type { Stage } from "../workflows/scripted-run.ts";

const waiting = { state: "waiting", waitMs: 30 } as const;

/** Every way a mail can go, by the name of its history. */
export const mailWays: Record<string, (stage: Stage) => Promise<WorkflowHandle>> = {
  "send-mail-sent": async (stage) => (await stage.mail([{ state: "sent" }])).handle,
  "send-mail-sent-after-waits": async (stage) =>
    (await stage.mail([waiting, waiting, { state: "sent" }])).handle,
  "send-mail-failed": async (stage) => (await stage.mail([waiting, { state: "failed" }])).handle,
  "send-mail-over": async (stage) => (await stage.mail([{ state: "over" }])).handle,
  "send-mail-faults-of-ours": async (stage) =>
    (await stage.mail([new Error("a fault of ours"), { state: "sent" }])).handle,
};
