import { randomUUID } from "node:crypto";
import { Client, ScheduleNotFoundError } from "@temporalio/client";
import type { NativeConnection } from "@temporalio/worker";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { createLog } from "../../core/log.ts";
import { namingOf, type Installation } from "../../core/model/installation.ts";
import { claimNamespace } from "../../worker/claim-namespace.ts";
import { prepareSchedules } from "../../worker/schedules.ts";
import { createProcessFixture } from "../support/process-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { createNamespace, installTestRuntime, linkTemporal } from "../support/worker.ts";

const log = createLog("test", "silent");
const first: Installation = { id: "first2", hasPlainNames: false };
const other: Installation = { id: "other2", hasPlainNames: false };
let connection: NativeConnection;
let namespace: string;

beforeAll(async () => {
  installTestRuntime();
  ({ connection } = await linkTemporal("default"));
});

beforeEach(async () => {
  namespace = await createNamespace();
});

afterAll(async () => await connection.close());

async function claim(own: Installation, takeFrom: string | null = null): Promise<boolean> {
  const stopping = new AbortController().signal;
  return await claimNamespace({ connection, namespace }, own, { log, stopping, takeFrom });
}

test("the first installation gets the namespace, again and again, also from five workers at once", async () => {
  const claims = await Promise.all(Array.from({ length: 5 }, () => claim(first)));
  expect([...claims, await claim(first)]).toEqual([true, true, true, true, true, true]);
});

test("another installation is refused with one line that says what to set", async () => {
  await claim(first);
  await expect(claim(other)).rejects.toThrow(
    `The Temporal namespace "${namespace}" belongs to installation first2, and this database is installation other2. Set TEMPORAL_NAMESPACE to a namespace of its own. Or, if first2 is gone for good, set TAKE_NAMESPACE_FROM=first2.`,
  );
  await expect(claim(other, "third2")).rejects.toThrow("belongs to installation first2");
});

test.each(["first2", "any"])(
  "a namespace is taken over from %s, with the schedules",
  async (from) => {
    const client = new Client({ connection, namespace });
    const stopping = new AbortController();
    await claim(first);
    await prepareSchedules(client, namingOf(first), { log, stopping: stopping.signal });
    stopping.abort();
    await eventually(() => client.schedule.getHandle("first2-purge").describe());
    expect(await claim(other, from)).toBe(true);
    for (const id of ["first2-purge", "first2-reconcile"]) {
      const left = client.schedule.getHandle(id).describe();
      await expect(left).rejects.toBeInstanceOf(ScheduleNotFoundError);
    }
    await expect(claim(first)).rejects.toThrow("belongs to installation other2");
  },
);

test("a server that does not answer is waited for, until the process stops", async () => {
  namespace = `t-late-${randomUUID()}`;
  const stopping = new AbortController();
  const claims = claimNamespace({ connection, namespace }, first, {
    log,
    stopping: stopping.signal,
    takeFrom: null,
  });
  await createNamespace(namespace);
  expect(await claims).toBe(true);
  stopping.abort();
  const late = { log, stopping: stopping.signal, takeFrom: null };
  expect(await claimNamespace({ connection, namespace }, first, late)).toBe(false);
});

test("a worker process ends on the namespace of another installation, and says why", async () => {
  await claim(first);
  const address = inject("temporalAddress");
  const fixture = await createProcessFixture({ temporal: { address, namespace } });
  const worker = fixture.launch("worker");
  expect(await worker.exited).toBe(1);
  expect(worker.output()).toContain("belongs to installation first2");
  await fixture.startWorker({ TAKE_NAMESPACE_FROM: "first2" });
  await fixture.stop();
});
