import { setTimeout as later } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import type { Message } from "../../../../db/entities/message.ts";
import {
  createAgentMessage,
  type AgentOffer,
} from "../../../../core/services/conversations/agent-messages.ts";
import { retryMessage } from "../../../../core/services/conversations/message-retry.ts";
import {
  setBot,
  setConversationStatus,
} from "../../../../core/services/conversations/conversations.ts";
import {
  beginSend,
  completeSend,
} from "../../../../core/services/conversations/message-sending.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { noPace, receive, tracesOf } from "../../../support/conversations.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../../support/accounts.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let account: TestAccount;

beforeAll(async () => {
  account = await createTestAccount(database.dataSource);
});

const inAccount: <T>(work: Parameters<typeof asSystem<T>>[2]) => Promise<T> = async (work) =>
  await asSystem(database.dataSource, account.accountId, work);
const traces = async <T>(work: () => Promise<T>) =>
  await tracesOf(database.dataSource, account.accountId, work);
const pause = async (id: number, enabled = false) =>
  await inAccount((tx) => setBot(tx, id, { enabled, reason: null }));

/** A customer who has written, and what a turn of the agent knows of it. */
async function turn() {
  const phone = freshPhone();
  const { row } = await receive(database.dataSource, account.accountId, { from: phone });
  const { conversationId, id: watermark } = row;
  return { conversationId, watermark, epoch: 0, phone };
}

type Turn = Pick<Awaited<ReturnType<typeof turn>>, "conversationId" | "watermark" | "epoch">;

const reply = async ({ conversationId, watermark, epoch }: Turn): Promise<Message | null> =>
  await inAccount((tx) =>
    createAgentMessage(tx, { conversationId, watermark, epoch, content: "Claro" }),
  );

const statusesOf = async (conversationId: number) =>
  await database.dataSource.query<{ id: number; status: string }[]>(
    "SELECT id, status FROM messages WHERE conversation_id = ? AND sender_type = 'ai' ORDER BY id",
    [conversationId],
  );

test("a reply of the agent is recorded as its own and asked to be sent", async () => {
  const given = await turn();
  const done = await traces(() => reply(given));
  expect(done.result).toMatchObject({
    senderType: "ai",
    senderUserId: null,
    apiKeyId: null,
    botEpoch: 0,
    status: "queued",
    content: "Claro",
    direction: "outbound",
  });
  expect(done.commands.map(({ workflowId }) => workflowId)).toEqual([`message-${done.result?.id}`]);
  expect(done.events).toEqual([]);
});

test("a paused agent sends nothing, in its old epoch, in the new one or in any other", async () => {
  const given = await turn();
  await pause(given.conversationId);
  for (const epoch of [0, 1, 2]) {
    const done = await traces(() => reply({ ...given, epoch }));
    expect([done.result, done.commands]).toEqual([null, []]);
  }
});

test("what the agent began before a pause counts no more after it has been turned on again", async () => {
  const given = await turn();
  await pause(given.conversationId);
  await pause(given.conversationId, true);
  expect(await reply(given)).toBeNull();
  expect(await reply({ ...given, epoch: 1 })).toBeNull();
  expect(await reply({ ...given, epoch: 2 })).not.toBeNull();
});

test("a status alone does not void what the agent began", async () => {
  const given = await turn();
  await inAccount((tx) => setConversationStatus(tx, given.conversationId, "waiting"));
  expect(await reply(given)).not.toBeNull();
});

test("a status that ends a handoff does not let the agent speak: its flag stays off", async () => {
  const given = await turn();
  await pause(given.conversationId);
  await inAccount((tx) => setConversationStatus(tx, given.conversationId, "active"));
  expect(await reply({ ...given, epoch: 1 })).toBeNull();
});

test("a reply that does not know the customer's newest message is not sent", async () => {
  const given = await turn();
  const next = await receive(database.dataSource, account.accountId, { from: given.phone });
  expect(await reply(given)).toBeNull();
  expect(await reply({ ...given, watermark: next.row.id })).not.toBeNull();
  // Its own messages are no news to it.
  expect(await reply({ ...given, watermark: next.row.id })).not.toBeNull();
});

test("a conversation of another account is not found", async () => {
  const given = await turn();
  const other = await createTestAccount(database.dataSource);
  const foreign = asSystem(database.dataSource, other.accountId, (tx) =>
    createAgentMessage(tx, { ...given, content: "Claro" }),
  );
  await expect(foreign).rejects.toMatchObject({ code: "conversation_not_found" });
});

