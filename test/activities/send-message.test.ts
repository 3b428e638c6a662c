import { beforeEach, expect, test } from "vitest";
import type { ReportedStatus } from "../../core/model/message.ts";
import type { SendMessageInput } from "../../core/model/workflow/sending.ts";
import {
  beginSend,
  completeSend,
  type SendResult,
} from "../../core/services/conversations/message-sending.ts";
import { createAttemptFixture } from "./attempt-fixture.ts";
import { createConversationFixture, type ConversationFixture } from "./conversation-fixture.ts";
import { countEvents, queueMessage, queueOfAgent, readMessage } from "./message-fixture.ts";
import { noPace } from "../support/conversations.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);
let conversations: ConversationFixture;

beforeEach(async () => {
  conversations = await createConversationFixture(fixture);
});

const queue = (content: string, conversationId?: number) =>
  queueMessage(conversations, content, conversationId);
const read = (input: SendMessageInput) => readMessage(conversations, input);
const eventsOf = (input: SendMessageInput) => countEvents(conversations, input);
const sendNow = async (input: SendMessageInput) => await fixture.activities.sendToChannel(input);
const begin = async (input: SendMessageInput) =>
  await conversations.run((tx) => beginSend(tx, input, noPace));
const complete = async (input: SendMessageInput, result: SendResult) =>
  await conversations.run((tx) => completeSend(tx, input, result));
const report = async (input: SendMessageInput, status: ReportedStatus) =>
  await fixture.activities.recordReport({ ...input, status });
const ageHandOver = async (input: SendMessageInput, seconds: number) =>
  await conversations.sql(
    "UPDATE messages SET in_flight_since = in_flight_since - INTERVAL ? SECOND WHERE id = ?",
    [seconds, input.messageId],
  );

const accepted: SendResult = { kind: "accepted", providerId: "wamid.1", reports: [] };
const transient: SendResult = {
  kind: "transient",
  scope: "provider",
  waitMs: 0,
  providerCode: "131016",
};

test("a message that the channel accepts is sent, and one message.sent tells of it", async () => {
  const input = await queue("Hello Ana");
  const { result, events } = await conversations.traces(() => sendNow(input));
  expect(result).toEqual({ state: "sent", reports: ["delivered", "read"] });
  expect(await read(input)).toMatchObject({
    status: "sent",
    error: null,
    tries: 1,
    provider_id: `sandbox-${input.messageId}`,
    in_flight_since: null,
    sent_at: expect.any(Date),
    delivered_at: null,
  });
  expect(events).toMatchObject([
    {
      type: "message.sent",
      data: {
        message_id: input.messageId,
        conversation_id: expect.any(Number),
        contact_id: expect.any(Number),
        direction: "outbound",
        channel: "whatsapp",
        type: "text",
        content_preview: "Hello Ana",
        has_media: false,
        sent_by_bot: false,
        created_at: expect.any(String),
        sender_type: "api",
      },
    },
  ]);
});

test("an activity that runs again after the channel accepted sends nothing", async () => {
  const input = await queue("Hello");
  await sendNow(input);
  expect(await sendNow(input)).toEqual({ state: "over" });
  expect(await read(input)).toMatchObject({ status: "sent", tries: 1 });
  expect(await eventsOf(input)).toEqual({ "message.sent": 1 });
});

test("an outcome written down twice, its first commit unanswered, counts once", async () => {
  const input = await queue("Hello");
  await begin(input);
  expect(await complete(input, accepted)).toEqual({ state: "sent", reports: [] });
  expect(await complete(input, accepted)).toEqual({ state: "sent", reports: [] });
  expect(await eventsOf(input)).toEqual({ "message.sent": 1 });

  const failing = await queue("Hello");
  await begin(failing);
  const waiting = { state: "waiting", waitMs: 1_000, why: "channel" };
  expect(await complete(failing, transient)).toEqual(waiting);
  expect(await complete(failing, transient)).toEqual(waiting);
});

test("a message that the channel refuses for good has failed, with the channel's code", async () => {
  const input = await queue("/fail");
  expect(await sendNow(input)).toEqual({ state: "failed" });
  expect(await read(input)).toMatchObject({
    status: "failed",
    error: { code: "refused", provider_code: "131000" },
    in_flight_since: null,
    sent_at: null,
  });
  expect(await eventsOf(input)).toEqual({});
  expect(await sendNow(input)).toEqual({ state: "over" });
});

