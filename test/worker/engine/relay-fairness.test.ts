import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { messageSendBody } from "../../../core/model/message.ts";
import { openConversation } from "../../../core/services/conversations/conversations.ts";
import { sendMessage } from "../../../core/services/conversations/messages.ts";
import { signalDelivery } from "../../../core/services/outbox/outbox.ts";
import { transaction } from "../../../db/transaction.ts";
import { asSystem, createTestAccount } from "../../support/accounts.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { eventually } from "../../support/eventually.ts";
import { createRelayFixture } from "./relay-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(createRelayFixture);
/** An account beside the fixture's own, which is busy. */
let quietId: number;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  quietId = (await createTestAccount(fixture.database.dataSource)).accountId;
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await fixture.database.dataSource.query("DELETE FROM outbox");
});

function startRelay(): void {
  const started = fixture.relay();
  stops.push(() => started.stop());
}

/** Sends messages into a new conversation of an account. @returns the id of the last one. */
async function send(accountId: number, messages: number): Promise<number> {
  const actor = { type: "user", accountId, userId: 1, role: "admin" } as const;
  const body = messageSendBody.parse({ content: "Hello" });
  return await transaction(fixture.database.dataSource, { actor }, async (tx) => {
    const { row } = await openConversation(tx, { phone: freshPhone() });
    let last = 0;
    for (let n = 0; n < messages; n += 1) last = (await sendMessage(tx, row.id, body)).row.id;
    return last;
  });
}

async function untilSent(messageId: number): Promise<void> {
  await eventually(async () => {
    const [row] = await fixture.database.dataSource.query(
      "SELECT sent_at FROM messages WHERE id = ?",
      [messageId],
    );
    expect(row.sent_at).not.toBeNull();
  });
}

/** Workflows that Temporal is told of from now on, in their order. */
function watchCalls(): string[] {
  const { workflow } = fixture.client;
  const told: string[] = [];
  const start = workflow.start.bind(workflow);
  const signalWithStart = workflow.signalWithStart.bind(workflow);
  vi.spyOn(workflow, "start").mockImplementation(async (type, options) => {
    told.push(options.workflowId);
    return await start(type, options);
  });
  vi.spyOn(workflow, "signalWithStart").mockImplementation(async (type, options) => {
    told.push(options.workflowId);
    return await signalWithStart(type, options);
  });
  return told;
}

/** Requests of the busy account that Temporal has yet to be told of. */
async function countBacklog(): Promise<number> {
  const [row] = await fixture.database.dataSource.query(
    "SELECT COUNT(*) AS n FROM outbox WHERE kind = 'request' AND account_id = ?",
    [fixture.accountId],
  );
  return Number(row.n);
}

test("one message is sent before most of another account's 400 messages", async () => {
  for (let n = 0; n < 40; n += 1) await send(fixture.accountId, 10);
  expect(await countBacklog()).toBeGreaterThanOrEqual(400);
  const messageId = await send(quietId, 1);
  const told = watchCalls();
  startRelay();
  await untilSent(messageId);
  expect(told.slice(0, 200)).toContain(`message-${messageId}`);
});

test("one message is sent before most of another account's 400 retries", async () => {
  const { dataSource } = fixture.database;
  await fixture.publish(400);
  await dataSource.query("DELETE FROM outbox");
  await dataSource.query("UPDATE deliveries SET state = 'waiting', attempts_made = 1");
  const ids = await dataSource.query<{ id: number }[]>("SELECT id FROM deliveries");
  await asSystem(dataSource, fixture.accountId, async (tx) => {
    const retry = { signal: "retryNow", attemptsMade: 1 } as const;
    for (const { id } of ids) await signalDelivery(tx, { id, run: 1 }, retry);
  });
  expect(await countBacklog()).toBe(ids.length);
  const messageId = await send(quietId, 1);
  const told = watchCalls();
  startRelay();
  await untilSent(messageId);
  expect(told.slice(0, 200)).toContain(`message-${messageId}`);
});

test("a request in the lane of an older version is taken too", async () => {
  const messageId = await send(quietId, 1);
  await fixture.database.dataSource.query("UPDATE outbox SET lane = '-'");
  startRelay();
  await untilSent(messageId);
  await eventually(async () => expect(await fixture.outbox()).toEqual([]));
});
