import { Client } from "@temporalio/client";
import { arrayFromPayloads, defaultPayloadConverter } from "@temporalio/common";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { plainNames } from "../../../core/model/installation.ts";
import { createLog } from "../../../core/log.ts";
import { messageSendBody } from "../../../core/model/message.ts";
import type { WorkflowCommand } from "../../../core/model/workflow/workflow-command.ts";
import { setBot } from "../../../core/services/conversations/conversations.ts";
import { sendMessage } from "../../../core/services/conversations/messages.ts";
import { claimOutboxRows } from "../../../core/services/outbox/outbox-claims.ts";
import { claimDue } from "../../support/outbox.ts";
import { request, signalDelivery } from "../../../core/services/outbox/outbox.ts";
import { transaction, type Tx } from "../../../db/transaction.ts";
import { prepareNamespace } from "../../../worker/namespace.ts";
import { startWorkflow, type StartOptions } from "../../../worker/engine/start-workflow.ts";
import { asSystem } from "../../support/accounts.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { receive } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { createNamespace, linkTemporal } from "../../support/worker.ts";
import { storyOf } from "../../workflows/scripted-run.ts";
import { countsOf, createRelayFixture, type RelayFixture } from "./relay-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(createRelayFixture);
let link: Awaited<ReturnType<typeof linkTemporal>>;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  link = await linkTemporal(fixture.namespace);
  const stopping = new AbortController().signal;
  await prepareNamespace(link, { log: createLog("test", "silent"), stopping });
});

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await fixture.database.dataSource.query("DELETE FROM outbox");
});

afterAll(async () => {
  await link.connection.close();
});

/** A relay that ends with the test. */
function relay(given: Parameters<RelayFixture["relay"]>[0] = {}) {
  const started = fixture.relay({ isSearchable: () => true, ...given });
  stops.push(() => started.stop());
  return started;
}

async function inAccount<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return await asSystem(fixture.database.dataSource, fixture.accountId, work);
}

async function openConversation(): Promise<number> {
  const { dataSource } = fixture.database;
  const { row } = await receive(dataSource, fixture.accountId, { from: freshPhone() });
  await dataSource.query("DELETE FROM outbox");
  return row.conversationId;
}

function commandOf(conversationId: number, signal?: string): WorkflowCommand {
  return {
    op: signal === undefined ? "start" : "signal",
    workflow: "handoff",
    workflowId: `handoff-${conversationId}-1`,
    taskQueue: "conversations",
    input: { accountId: fixture.accountId, conversationId, epoch: 1 },
    ...(signal === undefined ? {} : { signal }),
    summary: `conversation ${conversationId} is with people`,
    conversationId,
  };
}

async function runsOf(conversationId: number): Promise<string[]> {
  const { accountId } = fixture;
  const query = `ConversationId = "${conversationId}" AND AccountId = "${accountId}" AND WorkflowType = "handoff"`;
  const ids: string[] = [];
  for await (const run of fixture.client.workflow.list({ query })) ids.push(run.workflowId);
  return ids;
}

/** Options of a worker that starts workflows itself, beside any relay. */
function startOptions(): StartOptions {
  const { client, hostLimiter } = fixture;
  return {
    client,
    waitsMs: [1_000],
    naming: plainNames,
    isSearchable: () => true,
    hostLimiter,
  };
}

/** Claims the account's commands that are no first attempt. */
async function claimLane() {
  return await inAccount((tx) =>
    claimOutboxRows(tx, [{ key: `-:${fixture.accountId}`, limit: 10 }]),
  );
}

const emptied = async () => expect(await fixture.outbox()).toEqual([]);
const handleOf = (conversationId: number) =>
  fixture.client.workflow.getHandle(`handoff-${conversationId}-1`);

test("a signal to a run that is not there starts it, findable and with its summary", async () => {
  const conversationId = await openConversation();
  await inAccount((tx) => request(tx, commandOf(conversationId, "replied")));
  relay();
  await eventually(emptied);
  const handle = handleOf(conversationId);
  // The conversation is in no handoff, so that is all it does.
  expect(await handle.result()).toEqual({ state: "over" });
  expect(await storyOf(handle)).toEqual(["signal replied", "beginHandoff"]);
  expect(await (await handle.describe()).staticSummary()).toBe(
    `conversation ${conversationId} is with people`,
  );
  await eventually(async () => {
    expect(await runsOf(conversationId)).toEqual([`handoff-${conversationId}-1`]);
  });
});

test("signals reach the run that is under way, and one that has closed is left alone", async () => {
  const conversationId = await openConversation();
  const { metrics } = relay();
  await inAccount((tx) => setBot(tx, conversationId, { enabled: false }));
  const handle = handleOf(conversationId);
  await eventually(async () => {
    expect(await storyOf(handle)).toEqual(["beginHandoff", "wait 10 min"]);
  });

  const { dataSource } = fixture.database;
  const { accountId } = fixture;
  const actor = { type: "user", accountId, userId: 1, role: "admin" } as const;
  const body = messageSendBody.parse({ content: "I am here." });
  await transaction(dataSource, { actor }, (tx) => sendMessage(tx, conversationId, body));
  await eventually(async () => {
    expect((await storyOf(handle)).slice(2)).toEqual(["signal replied", "cut"]);
  });

  await inAccount((tx) => setBot(tx, conversationId, { enabled: true }));
  expect(await handle.result()).toEqual({ state: "ended" });
  const story = await storyOf(handle);
  expect(story).toEqual(["beginHandoff", "wait 10 min", "signal replied", "cut", "signal ended"]);
  await eventually(emptied);

  const { known = 0 } = await countsOf(metrics);
  for (const signal of ["ended", "replied"]) {
    await inAccount((tx) => request(tx, commandOf(conversationId, signal)));
  }
  await eventually(emptied);
  await eventually(async () => expect((await countsOf(metrics))["known"]).toBe(known + 2));
  expect(await storyOf(handle)).toEqual(story);
  await eventually(async () => expect(await runsOf(conversationId)).toHaveLength(1));
});