test("a channel in trouble gets the message at the third try", async () => {
  const input = await queue("/retry");
  expect(await sendNow(input)).toEqual({ state: "waiting", waitMs: 1_000, why: "channel" });
  expect(await read(input)).toMatchObject({ status: "sending", in_flight_since: null, tries: 1 });
  expect(await sendNow(input)).toEqual({ state: "waiting", waitMs: 5_000, why: "channel" });
  expect(await sendNow(input)).toMatchObject({ state: "sent" });
  expect(await read(input)).toMatchObject({ status: "sent", tries: 3 });
  expect(await eventsOf(input)).toEqual({ "message.sent": 1 });
});

test("a channel that is in trouble for all six tries leaves the message failed", async () => {
  const input = await queue("Hello");
  const waits: unknown[] = [];
  for (let tries = 1; tries <= 6; tries += 1) {
    expect(await begin(input)).toMatchObject({ go: true, material: { message: { tries } } });
    const outcome = await complete(input, transient);
    waits.push("waitMs" in outcome ? outcome.waitMs / 1_000 : outcome.state);
  }
  expect(waits).toEqual([1, 5, 30, 120, 600, "failed"]);
  expect(await read(input)).toMatchObject({
    status: "failed",
    error: { code: "channel_unavailable", provider_code: "131016" },
    tries: 6,
  });
});

test("a message that left without an answer is not sent again, and fails when it is given up", async () => {
  const input = await queue("/unknown");
  expect(await sendNow(input)).toEqual({ state: "unknown" });
  expect(await sendNow(input)).toEqual({ state: "unknown" });
  expect(await read(input)).toMatchObject({ status: "sending", tries: 1 });
  await fixture.activities.endUnknownSend(input);
  await fixture.activities.endUnknownSend(input);
  expect(await read(input)).toMatchObject({
    status: "failed",
    error: { code: "outcome_unknown", provider_code: null },
    in_flight_since: null,
  });
  expect(await eventsOf(input)).toEqual({});
});

test("a crash between hand-over and outcome: nobody knows, so it is not sent again", async () => {
  const input = await queue("Hello");
  expect(await begin(input)).toMatchObject({ go: true });
  expect(await sendNow(input)).toEqual({ state: "waiting", waitMs: 2_000, why: "order" });
  await ageHandOver(input, 40);
  const later = await sendNow(input);
  expect(later).toMatchObject({ state: "waiting", why: "order" });
  expect("waitMs" in later && later.waitMs).toBeLessThanOrEqual(20_000);
  await ageHandOver(input, 20);
  expect(await sendNow(input)).toEqual({ state: "unknown" });
  expect(await read(input)).toMatchObject({ status: "sending", tries: 1, provider_id: null });
  expect(await eventsOf(input)).toEqual({});
});

test("a run that meets a hand-over in flight looks again soon, and makes the next try after a refusal", async () => {
  const input = await queue("Hello");
  await begin(input);
  expect(await sendNow(input)).toEqual({ state: "waiting", waitMs: 2_000, why: "order" });
  await complete(input, transient);
  expect(await sendNow({ ...input, tried: true })).toMatchObject({ why: "channel" });
  expect(await sendNow(input)).toMatchObject({ state: "sent" });
  expect(await read(input)).toMatchObject({ status: "sent", tries: 2 });
});

test("the channel's word on a message whose outcome was unknown ends the doubt", async () => {
  const input = await queue("/unknown");
  await sendNow(input);
  await report(input, "delivered");
  expect(await eventsOf(input)).toEqual({ "message.sent": 1 });
  await fixture.activities.endUnknownSend(input);
  expect(await read(input)).toMatchObject({ status: "delivered", error: null });
});

test("a report that comes before the channel's own answer makes the one message.sent", async () => {
  const input = await queue("Hello");
  await begin(input);
  await report(input, "delivered");
  await complete(input, accepted);
  expect(await read(input)).toMatchObject({
    status: "delivered",
    provider_id: "wamid.1",
    in_flight_since: null,
  });
  expect(await eventsOf(input)).toEqual({ "message.sent": 1 });
});

const someDate = expect.any(Date);
const orders: { reports: ReportedStatus[]; status: string; times: object }[] = [
  {
    reports: ["delivered", "read"],
    status: "read",
    times: { delivered_at: someDate, read_at: someDate },
  },
  {
    reports: ["read", "delivered"],
    status: "read",
    times: { delivered_at: someDate, read_at: someDate },
  },
  {
    reports: ["delivered", "sent", "delivered"],
    status: "delivered",
    times: { delivered_at: someDate, read_at: null },
  },
  {
    reports: ["delivered", "failed"],
    status: "delivered",
    times: { delivered_at: someDate, read_at: null },
  },
  {
    reports: ["failed", "delivered", "read"],
    status: "failed",
    times: { delivered_at: null, read_at: null },
  },
];

