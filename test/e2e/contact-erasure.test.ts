import { Client } from "@temporalio/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { retryNow } from "../../workflows/delivery-signals.ts";
import { receive } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import {
  createNamespace,
  installTestRuntime,
  linkTemporal,
  startTestWorker,
  type TestWorker,
} from "../support/worker.ts";
import {
  echo,
  findRows,
  startErasureFixture,
  type ErasureFixture,
} from "../api/dashboard/erasure-fixture.ts";

let fixture: ErasureFixture;
let worker: TestWorker;
let temporal: Client;
let stopLink: () => Promise<void>;

beforeAll(async () => {
  installTestRuntime();
  fixture = await startErasureFixture();
  const namespace = await createNamespace();
  const link = await linkTemporal(namespace);
  temporal = new Client(link);
  stopLink = async () => await link.connection.close();
  worker = await startTestWorker(fixture.database, namespace);
});

afterAll(async () => {
  await worker.stop();
  await stopLink();
  await fixture.stop();
});

test("an erasure ends in Temporal: nothing is left, and sleeping runs complete when they wake", async () => {
  const { accountId } = fixture.account;
  echo(fixture.sink, 500);
  const words = ["canaryna", "34600777123"];
  const { row } = await receive(fixture.database.dataSource, accountId, {
    from: "34600777123",
    name: "Canaryna",
    content: "Soy Canaryna",
  });
  const runs = async () =>
    await fixture.query<{ workflow_id: string; state: string; reason: string | null }>(
      "SELECT workflow_id, state, reason FROM deliveries WHERE workflow_id IS NOT NULL ORDER BY id",
    );
  await eventually(async () => {
    expect((await runs()).map(({ state }) => state)).toEqual(["waiting", "waiting", "waiting"]);
  });
  expect(await findRows(fixture, words)).not.toEqual([]);

  const erased = await fixture.panel("DELETE", `/contacts/${row.contactId}`);
  expect(erased.status).toBe(200);
  await eventually(async () => expect(await findRows(fixture, words)).toEqual([]));
  const ended = await runs();
  expect(ended.map(({ state, reason }) => [state, reason])).toEqual(
    Array(3).fill(["cancelled", "erased"]),
  );
  const posts = fixture.sink.posts.length;
  for (const { workflow_id: id } of ended) {
    const handle = temporal.workflow.getHandle(id);
    await handle.signal(retryNow);
    expect(await handle.result()).toEqual({ state: "cancelled" });
  }
  expect(fixture.sink.posts).toHaveLength(posts);

  const handle = temporal.workflow.getHandle(`erase-contact-${row.contactId}`);
  const kept = JSON.stringify([await handle.describe(), await handle.fetchHistory()], (_, value) =>
    value instanceof Uint8Array || value?.type === "Buffer"
      ? Buffer.from(value.data ?? value).toString("latin1")
      : typeof value === "bigint"
        ? String(value)
        : (value as unknown),
  ).toLowerCase();
  expect(kept).toContain("erasecontactevents");
  expect(words.filter((word) => kept.includes(word))).toEqual([]);
});
