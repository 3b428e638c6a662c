import { beforeEach, expect, test } from "vitest";
import type { SendMessageInput } from "../../core/model/workflow/sending.ts";
import { setBot } from "../../core/services/conversations/conversations.ts";
import {
  beginSend,
  completeSend,
  type SendResult,
} from "../../core/services/conversations/message-sending.ts";
import { startTestApi } from "../support/api.ts";
import { createAttemptFixture } from "./attempt-fixture.ts";
import { createConversationFixture, type ConversationFixture } from "./conversation-fixture.ts";
import { countEvents, queueMessage, queueOfAgent, readMessage } from "./message-fixture.ts";
import { noPace } from "../support/conversations.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);
const api = useFixture(async () => await startTestApi(fixture.database));
let conversations: ConversationFixture;

beforeEach(async () => {
  conversations = await createConversationFixture(fixture);
});

const read = (input: SendMessageInput) => readMessage(conversations, input);
const eventsOf = (input: SendMessageInput) => countEvents(conversations, input);
const sendNow = async (input: SendMessageInput) => await fixture.activities.sendToChannel(input);
const begin = async (input: SendMessageInput) =>
  await conversations.run((tx) => beginSend(tx, input, noPace));
const complete = async (input: SendMessageInput, result: SendResult) =>
  await conversations.run((tx) => completeSend(tx, input, result));

const accepted: SendResult = { kind: "accepted", providerId: "wamid.1", reports: [] };
const transient: SendResult = {
  kind: "transient",
  scope: "provider",
  waitMs: 0,
  providerCode: "131016",
};

test("a pause cancels what the agent has queued: it is never sent, and the event names it", async () => {
  const conversationId = await conversations.openConversation();
  const queued = await queueOfAgent(conversations, conversationId);
  const retried = await queueOfAgent(conversations, conversationId);
  await conversations.sql("UPDATE messages SET status = 'sending', tries = 1 WHERE id = ?", [
    retried.messageId,
  ]);
  const byProgram = await queueMessage(conversations, "from a program", conversationId);
  const { events, result } = await conversations.traces(() =>
    api.call("POST", `/api/v1/conversations/${conversationId}/bot`, {
      apiKey: conversations.apiKey,
      body: { enabled: false, reason: "wants a person" },
    }),
  );
  expect(result).toMatchObject({ status: 200 });
  const ids = [queued.messageId, retried.messageId];
  expect(events.map(({ type }) => type)).toEqual([
    "conversation.bot.disabled",
    "conversation.updated",
  ]);
  expect(events[0]?.data).toMatchObject({ reason: "wants a person", cancelled_message_ids: ids });
  for (const input of [queued, retried]) {
    expect(await sendNow(input)).toEqual({ state: "cancelled" });
    expect(await read(input)).toMatchObject({ status: "cancelled", sent_at: null });
    expect(await eventsOf(input)).toEqual({});
  }
  const changes = await conversations.sql<{ message_id: number }>(
    "SELECT message_id FROM changes WHERE account_id = ? AND kind = 'message.updated' ORDER BY id",
    [conversations.accountId],
  );
  expect(changes.map(({ message_id: id }) => id)).toEqual(ids);
  expect(await sendNow(byProgram)).toMatchObject({ state: "sent" });
});

test("a message that is with the channel at the moment of a pause is not cancelled", async () => {
  const conversationId = await conversations.openConversation();
  const input = await queueOfAgent(conversations, conversationId);
  await begin(input);
  const { events } = await conversations.traces(() => conversations.pause(conversationId));
  expect(events[0]?.data).toMatchObject({ cancelled_message_ids: [] });
  await complete(input, accepted);
  expect(await read(input)).toMatchObject({ status: "sent" });
});

test.each(["while it is paused", "after it is on again"])(
  "a message that was with the channel in trouble at a pause is not tried again %s",
  async (when) => {
    const conversationId = await conversations.openConversation();
    const input = await queueOfAgent(conversations, conversationId);
    await begin(input);
    await conversations.pause(conversationId);
    expect(await complete(input, transient)).toMatchObject({ state: "waiting" });
    if (when === "after it is on again") {
      await conversations.run((tx) => setBot(tx, conversationId, { enabled: true }));
    }
    expect(await sendNow(input)).toEqual({ state: "cancelled" });
    expect(await read(input)).toMatchObject({ status: "cancelled", tries: 1, sent_at: null });
    expect(await eventsOf(input)).toEqual({});
  },
);

test("a pause and a hand-over at the same moment, 100 times: sent or cancelled, never both", async () => {
  const race = async (index: number): Promise<string> => {
    const conversationId = await conversations.openConversation();
    const input = await queueOfAgent(conversations, conversationId);
    const pause = () => conversations.pause(conversationId);
    const both = index % 2 === 0 ? [sendNow(input), pause()] : [pause(), sendNow(input)];
    await Promise.all(both);
    const status = (await read(input))?.status ?? "";
    const [event] = await conversations.sql<{ ids: number[] }>(
      `SELECT JSON_EXTRACT(CONVERT(body USING utf8mb4), '$.data.cancelled_message_ids') AS ids
         FROM events WHERE conversation_id = ? AND type = 'conversation.bot.disabled'`,
      [conversationId],
    );
    const told = (await eventsOf(input))["message.sent"] ?? 0;
    return JSON.stringify({ status, told, cancelled: event?.ids.length });
  };
  const outcomes = new Set<string>();
  for (let batch = 0; batch < 10; batch += 1) {
    const races = Array.from({ length: 10 }, (_, index) => race(index));
    for (const outcome of await Promise.all(races)) outcomes.add(outcome);
  }
  const allowed = [
    JSON.stringify({ status: "sent", told: 1, cancelled: 0 }),
    JSON.stringify({ status: "cancelled", told: 0, cancelled: 1 }),
  ];
  expect([...outcomes].filter((outcome) => !allowed.includes(outcome))).toEqual([]);
});
