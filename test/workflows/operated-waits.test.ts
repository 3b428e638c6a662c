import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Client, type WorkflowHandle } from "@temporalio/client";
import { Worker } from "@temporalio/worker";
import { createHostLimiter } from "../../activities/limits/host-limiter.ts";
import {
  retryWaitsMs,
  type AttemptInput,
  type AttemptOutcome,
  type DeliveryRun,
} from "../../core/model/workflow/delivery.ts";
import { plainNames } from "../../core/model/installation.ts";
import { eventCatalogue } from "../../core/model/events.ts";
import { retryDelivery } from "../../core/services/deliveries/delivery-actions.ts";
import { beginAttempts } from "../../core/services/deliveries/begin-attempts.ts";
import { completeAttempts } from "../../core/services/deliveries/complete-attempts.ts";
import { discardDelivery } from "../../core/services/deliveries/delivery-ends.ts";
import {
  holdOpenDeliveries,
  resumeHeldDeliveries,
} from "../../core/services/deliveries/delivery-holds.ts";
import { publish } from "../../core/services/outbox/outbox.ts";
import {
  pauseSubscription,
  resumeSubscription,
} from "../../core/services/subscriptions/subscriptions.ts";
import type { Tx } from "../../db/transaction.ts";
import { startWorkflow } from "../../worker/engine/start-workflow.ts";
import type { deliverWebhook } from "../../workflows/deliver-webhook.ts";
import { asSystem, createTestAccount, createTestSubscription } from "../support/accounts.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { claimDue } from "../support/outbox.ts";
import { startTimeSkippingFixture, waitsOf } from "./fake-run.ts";
import { useFixture } from "../support/use-fixture.ts";

// The contract's own waits, with MySQL and the relay's starts as they are; only the clock and the
// receiver, which always fails, are played.
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** When attempt 4 is made: after 30 s, 2 min and 10 min. */
const fourthAt = 12 * minute + 30 * second;

const fixture = useFixture(startTimeSkippingFixture);
/** On the worker's connection, as the relay's; and time stands still for what it waits for. */
let client: Client;
let database: TestDatabase;
let worker: Worker;
let working: Promise<void>;
let accountId: number;
let attempts: { run: number; seq: number; number: number; manual: boolean; at: number }[];
let discardedAt: number | null;

/** A service at the moment that the server's clock shows. */
const atPresent = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
  const now = new Date(await fixture.currentTimeMs());
  return await asSystem(database.dataSource, accountId, (tx) => work({ ...tx, now }));
};

async function failAttempt(input: AttemptInput): Promise<AttemptOutcome> {
  const start = await only((tx) => beginAttempts(tx, [input], () => true));
  if (!start.go) return "outcome" in start ? start.outcome : { state: "superseded" };
  const { run, seq, number, manual } = input;
  attempts.push({ run, seq, number, manual, at: await fixture.currentTimeMs() });
  const answer = { statusCode: 500, errorClass: "http_status", ip: "127.0.0.1", durationMs: 1 };
  const nothing = { requestHeaders: {}, responseHeaders: null, responseExcerpt: null };
  const waitMs = input.waitsMs[number - 1] ?? 0;
  const record = { ok: false, ...answer, ...nothing, waitMs };
  return await only((tx) => completeAttempts(tx, [{ input, record }]));
}

/** What a service for many says of the only one. */
async function only<T>(work: (tx: Tx) => Promise<(T | Error)[]>): Promise<T> {
  const [result] = await atPresent(work);
  if (result instanceof Error) throw result;
  if (result === undefined) throw new Error("There is no result.");
  return result;
}

beforeAll(async () => {
  client = new Client({ connection: fixture.connection });
  database = await createTestDatabase();
  ({ accountId } = await createTestAccount(database.dataSource));
  worker = await Worker.create({
    connection: fixture.connection,
    taskQueue: "deliveries",
    workflowBundle: fixture.workflowBundle,
    activities: {
      attemptDelivery: failAttempt,
      async discardDelivery(run: DeliveryRun) {
        discardedAt = await fixture.currentTimeMs();
        return await atPresent((tx) => discardDelivery(tx, run));
      },
    },
  });
  working = worker.run();
});

beforeEach(() => {
  attempts = [];
  discardedAt = null;
});

afterAll(async () => {
  worker.shutdown();
  await working;
  await database.stop();
});

/** A delivery whose receiver fails, in its fourth wait: an hour, after attempt 4. */
async function failFourTimes(): Promise<{ id: number; subscriptionId: number }> {
  const { dataSource } = database;
  const url = "https://receiver.example/hook";
  const { id: subscriptionId } = await createTestSubscription(dataSource, accountId, { url });
  const { deliveryIds } = await atPresent((tx) =>
    publish(tx, "contact.created", eventCatalogue["contact.created"].sample, { subscriptionId }),
  );
  await relay();
  await until(fourthAt + 20 * minute);
  expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  return { id: deliveryIds[0] ?? 0, subscriptionId };
}

/** Tells the server of what the outbox holds, as the relay does. */
async function relay(): Promise<void> {
  const hostLimiter = createHostLimiter();
  const options = {
    client,
    waitsMs: retryWaitsMs,
    naming: plainNames,
    isSearchable: () => false,
    hostLimiter,
  };
  const rows = await asSystem(database.dataSource, 0, (tx) => claimDue(tx, 10));
  // The workflows that hold and resume are asked for beside: here their steps are taken one by one.
  const own = rows.filter(({ delivery_id }) => delivery_id !== null);
  for (const row of own) expect(await startWorkflow(options, row)).toBe("started");
  await database.dataSource.query("DELETE FROM outbox");
}

