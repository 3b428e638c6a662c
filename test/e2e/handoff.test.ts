import { defaultPayloadConverter } from "@temporalio/common";
import { expect, test } from "vitest";
import { messageSendBody } from "../../core/model/message.ts";
import { sendMessage } from "../../core/services/conversations/messages.ts";
import { verifySignature } from "../../core/signature.ts";
import { transaction } from "../../db/transaction.ts";
import type { TestAnswer } from "../support/api.ts";
import { freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { storyOf } from "../workflows/scripted-run.ts";
import { keptOf, keptOfAll, postsTo, startDeliveryFixture, subscribe } from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDeliveryFixture);

async function call(method: string, path: string, body?: unknown): Promise<TestAnswer> {
  const { apiKey } = fixture.account;
  const answer = await fixture.api.call(method, `/api/v1${path}`, { apiKey, body });
  if (answer.status >= 400) throw new Error(answer.text);
  return answer;
}

async function openConversation(given: { name?: string; phone?: string } = {}): Promise<number> {
  const answer = await call("POST", "/conversations", { phone: freshPhone(), ...given });
  return answer.json.data.id;
}

const setBot = async (id: number, enabled: boolean, reason = "asks for a person") =>
  await call("POST", `/conversations/${id}/bot`, enabled ? { enabled } : { enabled, reason });

const runOf = (workflowId: string) => fixture.temporal.workflow.getHandle(workflowId);

/** A person answers in the Dashboard. @returns the message's id. */
async function answerAsPerson(conversationId: number, content: string): Promise<number> {
  const { accountId, userId } = fixture.account;
  const actor = { type: "user", accountId, userId, role: "admin" } as const;
  const body = messageSendBody.parse({ content });
  const { row } = await transaction(fixture.database.dataSource, { actor }, (tx) =>
    sendMessage(tx, conversationId, body),
  );
  return row.id;
}

async function sendByProgram(conversationId: number, body: unknown) {
  const answer = await call("POST", `/conversations/${conversationId}/messages`, body);
  const { data } = answer.json;
  expect({ http: answer.status, status: data.status }).toEqual({ http: 201, status: "queued" });
  return data;
}

/** The message as the API shows it, once `isReached` holds. */
async function messageOnce(conversationId: number, id: number, status: string) {
  return await eventually(async () => {
    const { json } = await call("GET", `/conversations/${conversationId}/messages`);
    const message = json.data.find((one: { id: number }) => one.id === id);
    expect(message).toMatchObject({ status });
    return message;
  });
}

test("a pause through the API has its workflow within a second, which operators find and read", async () => {
  const conversationId = await openConversation();
  const workflowId = `handoff-${conversationId}-1`;
  await setBot(conversationId, false);
  const handle = runOf(workflowId);
  await eventually(async () => {
    expect(await storyOf(handle)).toEqual(["beginHandoff", "wait 10 min"]);
  });
  const description = await handle.describe();
  expect(description.status.name).toBe("RUNNING");
  expect(await description.staticSummary()).toBe(`conversation ${conversationId} is with people`);
  const { events } = await handle.fetchHistory();
  const timer = events?.find((event) => event.timerStartedEventAttributes);
  const summary = timer?.userMetadata?.summary;
  expect(summary ? defaultPayloadConverter.fromPayload(summary) : null).toBe(
    "wait 10 min before the reminder",
  );
  const { currentDetails } = await handle.query<{ currentDetails: string }, []>(
    "__temporal_workflow_metadata",
  );
  expect(currentDetails).toBe("Nobody has answered yet; wait 10 min before the reminder.");
  const query = `ConversationId = "${conversationId}" AND WorkflowType = "handoff"`;
  await eventually(async () => {
    const found: string[] = [];
    for await (const run of fixture.temporal.workflow.list({ query })) found.push(run.workflowId);
    expect(found).toEqual([workflowId]);
  });

  // The quickest of some, since other tests may hold the machine at any one moment.
  const delays: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const id = await openConversation();
    const pausedAt = Date.now();
    await setBot(id, false);
    const { startTime } = await eventually(() => runOf(`handoff-${id}-1`).describe());
    delays.push(startTime.getTime() - pausedAt);
  }
  expect(Math.min(...delays)).toBeLessThan(1_000);
});