test("a pause cancels what waits to be sent, names it, and leaves what is under way or over", async () => {
  const given = await turn();
  const [sent, under, waiting, queued] = [
    await reply(given),
    await reply(given),
    await reply(given),
    await reply(given),
  ].map((row) => Number(row?.id));
  const inputOf = (messageId = 0) => ({ accountId: account.accountId, messageId });
  await inAccount((tx) => beginSend(tx, inputOf(sent), noPace));
  await inAccount((tx) =>
    completeSend(tx, inputOf(sent), { kind: "accepted", providerId: `p-${sent}`, reports: [] }),
  );
  await inAccount((tx) => beginSend(tx, inputOf(under), noPace));
  await database.dataSource.query("UPDATE messages SET status = 'sending' WHERE id = ?", [waiting]);
  const done = await traces(() => pause(given.conversationId));
  expect(done.events[0]).toMatchObject({
    type: "conversation.bot.disabled",
    data: { cancelled_message_ids: [waiting, queued] },
  });
  expect(await statusesOf(given.conversationId)).toEqual([
    { id: sent, status: "sent" },
    { id: under, status: "sending" },
    { id: waiting, status: "cancelled" },
    { id: queued, status: "cancelled" },
  ]);
  expect(await inAccount((tx) => beginSend(tx, inputOf(queued), noPace))).toEqual({
    go: false,
    outcome: { state: "cancelled" },
  });
});

test("what was with the channel at a pause, and came back untaken, is not handed over again", async () => {
  const given = await turn();
  const messageId = Number((await reply(given))?.id);
  const input = { accountId: account.accountId, messageId };
  await inAccount((tx) => beginSend(tx, input, noPace));
  const done = await traces(() => pause(given.conversationId));
  expect(done.events[0]?.data.cancelled_message_ids).toEqual([]);
  await inAccount((tx) =>
    completeSend(tx, input, {
      kind: "transient",
      scope: "provider",
      waitMs: 0,
      providerCode: null,
    }),
  );
  expect(await inAccount((tx) => beginSend(tx, input, noPace))).toEqual({
    go: false,
    outcome: { state: "cancelled" },
  });
  expect(await statusesOf(given.conversationId)).toEqual([{ id: messageId, status: "cancelled" }]);
});

test("200 times a pause against the agent's commit: no message of it is later than the pause", async () => {
  const jitter = async () => await later(Math.random() * 6);
  let left = 200;
  const round = async (): Promise<void> => {
    const given = await turn();
    const replies = async () => {
      await jitter();
      return [await reply(given), await reply(given), await reply(given)];
    };
    const pausing = async () => {
      await jitter();
      return await pause(given.conversationId);
    };
    const [written] = await Promise.all([replies(), pausing()]);
    const [event] = await database.dataSource.query<{ body: Buffer }[]>(
      "SELECT body FROM events WHERE conversation_id = ? AND type = 'conversation.bot.disabled'",
      [given.conversationId],
    );
    const cancelled = JSON.parse(String(event?.body)).data.cancelled_message_ids as number[];
    const ids = written.filter((row) => row !== null).map(({ id }) => id);
    const rows = await statusesOf(given.conversationId);
    // Each was there before the pause, which therefore found and named it.
    expect(rows).toEqual(cancelled.map((id) => ({ id, status: "cancelled" })));
    expect(ids).toEqual(cancelled);
    // And once one was refused, so were those after it.
    expect(written.slice(0, ids.length)).not.toContain(null);
  };
  const lane = async () => {
    for (; left > 0; left -= 1) await round();
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}, 120_000);

const offer: AgentOffer = {
  options: ["Thu 26, 4:00 PM", "Fri 27, 10:00 AM"].map((title, index) => ({
    id: `option-${index}`,
    title,
  })),
  isListed: false,
  language: "en",
};

/** Sends a text of the agent with options. @returns its row */
async function offerTimes(content: string, isListed = false) {
  const { phone: _, ...given } = await turn();
  const message = await inAccount((tx) =>
    createAgentMessage(tx, { ...given, content, offer: { ...offer, isListed } }),
  );
  if (message === null) throw new Error("paused");
  return message;
}

test("offered times go in the form of the channel, and once where the text numbers them", async () => {
  const lines = "1. Thu 26, 4:00 PM\n2. Fri 27, 10:00 AM";
  expect(await offerTimes("When?")).toMatchObject({
    type: "interactive",
    content: `When?\n\n${lines}`,
    interactive: { kind: "slots", body: "When?", sent_as: "text" },
  });
  expect(await offerTimes(`When?\n${lines}`, true)).toMatchObject({
    type: "interactive",
    content: `When?\n${lines}`,
  });
});

test("a text that is too long with its options goes alone", async () => {
  expect(await offerTimes("x".repeat(4_080))).toMatchObject({ type: "text", interactive: null });
});

test("a person who sends a failed offer again repeats no line of it", async () => {
  for (const isListed of [true, false]) {
    const { id, content } = await offerTimes("1. Thursday\n2. Friday", isListed);
    await database.dataSource.query("UPDATE messages SET status = 'failed' WHERE id = ?", [id]);
    const { row } = await inAccount((tx) => retryMessage(tx, id, true));
    expect(row).toMatchObject({ type: "interactive", content });
  }
});
