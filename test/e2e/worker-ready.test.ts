import { Client } from "@temporalio/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProcessFixture, type ProcessFixture } from "../support/process-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../../dev/child.ts";
import { createNamespace, linkTemporal } from "../support/worker.ts";
import { startWire } from "../worker/engine/relay-fixture.ts";

let fixture: ProcessFixture;
let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace();
  fixture = await createProcessFixture({ temporal: { address: "unused", namespace } });
});

afterAll(async () => await fixture.stop());

test("a worker is ready once it has run a workflow, and not before", async () => {
  const wire = await startWire();
  wire.cut();
  const port = await freePort(9_500);
  const settings = { TEMPORAL_ADDRESS: wire.address, METRICS_PORT: String(port) };
  const worker = fixture.launch("worker", settings);
  const ready = async (): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
  await eventually(() => expect(worker.output()).toContain("temporal.away"), 60_000);
  expect(await ready()).toBe(503);
  wire.mend();
  await eventually(async () => expect(await ready()).toBe(200), 60_000);

  const { connection } = await linkTemporal(namespace);
  const client = new Client({ connection, namespace });
  const runs = await eventually(async () => {
    const found = [];
    for await (const run of client.workflow.list({ query: "WorkflowType = 'warmUp'" })) {
      found.push(run.status.name);
    }
    expect(found).toHaveLength(1);
    return found;
  });
  expect(runs).toEqual(["COMPLETED"]);
  await connection.close();
  await wire.stop();
});
