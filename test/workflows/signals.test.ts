import { expect, test } from "vitest";
import { WorkflowNotFoundError } from "@temporalio/client";
import { retryWaitsMs } from "../../core/model/workflow/delivery.ts";
import { cancel, retryNow } from "../../workflows/delivery-signals.ts";
import { eventually } from "../support/eventually.ts";
import {
  createGate,
  delivered,
  failed,
  startTimeSkippingFixture,
  waitsOf,
  withRun,
  type Call,
  type FakeRun,
} from "./fake-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startTimeSkippingFixture);

const day = 86_400;
const sixthAt = 25_950;

function attempt(seq: number, at: number, number = seq, manual = false): Call {
  return { name: "attemptDelivery", seq, number, manual, at };
}

async function statusOf({ handle }: FakeRun): Promise<string> {
  return (await handle.describe()).status.name;
}

test("retry now in a middle wait posts the next number at once and later waits are as scheduled", async () => {
  await withRun(fixture, failed, async (run) => {
    await run.until(300);
    await run.handle.signal(retryNow);
    expect(await run.handle.result()).toEqual({ state: "discarded" });
    expect(run.calls).toEqual([
      attempt(1, 0),
      attempt(2, 30),
      attempt(3, 150),
      attempt(4, 300, 4, true),
      attempt(5, 3_900),
      attempt(6, 25_500),
      { name: "discardDelivery", at: 25_500 + day },
    ]);
    expect(await waitsOf(run)).toEqual(retryWaitsMs);
  });
});

test("retry now in the fifth wait begins the last wait, and the discard follows after it", async () => {
  await withRun(fixture, failed, async (run) => {
    await run.until(10_000);
    await run.handle.signal(retryNow);
    expect(await run.handle.result()).toEqual({ state: "discarded" });
    expect(run.calls.slice(5)).toEqual([
      attempt(6, 10_000, 6, true),
      { name: "discardDelivery", at: 10_000 + day },
    ]);
    expect(await waitsOf(run)).toEqual(retryWaitsMs);
  });
});

test("failed retries in the last wait post number 6 by hand and leave the discard where it is", async () => {
  await withRun(fixture, failed, async (run) => {
    await run.until(30_000);
    await run.handle.signal(retryNow);
    await run.until(60_000);
    await run.handle.signal(retryNow);
    expect(await run.handle.result()).toEqual({ state: "discarded" });
    expect(run.calls.slice(5)).toEqual([
      attempt(6, sixthAt),
      attempt(7, 30_000, 6, true),
      attempt(8, 60_000, 6, true),
      { name: "discardDelivery", at: sixthAt + day },
    ]);
    expect(await waitsOf(run)).toEqual(retryWaitsMs);
  });
});

test("a retry in the last wait that succeeds completes the run without a discard", async () => {
  await withRun(
    fixture,
    (input) => (input.manual ? delivered : failed(input)),
    async (run) => {
      await run.until(30_000);
      await run.handle.signal(retryNow);
      expect(await run.handle.result()).toEqual({ state: "delivered" });
      expect(run.calls.slice(6)).toEqual([attempt(7, 30_000, 6, true)]);
    },
  );
});

test("a second retry now while an attempt runs does not post again", async () => {
  const gate = createGate();
  await withRun(
    fixture,
    async (input) => {
      if (input.seq === 3) await gate.passed;
      return failed(input);
    },
    async (run) => {
      await run.until(60);
      await run.handle.signal(retryNow);
      await eventually(() => expect(run.calls).toHaveLength(3));
      await run.handle.signal(retryNow);
      await run.handle.signal(retryNow);
      gate.open();
      await run.until(300);
      expect(run.calls).toEqual([attempt(1, 0), attempt(2, 30), attempt(3, 60, 3, true)]);
      await run.handle.terminate();
    },
  );
});

