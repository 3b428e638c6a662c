import { ApplicationFailure } from "@temporalio/common";
import { expect, test } from "vitest";
import { retryWaitsMs } from "../../core/model/workflow/delivery.ts";
import {
  delivered,
  failed,
  startTimeSkippingFixture,
  waitsOf,
  withRun,
  type Call,
} from "./fake-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startTimeSkippingFixture);

const minute = 60;
const hour = 60 * minute;

/** The contract's schedule: 30 s, 2 min, 10 min, 1 h, 6 h between the attempts, 24 h before the discard. */
const contractTimes = [
  0,
  30,
  2 * minute + 30,
  12 * minute + 30,
  hour + 12 * minute + 30,
  7 * hour + 12 * minute + 30,
];
const discardAt = 31 * hour + 12 * minute + 30;

function attempt(seq: number, at: number, number = seq): Call {
  return { name: "attemptDelivery", seq, number, manual: false, at };
}

test("six failures are six attempts at the contract's times and a discard 24 h after the last", async () => {
  await withRun(fixture, failed, async (run) => {
    expect(await run.handle.result()).toEqual({ state: "discarded" });
    expect(await waitsOf(run)).toEqual(retryWaitsMs);
    expect(run.calls).toEqual([
      ...contractTimes.map((at, index) => attempt(index + 1, at)),
      { name: "discardDelivery", at: discardAt },
    ]);
  });
});

test("a delivery that arrives at once ends its run with one attempt", async () => {
  await withRun(
    fixture,
    () => delivered,
    async ({ handle, calls }) => {
      expect(await handle.result()).toEqual({ state: "delivered" });
      expect(calls).toEqual([attempt(1, 0)]);
    },
  );
});

test("a delivery that arrives at the third attempt ends its run there", async () => {
  await withRun(
    fixture,
    (input) => (input.number === 3 ? delivered : failed(input)),
    async ({ handle, calls }) => {
      expect(await handle.result()).toEqual({ state: "delivered" });
      expect(calls).toEqual([attempt(1, 0), attempt(2, 30), attempt(3, 150)]);
    },
  );
});

test("a run that starts at number 3 goes on with the third wait", async () => {
  await withRun(
    fixture,
    failed,
    async ({ handle, calls }) => {
      expect(await handle.result()).toEqual({ state: "discarded" });
      expect(calls).toEqual([
        attempt(1, 0, 3),
        attempt(2, 10 * minute, 4),
        attempt(3, hour + 10 * minute, 5),
        attempt(4, 7 * hour + 10 * minute, 6),
        { name: "discardDelivery", at: 31 * hour + 10 * minute },
      ]);
    },
    { firstNumber: 3 },
  );
});

test("a run that starts at number 6 has one attempt and the last wait", async () => {
  await withRun(
    fixture,
    failed,
    async ({ handle, calls }) => {
      expect(await handle.result()).toEqual({ state: "discarded" });
      expect(calls).toEqual([attempt(1, 0, 6), { name: "discardDelivery", at: 24 * hour }]);
    },
    { firstNumber: 6 },
  );
});

test("a run whose first attempt the relay has made begins with what is left of its wait, then number 2", async () => {
  await withRun(
    fixture,
    failed,
    async (run) => {
      expect(await run.handle.result()).toEqual({ state: "discarded" });
      expect(await waitsOf(run)).toEqual([29_500, ...retryWaitsMs.slice(1)]);
      expect(run.calls.map(({ seq, number, name }) => [name, seq, number])).toEqual([
        ...[2, 3, 4, 5, 6].map((number) => ["attemptDelivery", number, number]),
        ["discardDelivery", undefined, undefined],
      ]);
    },
    {
      attempted: {
        state: "waiting",
        waitMs: 29_500,
        nextAttemptAt: "2030-01-01T00:00:29.500Z",
        statusCode: 503,
        errorClass: "http_status",
      },
    },
  );
});

test("a run that goes on after a hold waits for its moment, then keeps to the schedule", async () => {
  const at = (await fixture.currentTimeMs()) + 2 * 24 * hour * 1_000;
  await withRun(
    fixture,
    failed,
    async (run) => {
      expect(await run.handle.result()).toEqual({ state: "discarded" });
      const [first = 0, ...others] = await waitsOf(run);
      expect(first).toBeGreaterThan(2 * 24 * hour * 1_000 - 60_000);
      expect(first).toBeLessThanOrEqual(2 * 24 * hour * 1_000);
      expect(others).toEqual(retryWaitsMs.slice(4));
      expect(run.calls).toEqual([
        attempt(1, 0, 5),
        attempt(2, 6 * hour, 6),
        { name: "discardDelivery", at: 30 * hour },
      ]);
    },
    { firstNumber: 5, notBefore: new Date(at).toISOString() },
  );
});

