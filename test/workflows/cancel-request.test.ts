import { expect, test } from "vitest";
import type { AttemptOutcome } from "../../core/model/workflow/delivery.ts";
import { cancel, retryNow } from "../../workflows/delivery-signals.ts";
import { eventually } from "../support/eventually.ts";
import {
  createGate,
  delivered,
  failed,
  startRealTimeFixture,
  withRun,
  type FakeRun,
} from "./fake-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startRealTimeFixture);

const shortWaits = { waitsMs: [20, 20, 20, 20, 20, 60_000] };

const waysToCancel = [
  { way: "the cancel signal", ask: ({ handle }: FakeRun) => handle.signal(cancel) },
  { way: "Temporal's own cancel", ask: ({ handle }: FakeRun) => handle.cancel() },
];

const cases = waysToCancel.flatMap(({ way, ask }) => [
  { way, ask, word: "fails", outcome: null, state: "cancelled" },
  { way, ask, word: "succeeds", outcome: delivered, state: "delivered" },
]);

async function expectCompleted(run: FakeRun, state: string): Promise<void> {
  expect(await run.handle.result()).toEqual({ state });
  expect((await run.handle.describe()).status.name).toBe("COMPLETED");
}

test.each(cases)("$way while an attempt runs that $word: $state", async (given) => {
  const gate = createGate();
  const script = async (input: Parameters<typeof failed>[0]): Promise<AttemptOutcome> => {
    if (input.seq < 2) return failed(input);
    await gate.passed;
    return given.outcome ?? failed(input);
  };
  await withRun(
    fixture,
    script,
    async (run) => {
      await eventually(() => expect(run.calls).toHaveLength(2));
      await given.ask(run);
      gate.open();
      await expectCompleted(run, given.state);
      const names = run.calls.slice(2).map(({ name }) => name);
      expect(names).toEqual(given.state === "cancelled" ? ["cancelDelivery"] : []);
    },
    shortWaits,
  );
});

test.each(cases)("$way while the very first attempt runs that $word: $state", async (given) => {
  const gate = createGate();
  await withRun(
    fixture,
    async (input) => {
      await gate.passed;
      return given.outcome ?? failed(input);
    },
    async (run) => {
      await eventually(() => expect(run.calls).toHaveLength(1));
      await given.ask(run);
      gate.open();
      await expectCompleted(run, given.state);
    },
    { waitsMs: [5_000, 20, 20, 20, 20, 20] },
  );
});

test.each(waysToCancel)("$way reaches a run whose attempts we fail to make", async ({ ask }) => {
  let isMended = false;
  await withRun(
    fixture,
    (input) => {
      if (!isMended && input.seq === 2) throw new Error("MySQL is away");
      return failed(input);
    },
    async (run) => {
      await eventually(() => expect(run.calls.length).toBeGreaterThan(2));
      await ask(run);
      isMended = true;
      await expectCompleted(run, "cancelled");
      expect(run.calls.at(-1)?.name).toBe("cancelDelivery");
    },
    shortWaits,
  );
});

test("Temporal's own cancel while the discard runs changes nothing", async () => {
  await withRun(
    fixture,
    failed,
    async (run) => {
      await eventually(() => expect(run.calls.at(-1)?.name).toBe("discardDelivery"));
      await run.handle.cancel().catch(() => undefined);
      await expectCompleted(run, "discarded");
    },
    { waitsMs: [20, 20, 20, 20, 20, 20] },
  );
});

test("a retry asked for before the run has begun is its first attempt, not one more", async () => {
  await withRun(
    fixture,
    failed,
    async (run) => {
      await eventually(() => expect(run.calls).toHaveLength(1));
      const { input, taskQueue } = run;
      const handle = await fixture.client.workflow.signalWithStart("deliverWebhook", {
        workflowId: `asked-${taskQueue}`,
        taskQueue,
        signal: retryNow,
        args: [{ ...input, deliveryId: 3 }],
      });
      await eventually(() => expect(run.calls).toHaveLength(2));
      await run.handle.terminate();
      await handle.terminate();
      expect(run.calls.map(({ seq, number }) => [seq, number])).toEqual([
        [1, 1],
        [1, 1],
      ]);
    },
    { waitsMs: [60_000, 20, 20, 20, 20, 20] },
  );
});
