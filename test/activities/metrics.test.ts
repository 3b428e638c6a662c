import type { Registry } from "prom-client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createWorkerMetrics } from "../../activities/metrics.ts";
import { HostBusy } from "../../activities/retry-later.ts";
import { createApiMetrics } from "../../api/metrics.ts";
import { createRegistry } from "../../core/metrics.ts";
import { eventCatalogue } from "../../core/model/events.ts";
import { runActivity } from "../support/activity.ts";
import {
  answerWith,
  createAttemptFixture,
  queueDelivery,
  type AttemptFixture,
} from "./attempt-fixture.ts";

let registry: Registry;
let fixture: AttemptFixture;

beforeAll(async () => {
  registry = createRegistry();
  fixture = await createAttemptFixture(createWorkerMetrics(registry));
});

afterAll(async () => await fixture.stop());

/** What a metric may be told apart by: words of ours, of which there are few. */
const labels = [
  "by",
  "engine",
  "guard",
  "kind",
  "method",
  "outcome",
  "reason",
  "result",
  "route",
  "state",
  "status",
  "table",
  "workflow",
];

test("no metric has a label for an account, a URL or a person", () => {
  const both = createRegistry();
  createWorkerMetrics(both);
  createApiMetrics(both);
  const own = both.getMetricsAsArray().filter(({ name }) => name.startsWith("parley_"));
  const used = new Set(own.flatMap((metric): string[] => Reflect.get(metric, "labelNames") ?? []));
  expect([...used].toSorted()).toEqual(labels);
});

test("what deliveries leave in the metrics are classes and times, nothing of the customer's", async () => {
  const arrives = await queueDelivery(fixture);
  await arrives.attempt({ seq: 1 });
  const fails = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  await fails.attempt({ seq: 1 });
  await fails.attempt({ seq: 2 });
  // A run that an operator began says nothing about the wait of an event.
  const again = await queueDelivery(fixture);
  await fixture.database.dataSource.query("UPDATE deliveries SET run = 2 WHERE id = ?", [
    again.deliveryId,
  ]);
  await again.attempt({ seq: 1, run: 2 });
  await fixture.activities.cancelDelivery(fails.run);
  await fixture.activities.countDeliveries();
  await runActivity(() => fixture.activities.purgeOld({ kind: "sessions", after: null }));

  const text = await registry.metrics();
  expect(text).toContain('parley_delivery_attempts_total{outcome="ok"} 2');
  expect(text).toContain('parley_delivery_attempts_total{outcome="http_status"} 2');
  expect(text).toContain("parley_delivery_seconds_count 1");
  expect(text).toContain("parley_delivery_first_attempt_delay_seconds_count 2");
  expect(text).toContain('parley_deliveries{state="delivered"} 2');
  expect(text).toContain('parley_deliveries{state="cancelled"} 1');

  const own = text.split("\n").filter((line) => line.startsWith("parley_"));
  const values = own.flatMap((line) => [...line.matchAll(/(\w+)="([^"]*)"/g)]);
  const words = values.filter(([, label]) => label !== "le").map(([, , value]) => value ?? "");
  expect(words.filter((word) => !/^[A-Za-z_]+$/.test(word))).toEqual([]);
  const { phone, email } = eventCatalogue["contact.created"].sample;
  for (const foreign of [fixture.sink.url, arrives.eventId, String(phone), String(email)]) {
    expect(text).not.toContain(foreign);
  }
});

test.each([
  ["held", "UPDATE subscriptions SET state = 'paused' WHERE id = ?"],
  ["cancelled", "UPDATE subscriptions SET state = 'deleted' WHERE id = ?"],
  ["superseded", "UPDATE deliveries SET run = 2 WHERE subscription_id = ?"],
])("a run that ends as %s before its POST counts as finished", async (state, change) => {
  const count = async () => {
    const { values } = await fixture.deps.metrics.deliveriesFinished.get();
    return values.find(({ labels: { state: of } }) => of === state)?.value ?? 0;
  };
  const before = await count();
  const queued = await queueDelivery(fixture);
  await fixture.database.dataSource.query(change, [queued.subscriptionId]);
  expect(await queued.attempt({ seq: 1 })).toEqual({ state });
  expect(await count()).toBe(before + 1);
});

test("an attempt whose host has no free slot counts as postponed once, on the queue", async () => {
  const queued = await queueDelivery(fixture);
  const { hostLimiter } = fixture.deps;
  const { host } = new URL(fixture.sink.url);
  const taken: string[] = [];
  while (hostLimiter.available(host) > 0) {
    taken.push(`taken-${taken.length}`);
    hostLimiter.acquire(taken.at(-1) ?? "", host);
  }
  const book = vi.spyOn(hostLimiter, "retryDelayMs");
  await expect(queued.attempt({ seq: 1, inTask: true })).rejects.toThrow(HostBusy);
  await expect(queued.attempt({ seq: 1 })).rejects.toThrow(HostBusy);
  expect(book).toHaveBeenCalledTimes(1);
  book.mockRestore();
  for (const key of taken) hostLimiter.release(key, null);
  const text = await registry.metrics();
  expect(text).toContain('parley_delivery_attempts_postponed_total{reason="host_busy"} 1');
});