test.each(orders)("reports $reports end as $status", async ({ reports, status, times }) => {
  const input = await queue("/silent");
  expect(await sendNow(input)).toEqual({ state: "sent", reports: [] });
  const sentAt = (await read(input))?.sent_at;
  for (const one of reports) await report(input, one);
  expect(await read(input)).toMatchObject({ status, sent_at: sentAt, ...times });
  expect(await eventsOf(input)).toEqual({ "message.sent": 1 });
});

test("reports of a message at once, in any order, leave it read and tell of it once", async () => {
  const input = await queue("/unknown");
  await sendNow(input);
  await Promise.all((["read", "sent", "delivered"] as const).map((one) => report(input, one)));
  expect(await read(input)).toMatchObject({ status: "read", delivered_at: expect.any(Date) });
  expect(await eventsOf(input)).toEqual({ "message.sent": 1 });
});

test("an operator's cancel ends what its channel was not given, and waits no longer for the rest", async () => {
  const waiting = await queue("Hello");
  expect(await fixture.activities.cancelSend(waiting)).toBe("cancelled");
  expect(await fixture.activities.cancelSend(waiting)).toBe("over");
  expect(await sendNow(waiting)).toEqual({ state: "cancelled" });
  expect(await read(waiting)).toMatchObject({ status: "cancelled" });

  const unsure = await queue("/unknown");
  await sendNow(unsure);
  expect(await fixture.activities.cancelSend(unsure)).toBe("unknown");
  expect(await read(unsure)).toMatchObject({ status: "failed" });

  const sent = await queue("Hello again");
  await sendNow(sent);
  expect(await fixture.activities.cancelSend(sent)).toBe("over");
  expect(await read(sent)).toMatchObject({ status: "sent" });
});

test("a younger message waits while an older one is on its way, and no longer", async () => {
  const conversationId = await conversations.openConversation();
  const older = await queue("first", conversationId);
  const younger = await queue("second", conversationId);
  const elsewhere = await queue("in another conversation");
  const behind = { state: "waiting", waitMs: 300, why: "order" };
  expect(await sendNow(younger)).toEqual(behind);
  expect(await read(younger)).toMatchObject({ status: "queued", tries: 0 });
  expect(await sendNow(elsewhere)).toMatchObject({ state: "sent" });
  const youngest = await queue("third", conversationId);
  expect(await sendNow(youngest)).toEqual({ ...behind, waitMs: 600 });
  await begin(older);
  expect(await sendNow(younger)).toEqual(behind);
  await complete(older, transient);
  // The older one is tried again after 1 s, and the younger one after it.
  const later = await sendNow(younger);
  expect(later).toMatchObject({ state: "waiting", why: "order" });
  expect("waitMs" in later && later.waitMs).toBeGreaterThan(1_000);
  expect(await sendNow(older)).toMatchObject({ state: "sent" });
  expect(await sendNow(younger)).toMatchObject({ state: "sent" });
});

test.each(["failed", "cancelled", "stuck for 30 s"])(
  "an older message that is %s holds nobody up",
  async (how) => {
    const conversationId = await conversations.openConversation();
    const older = await queueOfAgent(conversations, conversationId);
    const younger = await queue("second", conversationId);
    if (how === "failed") {
      await begin(older);
      await complete(older, {
        kind: "permanent",
        error: { code: "x", message: "", provider_code: null },
      });
    }
    if (how === "cancelled") await conversations.pause(conversationId);
    if (how === "stuck for 30 s") {
      await begin(older);
      const past = "UPDATE messages SET updated_at = updated_at - INTERVAL 30 SECOND WHERE id = ?";
      await conversations.sql(past, [older.messageId]);
    }
    expect(await sendNow(younger)).toMatchObject({ state: "sent" });
  },
);

test("a message whose contact was erased is over at every step", async () => {
  const input = await queue("Hello");
  await conversations.sql("DELETE FROM messages WHERE id = ?", [input.messageId]);
  expect(await sendNow(input)).toEqual({ state: "over" });
  await report(input, "read");
  await fixture.activities.endUnknownSend(input);
});
