import { join } from "node:path";
import { Client } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SendOutcome } from "../../core/model/workflow/sending.ts";
import { startTemporal, type TemporalServer } from "../../dev/servers/temporal.ts";
import { bundleWorkflows } from "../../worker/workflow-bundle.ts";
import { retryNow } from "../../workflows/delivery-signals.ts";
import { eventually } from "../support/eventually.ts";
import { runFolder } from "../support/run-folder.ts";
import { installTestRuntime } from "../support/worker.ts";
import { delivered, failed, withRun, type WorkflowFixture } from "./fake-run.ts";
import { createScriptFixture, storyOf } from "./scripted-run.ts";

let server: TemporalServer;
let fixture: WorkflowFixture;

beforeAll(async () => {
  installTestRuntime();
  server = await startTemporal({
    headless: true,
    port: 0,
    settings: { "limit.historyCount.suggestContinueAsNew": 60 },
    pidFile: join(runFolder, "temporal.pid"),
    log: () => undefined,
  });
  const connection = await NativeConnection.connect({ address: server.address });
  fixture = {
    connection,
    client: new Client({ connection }),
    workflowBundle: await bundleWorkflows(),
    currentTimeMs: async () => await Promise.resolve(Date.now()),
    sleep: async () => await Promise.resolve(),
    stop: () => connection.close(),
  };
}, 90_000);

afterAll(async () => {
  await fixture.stop();
  await server.stop();
});

test("retries in the last wait begin the history anew, with their count, and none is lost", async () => {
  const retries = 60;
  const script = ({ seq }: { seq: number }) =>
    seq === 6 + retries ? delivered : failed({ number: 6, waitsMs: [20] } as never, 60_000);
  const given = { waitsMs: [20, 20, 20, 20, 20, 20], firstNumber: 6, firstSeq: 6 };
  await withRun(
    fixture,
    (input) => script(input),
    async ({ handle, calls }) => {
      const { runId } = await handle.describe();
      for (let made = 1; made <= retries; made += 1) {
        await eventually(() => expect(calls).toHaveLength(made));
        // As the API asks: by how many attempts of the run MySQL knows to be over.
        await handle.signal(retryNow, 5 + made);
      }
      expect(await handle.result()).toEqual({ state: "delivered" });
      expect(calls.map(({ seq, number }) => [seq, number])).toEqual(
        Array.from({ length: retries + 1 }, (_, index) => [6 + index, 6]),
      );
      const last = await handle.describe();
      expect(last.runId).not.toBe(runId);
      const first = await fixture.client.workflow.getHandle(handle.workflowId, runId).describe();
      expect(first.status.name).toBe("CONTINUED_AS_NEW");
    },
    given,
  );
});

test.each(["order", "channel"] as const)(
  "a message that waits often for %s begins its history anew, and leaves once",
  async (why) => {
    const looks = 15;
    const waiting: SendOutcome = { state: "waiting", waitMs: 20, why };
    const outcomes = Array.from({ length: looks }, () => waiting);
    const stage = await createScriptFixture({ ...fixture, stop: async () => undefined });
    try {
      const { handle, calls } = await stage.message([...outcomes, { state: "sent", reports: [] }]);
      expect(await handle.result()).toEqual({ state: "sent" });
      expect(calls).toHaveLength(looks + 1);
      const { events } = await handle.fetchHistory();
      const begun = events?.[0]?.workflowExecutionStartedEventAttributes;
      expect(begun?.firstExecutionRunId).not.toBe(begun?.originalExecutionRunId);
      const runId = begun?.firstExecutionRunId ?? "";
      const first = await fixture.client.workflow.getHandle(handle.workflowId, runId).describe();
      expect(first.status.name).toBe("CONTINUED_AS_NEW");
      // After trouble of the channel each hand-over stays an activity of its own.
      const onTheQueue = events?.filter((event) => event.activityTaskScheduledEventAttributes);
      expect(onTheQueue?.length).toBe(why === "order" ? 0 : countSteps(await storyOf(handle)));
    } finally {
      await stage.stop();
    }
  },
);

function countSteps(story: readonly string[]): number {
  return story.filter((step) => step === "sendToChannel").length;
}