test("a resume through the API ends the handoff, and the next pause begins another", async () => {
  const conversationId = await openConversation();
  await setBot(conversationId, false);
  const first = runOf(`handoff-${conversationId}-1`);
  await eventually(async () => expect(await storyOf(first)).toContain("wait 10 min"));
  await setBot(conversationId, true);
  expect(await first.result()).toEqual({ state: "ended" });
  expect((await first.describe()).status.name).toBe("COMPLETED");
  await setBot(conversationId, false);
  await eventually(async () => {
    expect(await storyOf(runOf(`handoff-${conversationId}-3`))).toContain("wait 10 min");
  });
});

test("a status set by PATCH ends the handoff too", async () => {
  const conversationId = await openConversation();
  await setBot(conversationId, false);
  const handle = runOf(`handoff-${conversationId}-1`);
  await eventually(async () => expect(await storyOf(handle)).toContain("wait 10 min"));
  await call("PATCH", `/conversations/${conversationId}`, { status: "resolved" });
  expect(await handle.result()).toEqual({ state: "ended" });
});

test("a person's reply pauses the agent, and its handoff waits for nobody", async () => {
  const conversationId = await openConversation();
  const id = await answerAsPerson(conversationId, "Let me look at this.");
  const { json } = await call("GET", `/conversations/${conversationId}`);
  expect(json.data).toMatchObject({
    status: "handed_off",
    bot_enabled: false,
    handoff: { reason: "human_reply", source: "panel", actor_user_id: fixture.account.userId },
  });
  const handle = runOf(`handoff-${conversationId}-1`);
  // Its one activity is over once the details say so.
  await eventually(async () => {
    const { currentDetails } = await handle.query<{ currentDetails: string }, []>(
      "__temporal_workflow_metadata",
    );
    expect(currentDetails).toBe("The conversation is with people.");
  });
  expect(await storyOf(handle)).toEqual(["beginHandoff"]);
  await messageOnce(conversationId, id, "read");
  await setBot(conversationId, true);
  expect(await handle.result()).toEqual({ state: "ended" });
});

test("a message goes queued, sent, delivered, read, and a receiver gets one signed message.sent", async () => {
  const { secret } = await subscribe(fixture, "/sent", { events: ["message.sent"] });
  const conversationId = await openConversation();
  const queued = await sendByProgram(conversationId, { content: "Your table is booked." });
  const message = await messageOnce(conversationId, queued.id, "read");
  const { created_at: made, sent_at: sent, delivered_at: delivered, read_at: read } = message;
  expect(made <= sent && sent < delivered && delivered < read).toBe(true);
  const handle = runOf(`message-${queued.id}`);
  expect(await handle.result()).toEqual({ state: "sent" });
  expect(await storyOf(handle)).toEqual([
    "sendToChannel",
    "wait 500 ms",
    "recordReport",
    "wait 500 ms",
    "recordReport",
  ]);
  expect(await (await handle.describe()).staticSummary()).toBe(
    `message ${queued.id} over whatsapp`,
  );

  const posts = await eventually(() => {
    const arrived = postsTo(fixture, "/sent");
    expect(arrived).toHaveLength(1);
    return arrived;
  });
  const [post] = posts;
  const body = post?.body ?? Buffer.alloc(0);
  const signature = String(post?.headers["x-service-signature"]);
  expect(verifySignature(signature, secret, body)).toBe(true);
  expect(JSON.parse(body.toString())).toMatchObject({
    event_type: "message.sent",
    data: {
      message_id: queued.id,
      conversation_id: conversationId,
      direction: "outbound",
      content_preview: "Your table is booked.",
      sent_by_bot: false,
    },
  });
});

test("messages sent one after the other arrive in their order", async () => {
  const conversationId = await openConversation();
  const ids: number[] = [];
  for (const content of ["one", "two", "three"]) {
    ids.push((await sendByProgram(conversationId, { content })).id);
  }
  for (const id of ids) await messageOnce(conversationId, id, "read");
  const rows = await fixture.database.dataSource.query<{ id: number }[]>(
    "SELECT id FROM messages WHERE conversation_id = ? ORDER BY sent_at, id",
    [conversationId],
  );
  expect(rows.map(({ id }) => id)).toEqual(ids);
});

