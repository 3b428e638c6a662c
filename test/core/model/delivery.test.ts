import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  attemptHeader,
  attemptTimeoutMs,
  canChangeDelivery,
  deliveryStates,
  deliveryTransitions,
  deliveryWorkflowId,
  eventIdHeader,
  eventTypeHeader,
  finishedDeliveryStates,
  formatWait,
  isFinishedDelivery,
  isOpenDelivery,
  maxAttempts,
  nextWaitMs,
  openDeliveryStates,
  retryWaitsMs,
  signatureHeader,
  webhookIdHeader,
  webhookSignatureHeader,
  webhookTimestampHeader,
  type DeliveryState,
  type DeliveryTrigger,
} from "../../../core/model/workflow/delivery.ts";

test("the schedule is six attempts of 8 s, and six waits of 30 s, 2 min, 10 min, 1 h, 6 h and 24 h", () => {
  expect(maxAttempts).toBe(6);
  expect(attemptTimeoutMs).toBe(8_000);
  expect(retryWaitsMs).toEqual([30_000, 120_000, 600_000, 3_600_000, 21_600_000, 86_400_000]);
});

test("the headers are the contract's four and the three of Standard Webhooks", () => {
  expect([eventTypeHeader, eventIdHeader, signatureHeader, attemptHeader]).toEqual([
    "X-Service-Event",
    "X-Service-Event-Id",
    "X-Service-Signature",
    "X-Service-Attempt",
  ]);
  expect([webhookIdHeader, webhookTimestampHeader, webhookSignatureHeader]).toEqual([
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
  ]);
});

test("every state but held is either open or finished", () => {
  expect(deliveryStates.filter(isOpenDelivery)).toEqual([...openDeliveryStates]);
  expect(deliveryStates.filter(isFinishedDelivery)).toEqual([...finishedDeliveryStates]);
  expect(
    deliveryStates.filter((state) => !isOpenDelivery(state) && !isFinishedDelivery(state)),
  ).toEqual(["held"]);
});

/** The state table of a delivery, cell by cell: all that a trigger leaves, and where it leads. */
const open: DeliveryState[] = ["queued", "sending", "waiting"];
const table: Record<DeliveryTrigger, [from: DeliveryState[], to: DeliveryState]> = {
  send: [open, "sending"],
  fail: [open, "waiting"],
  arrive: [[...open, "held"], "delivered"],
  discard: [open, "discarded"],
  hold: [open, "held"],
  cancel: [[...open, "held"], "cancelled"],
  restart: [["delivered", "discarded", "cancelled", "skipped", "held"], "queued"],
  restartLater: [["held"], "waiting"],
  recover: [open, "queued"],
};
const triggers = Object.keys(deliveryTransitions) as DeliveryTrigger[];

test.each(triggers)("%s changes the states of its row in the table, and no other", (trigger) => {
  const [from, to] = table[trigger];
  const allowed = deliveryStates.filter((state) => canChangeDelivery(state, trigger));
  expect(allowed).toEqual(deliveryStates.filter((state) => from.includes(state)));
  expect(deliveryTransitions[trigger].to).toBe(to);
});

test("only a new run leaves a finished state", () => {
  for (const state of finishedDeliveryStates) {
    expect(triggers.filter((trigger) => canChangeDelivery(state, trigger))).toEqual(["restart"]);
  }
});

test("a workflow id names event and subscription, and the run from the second on", () => {
  const eventId = "019caee1-5b7e-7c41-9d3a-2f6b80c4e117";
  expect(deliveryWorkflowId(eventId, 7, 1)).toBe(`delivery-${eventId}-7`);
  expect(deliveryWorkflowId(eventId, 7, 2)).toBe(`delivery-${eventId}-7-r2`);
  expect(deliveryWorkflowId(eventId, 7, 12)).toBe(`delivery-${eventId}-7-r12`);
});

test.each([
  [0, "0 ms"],
  [250, "250 ms"],
  [1_000, "1 s"],
  [30_000, "30 s"],
  [90_000, "1 min 30 s"],
  [120_000, "2 min"],
  [600_000, "10 min"],
  [3_600_000, "1 h"],
  [21_600_000, "6 h"],
  [86_400_000, "24 h"],
  [90_720_000, "25 h 12 min"],
])("a wait of %i ms reads %s", (ms, text) => {
  expect(formatWait(ms)).toBe(text);
});

test.each([
  ["nothing asked", { scheduledMs: 30_000, retryAfterMs: null, jitterMs: 0 }, 30_000],
  ["sooner", { scheduledMs: 30_000, retryAfterMs: 5_000, jitterMs: 0 }, 30_000],
  ["later", { scheduledMs: 30_000, retryAfterMs: 45_000, jitterMs: 0 }, 45_000],
  ["much later", { scheduledMs: 30_000, retryAfterMs: 1e12, jitterMs: 0 }, 60_000],
  ["for ever", { scheduledMs: 30_000, retryAfterMs: Infinity, jitterMs: 0 }, 60_000],
  ["in the past", { scheduledMs: 30_000, retryAfterMs: -1, jitterMs: 0 }, 30_000],
  ["unreadable", { scheduledMs: 30_000, retryAfterMs: NaN, jitterMs: 0 }, 30_000],
  ["jitter", { scheduledMs: 30_000, retryAfterMs: null, jitterMs: 1_500 }, 31_500],
  ["later and jitter", { scheduledMs: 30_000, retryAfterMs: 45_000, jitterMs: 1_500 }, 46_500],
  ["jitter over a tenth", { scheduledMs: 30_000, retryAfterMs: null, jitterMs: 9_000 }, 33_000],
  [
    "jitter over a minute",
    { scheduledMs: 86_400_000, retryAfterMs: null, jitterMs: 9e6 },
    86_460_000,
  ],
])("the next wait where the receiver asks for %s", (_name, facts, waitMs) => {
  expect(nextWaitMs(facts)).toBe(waitMs);
});

test("the next wait lies between once and twice the scheduled one, whatever is asked", () => {
  const facts = fc.record({
    scheduledMs: fc.integer({ min: 1, max: 86_400_000 }),
    retryAfterMs: fc.option(fc.double(), { nil: null }),
    jitterMs: fc.double({ noNaN: true }),
  });
  fc.assert(
    fc.property(facts, (given) => {
      const waitMs = nextWaitMs(given);
      expect(Number.isInteger(waitMs)).toBe(true);
      expect(waitMs).toBeGreaterThanOrEqual(given.scheduledMs);
      expect(waitMs).toBeLessThanOrEqual(2 * given.scheduledMs);
    }),
  );
});

test("workflow code may run the file, because it imports nothing", () => {
  const source = readFileSync(
    new URL("../../../core/model/workflow/delivery.ts", import.meta.url),
    "utf8",
  );
  expect(source).not.toMatch(/^\s*(import|export .* from)\b|\bimport\(|\brequire\(/m);
});