/** Lets the server's time go on until `ms` after the first attempt. */
async function until(ms: number): Promise<void> {
  const first = await eventually(() => {
    if (attempts[0] === undefined) throw new Error("not attempted yet");
    return attempts[0].at;
  });
  await fixture.sleep(first + ms - (await fixture.currentTimeMs()));
}

/** Down to the last 5 s: the server's clock also counts what the machine itself takes. */
const sinceFirst = (at: number) =>
  Math.floor((at - (attempts[0]?.at ?? 0) + 500) / (5 * second)) * 5 * second;
/** Attempts from number 5 on, and when after the first one. */
const later = () =>
  attempts
    .slice(4)
    .map(({ run, number, manual, at }) => ({ run, number, manual, at: sinceFirst(at) }));

async function handleOf(id: number): Promise<WorkflowHandle<typeof deliverWebhook>> {
  const [row] = await database.dataSource.query<{ workflow_id: string }[]>(
    "SELECT workflow_id FROM deliveries WHERE id = ?",
    [id],
  );
  return fixture.client.workflow.getHandle(row?.workflow_id ?? "");
}

async function readRow(id: number): Promise<Record<string, unknown> | undefined> {
  const [row] = await database.dataSource.query<Record<string, unknown>[]>(
    "SELECT state, run, first_number, next_attempt_at FROM deliveries WHERE id = ?",
    [id],
  );
  return row;
}

test("retry now in the fourth wait makes attempt 5 at once, and the next wait is the fifth, 6 h", async () => {
  const { id } = await failFourTimes();
  const asked = fourthAt + 20 * minute;
  await atPresent((tx) => retryDelivery(tx, id));
  await relay();
  const handle = await handleOf(id);
  expect(await handle.result()).toEqual({ state: "discarded" });
  expect(later()).toEqual([
    { run: 1, number: 5, manual: true, at: asked },
    { run: 1, number: 6, manual: false, at: asked + 6 * hour },
  ]);
  expect(sinceFirst(discardedAt ?? 0)).toBe(asked + 6 * hour + day);
  // The fourth wait is there with its whole hour, cut short; to the millisecond, the others follow.
  const waits = await waitsOf({ handle });
  expect(waits).toHaveLength(6);
  for (const [index, wait] of waits.entries()) {
    expect(wait).toBeGreaterThan((retryWaitsMs[index] ?? 0) - second);
    expect(wait).toBeLessThanOrEqual(retryWaitsMs[index] ?? 0);
  }
});

test("paused in the fourth wait and resumed two days later: number 5 at once, then 6 h", async () => {
  const { id, subscriptionId } = await failFourTimes();
  const { workflowId } = await handleOf(id);
  await atPresent((tx) => pauseSubscription(tx, subscriptionId));
  const held = await atPresent((tx) => holdOpenDeliveries(tx, subscriptionId, 10));
  expect(held).toEqual({ changed: 1, next: null });
  const resumedAt = fourthAt + 20 * minute + 2 * day;
  await until(resumedAt);
  expect(await client.workflow.getHandle(workflowId).result()).toEqual({ state: "held" });
  expect(attempts).toHaveLength(4);
  await resume(subscriptionId);
  expect(await readRow(id)).toMatchObject({ state: "queued", run: 2, first_number: 5 });
  await relay();
  expect(await (await handleOf(id)).result()).toEqual({ state: "discarded" });
  expect(later()).toEqual([
    { run: 2, number: 5, manual: false, at: resumedAt },
    { run: 2, number: 6, manual: false, at: resumedAt + 6 * hour },
  ]);
  expect(sinceFirst(discardedAt ?? 0)).toBe(resumedAt + 6 * hour + day);
});

test("paused and resumed within the fourth wait: number 5 at its own time, once", async () => {
  const { id, subscriptionId } = await failFourTimes();
  const first = await handleOf(id);
  const before = await readRow(id);
  await atPresent((tx) => pauseSubscription(tx, subscriptionId));
  const held = await atPresent((tx) => holdOpenDeliveries(tx, subscriptionId, 10));
  expect(held).toEqual({ changed: 1, next: null });
  await until(fourthAt + 40 * minute);
  await resume(subscriptionId);
  const { next_attempt_at } = before ?? {};
  expect(await readRow(id)).toEqual({ state: "waiting", run: 2, first_number: 5, next_attempt_at });
  await relay();
  expect(await (await handleOf(id)).result()).toEqual({ state: "discarded" });
  // The old run sleeps on, wakes at the same moment, and finds the newer one.
  expect(await first.result()).toEqual({ state: "superseded" });
  expect(later()).toEqual([
    { run: 2, number: 5, manual: false, at: fourthAt + hour },
    { run: 2, number: 6, manual: false, at: fourthAt + 7 * hour },
  ]);
});

async function resume(subscriptionId: number): Promise<void> {
  await atPresent((tx) => resumeSubscription(tx, subscriptionId));
  const resumed = await atPresent((tx) => resumeHeldDeliveries(tx, subscriptionId, 10));
  expect(resumed).toEqual({ changed: 1, next: null });
}
