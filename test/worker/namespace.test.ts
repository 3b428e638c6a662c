import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@temporalio/client";
import { defineSearchAttributeKey } from "@temporalio/common";
import type { NativeConnection } from "@temporalio/worker";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createLog } from "../../core/log.ts";
import { searchAttributes } from "../../core/model/workflow/search-attributes.ts";
import { prepareNamespace } from "../../worker/namespace.ts";
import { asSystem, createTestAccount, createTestSubscription } from "../support/accounts.ts";
import { eventCatalogue } from "../../core/model/events.ts";
import { publish } from "../../core/services/outbox/outbox.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startSink } from "../support/sink.ts";
import {
  createNamespace,
  installTestRuntime,
  linkTemporal,
  startTestWorker,
} from "../support/worker.ts";

const preparing = { log: createLog("test", "silent"), stopping: new AbortController().signal };
let connection: NativeConnection;
let namespace: string;

beforeAll(async () => {
  installTestRuntime();
  ({ connection } = await linkTemporal("default"));
});

beforeEach(async () => {
  namespace = await createNamespace();
});

afterAll(async () => {
  await connection.close();
});

/** Whether runs may carry the attributes after the first try. */
async function isPrepared(name = namespace): Promise<boolean> {
  return (await prepareNamespace({ connection, namespace: name }, preparing))();
}

async function listAttributes(): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.keys(customAttributes);
}

test("a worker's start registers every search attribute and keeps runs for 30 days", async () => {
  expect(await isPrepared()).toBe(true);
  expect(await listAttributes()).toEqual(expect.arrayContaining(Object.keys(searchAttributes)));
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
});

test("runs may carry the attributes from the moment that a worker's start is through", async () => {
  for (let round = 0; round < 5; round += 1) {
    const fresh = await createNamespace();
    expect(await isPrepared(fresh)).toBe(true);
    const client = new Client({ connection, namespace: fresh });
    const key = defineSearchAttributeKey("ConversationId", "KEYWORD");
    await client.workflow.start("nobody", {
      workflowId: "w",
      taskQueue: "nobody",
      typedSearchAttributes: [{ key, value: "1" }],
    });
  }
});

test("a second start, or five at once, find everything there", async () => {
  const starts = Array.from({ length: 5 }, () => isPrepared());
  expect(await Promise.all(starts)).toEqual([true, true, true, true, true]);
  expect(await isPrepared()).toBe(true);
});

test("a server that takes nothing at the start is asked again, and runs carry the attributes from then on", async () => {
  namespace = `t-late-${randomUUID()}`;
  const isSearchable = await prepareNamespace(
    { connection, namespace },
    { ...preparing, everyMs: 50 },
  );
  expect(isSearchable()).toBe(false);
  await createNamespace(namespace);
  await eventually(() => expect(isSearchable()).toBe(true));
  expect(await listAttributes()).toEqual(expect.arrayContaining(Object.keys(searchAttributes)));
});

test("nothing is tried any more once the worker stops", async () => {
  namespace = `t-never-${randomUUID()}`;
  const stopping = new AbortController();
  const isSearchable = await prepareNamespace(
    { connection, namespace },
    { ...preparing, stopping: stopping.signal, everyMs: 50 },
  );
  stopping.abort();
  await createNamespace(namespace);
  await sleep(500);
  expect([isSearchable(), await eventually(listAttributes)]).toEqual([false, []]);
});

test("a longer retention that someone set stays", async () => {
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: 90 * 86_400 } as never },
  });
  await isPrepared();
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 86_400);
});

test("where an attribute has another type, deliveries work without search attributes", async () => {
  const integer = 3;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: { EventType: integer },
  });
  expect(await isPrepared()).toBe(false);

  const database = await createTestDatabase();
  const { dataSource } = database;
  const sink = await startSink();
  sink.answer = ({ headers }, response) => {
    response.writeHead(headers["x-service-attempt"] === "1" ? 500 : 204).end();
  };
  const { accountId } = await createTestAccount(dataSource);
  await createTestSubscription(dataSource, accountId, { url: sink.url });
  const worker = await startTestWorker(database, namespace, { waitsMs: [50, 50, 50, 50, 50, 50] });
  await asSystem(dataSource, accountId, (tx) =>
    publish(tx, "contact.created", eventCatalogue["contact.created"].sample),
  );
  await eventually(async () => {
    expect(await dataSource.query("SELECT state FROM deliveries")).toEqual([
      { state: "delivered" },
    ]);
  });
  expect(sink.posts).toHaveLength(2);
  await worker.stop();
  await sink.stop();
  await database.stop();
});