test("a retry of who knows that the attempt is over is made although the run has yet to hear of its end", async () => {
  const gate = createGate();
  await withRun(
    fixture,
    async (input) => {
      if (input.seq === 2) await gate.passed;
      return failed(input);
    },
    async (run) => {
      await eventually(() => expect(run.calls).toHaveLength(1));
      await run.handle.signal(retryNow);
      await eventually(() => expect(run.calls).toHaveLength(2));
      await run.handle.signal(retryNow, 2);
      gate.open();
      // Also so that nothing is under way at the end: a server that skips time would stop doing so.
      await run.until(300);
      expect(run.calls.slice(2)).toMatchObject([{ seq: 3, number: 3, manual: true }]);
      await run.handle.terminate();
    },
  );
});

test("a retry that is told twice is one attempt, even after that has failed", async () => {
  await withRun(fixture, failed, async (run) => {
    await run.until(60);
    await run.handle.signal(retryNow, 2);
    await run.until(90);
    await run.handle.signal(retryNow, 2);
    await run.until(300);
    expect(run.calls).toEqual([attempt(1, 0), attempt(2, 30), attempt(3, 60, 3, true)]);
    await run.handle.terminate();
  });
});

test.each([null, "abc", {}, -1, 1_000_000])(
  "a retry with %j for a count is one of who knows what the run knows",
  async (typed) => {
    await withRun(fixture, failed, async (run) => {
      await run.until(60);
      await run.handle.signal("retryNow", typed);
      await run.until(90);
      await run.handle.signal(retryNow, 3);
      await run.until(100);
      expect(run.calls.slice(2)).toEqual([attempt(3, 60, 3, true), attempt(4, 90, 4, true)]);
      await run.handle.terminate();
    });
  },
);

test("two retries asked for at once are one attempt", async () => {
  await withRun(fixture, failed, async (run) => {
    await run.until(60);
    await Promise.all([run.handle.signal(retryNow), run.handle.signal(retryNow)]);
    await run.until(120);
    expect(run.calls).toEqual([attempt(1, 0), attempt(2, 30), attempt(3, 60, 3, true)]);
    await run.handle.terminate();
  });
});

test("retry now that starts a run which begins with a wait posts at once, and once", async () => {
  const [waitMs = 0] = retryWaitsMs;
  const attempted = {
    state: "waiting",
    waitMs,
    nextAttemptAt: "2030-01-01T00:00:00.000Z",
    statusCode: 503,
    errorClass: "http_status",
  } as const;
  await withRun(
    fixture,
    failed,
    async (run) => {
      await run.until(60);
      expect(run.calls).toEqual([attempt(2, 0, 2, true)]);
      expect(await waitsOf(run)).toEqual(retryWaitsMs.slice(1, 2));
      await run.handle.terminate();
    },
    { attempted },
    retryNow,
  );
});

test("a retry signal to a finished run changes nothing", async () => {
  await withRun(
    fixture,
    () => delivered,
    async (run) => {
      await run.handle.result();
      await expect(run.handle.signal(retryNow)).rejects.toThrow(WorkflowNotFoundError);
      expect(await statusOf(run)).toBe("COMPLETED");
      expect(run.calls).toEqual([attempt(1, 0)]);
    },
  );
});

const waysToCancel = [
  { way: "the cancel signal", ask: ({ handle }: FakeRun) => handle.signal(cancel) },
  { way: "Temporal's own cancel", ask: ({ handle }: FakeRun) => handle.cancel() },
];

test.each(waysToCancel)("$way in a wait ends the delivery as cancelled", async ({ ask }) => {
  await withRun(fixture, failed, async (run) => {
    await run.until(60);
    await ask(run);
    expect(await run.handle.result()).toEqual({ state: "cancelled" });
    expect(await statusOf(run)).toBe("COMPLETED");
    expect(run.calls.slice(2)).toEqual([{ name: "cancelDelivery", at: 60 }]);
  });
});

test.each(waysToCancel)("$way in the last wait ends the delivery as cancelled", async ({ ask }) => {
  await withRun(fixture, failed, async (run) => {
    await run.until(30_000);
    await ask(run);
    expect(await run.handle.result()).toEqual({ state: "cancelled" });
    expect(await statusOf(run)).toBe("COMPLETED");
    expect(run.calls.slice(6)).toEqual([{ name: "cancelDelivery", at: 30_000 }]);
  });
});