test.each([
  { order: "the start first", commands: [undefined, "ended"] },
  { order: "the signal first", commands: ["ended", undefined] },
])("a start and its signal make one run, $order", async ({ commands }) => {
  const conversationId = await openConversation();
  for (const signal of commands) {
    await inAccount((tx) => request(tx, commandOf(conversationId, signal)));
  }
  const options = startOptions();
  const rows = await claimLane();
  const results: unknown[] = [];
  for (const row of rows) results.push(await startWorkflow(options, row));
  expect(results.every((result) => result === "started" || result === "known")).toBe(true);
  expect(await handleOf(conversationId).result()).toEqual({ state: "over" });
  await eventually(async () => expect(await runsOf(conversationId)).toHaveLength(1));
});

test.each([
  { row: "one that counts", retry: { signal: "retryNow", attemptsMade: 0 } as const, args: [0] },
  { row: "one from before they did", retry: { signal: "retryNow" } as const, args: [] },
])(
  "a retry that comes before its delivery's start begins the same run: $row",
  async ({ retry, args }) => {
    const { dataSource } = fixture.database;
    await fixture.publish(1);
    const [{ id, workflow_id }] = await dataSource.query(
      "SELECT id, workflow_id FROM deliveries ORDER BY id DESC LIMIT 1",
    );
    for (const run of [1, 2]) {
      await inAccount((tx) => signalDelivery(tx, { id, run }, retry));
    }
    const options = startOptions();
    const rows = await claimLane();
    const results: unknown[] = [];
    // The delivery has no second run yet, so a signal to that one is to nobody.
    for (const row of rows) results.push(await startWorkflow(options, row));
    expect(results).toEqual(["started", "known"]);
    const started = await claimAndStart(options);
    // The run that the signal began may have delivered by now: it is known then.
    expect([["started"], ["known"]]).toContainEqual(started);
    const handle = fixture.client.workflow.getHandle(workflow_id);
    expect(await handle.result()).toEqual({ state: "delivered" });
    expect(await storyOf(handle)).toEqual(["signal retryNow", "attemptDelivery"]);
    const { events } = await handle.fetchHistory();
    const told = events?.flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []);
    expect(
      told?.map(({ input }) => arrayFromPayloads(defaultPayloadConverter, input?.payloads)),
    ).toEqual([args]);
    const [{ attempts }] = await dataSource.query(
      "SELECT COUNT(*) AS attempts FROM delivery_attempts WHERE delivery_id = ?",
      [id],
    );
    expect(Number(attempts)).toBe(1);
  },
);

async function claimAndStart(options: StartOptions): Promise<unknown[]> {
  const rows = await inAccount((tx) => claimDue(tx, 10));
  return await Promise.all(rows.map((row) => startWorkflow(options, row)));
}

test("a signal told twice, its row not deleted in between, is one signal more and one run", async () => {
  const conversationId = await openConversation();
  await inAccount((tx) => setBot(tx, conversationId, { enabled: false }));
  await inAccount((tx) => request(tx, commandOf(conversationId, "replied")));
  const options = startOptions();
  const rows = await claimLane();
  for (const row of [...rows, ...rows]) await startWorkflow(options, row);
  await inAccount((tx) => request(tx, commandOf(conversationId, "ended")));
  relay();
  const handle = handleOf(conversationId);
  expect(await handle.result()).toEqual({ state: "ended" });
  expect((await storyOf(handle)).filter((step) => step === "beginHandoff")).toHaveLength(1);
});

test("a server that knows no search attribute of ours gets the signal without them", async () => {
  const conversationId = await openConversation();
  const namespace = await createNamespace();
  const client = new Client({ connection: link.connection, namespace });
  await inAccount((tx) => request(tx, commandOf(conversationId, "ended")));
  relay({ client });
  await eventually(emptied);
  const handle = client.workflow.getHandle(`handoff-${conversationId}-1`);
  expect((await handle.describe()).status.name).toBe("RUNNING");
  expect(await storyOf(handle)).toEqual(["signal ended"]);
});

test.each([
  { title: "a start that allows it runs again after its end", again: true as const, runs: 2 },
  { title: "another start leaves an ended run alone", again: undefined, runs: 1 },
])("$title", async ({ again, runs }) => {
  const conversationId = await openConversation();
  const command: WorkflowCommand = {
    ...commandOf(conversationId),
    ...(again === undefined ? {} : { again }),
  };
  relay();
  const results: unknown[] = [];
  for (let round = 0; round < 2; round += 1) {
    await inAccount((tx) => request(tx, command));
    await eventually(emptied);
    results.push(await handleOf(conversationId).result());
  }
  expect(results).toEqual([{ state: "over" }, { state: "over" }]);
  await eventually(async () => expect(await runsOf(conversationId)).toHaveLength(runs));
});