test.each(["superseded", "held", "cancelled", "discarded", "skipped"] as const)(
  "a run whose delivery turns out to be %s completes without another attempt",
  async (state) => {
    await withRun(
      fixture,
      (input) => (input.seq === 2 ? { state } : failed(input)),
      async ({ handle, calls }) => {
        expect(await handle.result()).toEqual({ state });
        expect(calls).toEqual([attempt(1, 0), attempt(2, 30)]);
      },
    );
  },
);

test("the wait is the one that the attempt answers, so a receiver's Retry-After counts", async () => {
  await withRun(
    fixture,
    (input) => (input.number === 1 ? failed(input, 55_000) : delivered),
    async ({ handle, calls }) => {
      expect(await handle.result()).toEqual({ state: "delivered" });
      expect(calls).toEqual([attempt(1, 0), attempt(2, 55)]);
    },
  );
});

test("a wait that is already over is no wait", async () => {
  await withRun(
    fixture,
    (input) => (input.number === 1 ? failed(input, 0) : delivered),
    async ({ handle, calls }) => {
      expect(await handle.result()).toEqual({ state: "delivered" });
      expect(calls).toEqual([attempt(1, 0), attempt(2, 0)]);
      const { events } = await handle.fetchHistory();
      const markers = events?.filter((event) => event.markerRecordedEventAttributes);
      expect(markers?.map((event) => event.markerRecordedEventAttributes?.markerName)).toEqual([
        "core_local_activity",
      ]);
    },
  );
});

test("a fault of our own repeats the attempt with its number and uses none up", async () => {
  let faults = 0;
  await withRun(
    fixture,
    (input) => {
      if (input.number <= 2 && (faults += 1) % 5 !== 0) throw new Error("MySQL is away");
      return input.number === 3 ? delivered : failed(input);
    },
    async ({ handle, calls }) => {
      expect(await handle.result()).toEqual({ state: "delivered" });
      const steps = calls.map(({ seq, number, manual }) => ({ seq, number, manual }));
      expect(steps).toEqual([
        ...Array.from({ length: 5 }, () => ({ seq: 1, number: 1, manual: false })),
        ...Array.from({ length: 5 }, () => ({ seq: 2, number: 2, manual: false })),
        { seq: 3, number: 3, manual: false },
      ]);
    },
  );
});

test("a first attempt that we fail to make goes on as an activity that operators see", async () => {
  let calls = 0;
  await withRun(
    fixture,
    () => {
      if ((calls += 1) <= 3) throw new Error("MySQL is away");
      return delivered;
    },
    async ({ handle }) => {
      expect(await handle.result()).toEqual({ state: "delivered" });
      const { events } = await handle.fetchHistory();
      const scheduled = events?.filter((event) => event.activityTaskScheduledEventAttributes);
      expect(scheduled).toHaveLength(1);
    },
  );
});

test.each([
  { searchable: true, upserts: 3 },
  { searchable: false, upserts: 0 },
])("search attributes are set only where the server knows them: $searchable", async (given) => {
  await withRun(
    fixture,
    (input) => (input.number === 3 ? delivered : failed(input)),
    async ({ handle }) => {
      await handle.result();
      const { events } = await handle.fetchHistory();
      const upserts = events?.filter(
        (event) => event.upsertWorkflowSearchAttributesEventAttributes,
      );
      expect(upserts).toHaveLength(given.upserts);
    },
    { searchable: given.searchable },
  );
});

test.each(["HostBusy", "AttemptUnderWay"])(
  "a first attempt that may not begin yet (%s) waits on the queue, and not in its task",
  async (type) => {
    let tries = 0;
    await withRun(
      fixture,
      () => {
        tries += 1;
        if (tries === 1) throw ApplicationFailure.create({ type, nextRetryDelay: 1_000 });
        return delivered;
      },
      async ({ handle }) => {
        expect(await handle.result()).toEqual({ state: "delivered" });
        expect(tries).toBe(2);
        const { events = [] } = await handle.fetchHistory();
        const queued = events?.filter((event) => event.activityTaskScheduledEventAttributes);
        expect(queued).toHaveLength(1);
      },
    );
  },
);