test("/fail is refused for good, /silent is sent and never reported, /unknown waits for the channel's word", async () => {
  const conversationId = await openConversation();
  const failed = await sendByProgram(conversationId, { content: "/fail" });
  expect(await messageOnce(conversationId, failed.id, "failed")).toMatchObject({
    error: { code: "refused", provider_code: "131000" },
    sent_at: null,
  });
  expect(await runOf(`message-${failed.id}`).result()).toEqual({ state: "failed" });

  const silent = await sendByProgram(conversationId, { content: "/silent" });
  expect(await messageOnce(conversationId, silent.id, "sent")).toMatchObject({
    delivered_at: null,
    read_at: null,
  });
  // With its run over, nothing is left that could report it.
  expect(await runOf(`message-${silent.id}`).result()).toEqual({ state: "sent" });
  await messageOnce(conversationId, silent.id, "sent");

  const unknown = await sendByProgram(conversationId, { content: "/unknown" });
  await eventually(async () => {
    expect(await storyOf(runOf(`message-${unknown.id}`))).toEqual(["sendToChannel", "wait 10 min"]);
  });
  await messageOnce(conversationId, unknown.id, "sending");
});

test("Temporal is told nothing that a customer or a person wrote, not even by our own faults", async () => {
  const canaries = {
    name: "Canary-Name-4417",
    phone: "5215544174417",
    text: "canary-text-4417",
    answer: "canary-answer-4417",
    reason: "canary-reason-4417",
    caption: "canary-caption-4417",
    media: "canary-media-4417",
    template: "canary-template-4417",
    param: "canary-param-4417",
    externalId: "canary-external-4417",
    fault: "canary-fault-4417",
  };
  const conversationId = await openConversation({ name: canaries.name, phone: canaries.phone });
  const sql = async (statement: string) => await fixture.database.dataSource.query(statement);

  const bodies = [
    { content: canaries.text, external_id: canaries.externalId },
    {
      type: "image",
      content: canaries.caption,
      media_url: `https://example.com/${canaries.media}.png`,
    },
    {
      type: "template",
      template: { name: canaries.template, language: "es_MX", params: [canaries.param] },
    },
  ];

  // Faults of ours, whose errors repeat the statement, its values, or what they choked on.
  await sql(
    `CREATE TRIGGER refuse BEFORE UPDATE ON messages FOR EACH ROW
       SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '${canaries.fault}'`,
  );
  await sql("ALTER TABLE notifications RENAME COLUMN group_key TO gone");
  const ids: number[] = [];
  for (const body of bodies) ids.push((await sendByProgram(conversationId, body)).id);
  await setBot(conversationId, false, canaries.reason);
  const handoffId = `handoff-${conversationId}-1`;
  const whileFailing: string[] = [];
  const failing = [
    { workflowId: handoffId, message: "MySQL 1054" },
    { workflowId: `message-${ids[0]}`, message: "MySQL 1644" },
  ];
  for (const { workflowId, message } of failing) {
    await eventually(async () => {
      const { raw } = await runOf(workflowId).describe();
      const failure = raw.pendingActivities?.[0]?.lastFailure;
      expect(failure).toMatchObject({ message, stackTrace: "" });
    });
    whileFailing.push(...(await keptOf(fixture, workflowId)));
  }
  await sql("DROP TRIGGER refuse");
  await sql("ALTER TABLE notifications RENAME COLUMN gone TO group_key");
  ids.push(await answerAsPerson(conversationId, canaries.answer));
  for (const id of ids) await messageOnce(conversationId, id, "read");
  await setBot(conversationId, true);
  await runOf(handoffId).result();

  const everything = [...whileFailing, ...(await keptOfAll(fixture))].join("\n");
  // What is not secret is found, so the search itself works.
  expect(everything).toContain(`conversation ${conversationId} is with people`);
  expect(everything).toContain(`"messageId":${ids[0]}`);
  expect(everything).toContain("MySQL 1054");
  const told = Object.entries(canaries).filter(([, text]) => everything.includes(text));
  expect(told.map(([what]) => what)).toEqual([]);
});
