import { beforeEach, expect, test } from "vitest";
import type { HandoffInput } from "../../core/model/workflow/handoff.ts";
import { assignConversation } from "../../core/services/conversations/conversation-assignee.ts";
import { setBot } from "../../core/services/conversations/conversations.ts";
import { beginHandoff } from "../../core/services/conversations/handoffs.ts";
import { sendMessage } from "../../core/services/conversations/messages.ts";
import { messageSendBody } from "../../core/model/message.ts";
import { createAttemptFixture } from "./attempt-fixture.ts";
import { createConversationFixture, type ConversationFixture } from "./conversation-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);
let conversations: ConversationFixture;

beforeEach(async () => {
  conversations = await createConversationFixture(fixture);
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

async function times<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let n = 0; n < count; n += 1) made.push(await make());
  return made;
}

const addAgents = async (count: number): Promise<number[]> =>
  await times(count, () => conversations.addMember("agent"));

/** Begins handoffs one after the other. @returns whom each went to. */
async function assignAll(inputs: HandoffInput[]): Promise<(number | null)[]> {
  const assignees: (number | null)[] = [];
  for (const input of inputs) {
    await fixture.activities.beginHandoff(input);
    assignees.push(await conversations.assigneeOf(input));
  }
  return assignees;
}

/** A person writes to the customer. */
async function reply({ conversationId, accountId }: HandoffInput): Promise<void> {
  const actor = { type: "user", accountId, userId: conversations.adminId, role: "admin" } as const;
  const body = messageSendBody.parse({ content: "I am here." });
  await conversations.run((tx) => sendMessage(tx, conversationId, body), actor);
}

/** Moves the handoff, and the people's last reply, into the past. */
async function age({ conversationId }: HandoffInput, hours: number): Promise<void> {
  await conversations.sql(
    `UPDATE conversations SET handoff_at = handoff_at - INTERVAL ? HOUR,
            last_human_reply_at = last_human_reply_at - INTERVAL ? HOUR WHERE id = ?`,
    [hours, hours, conversationId],
  );
}

test("handoffs go round the agents, whoever was assigned least recently first", async () => {
  const [first, second, third] = await addAgents(3);
  const inputs = await times(7, () => conversations.handOver());
  expect(await assignAll(inputs)).toEqual([first, second, third, first, second, third, first]);
});

test("who joins is next, since they were never assigned", async () => {
  const [first, second] = await addAgents(2);
  const inputs = await times(3, () => conversations.handOver());
  expect(await assignAll(inputs.slice(0, 2))).toEqual([first, second]);
  const [joined] = await addAgents(1);
  expect(await assignAll(inputs.slice(2))).toEqual([joined]);
});

test("agents come before admins, however often they were assigned", async () => {
  await conversations.addMember("admin");
  const [agent] = await addAgents(1);
  expect(await assignAll(await times(3, () => conversations.handOver()))).toEqual([
    agent,
    agent,
    agent,
  ]);
});

test("without an agent the admins take turns", async () => {
  const other = await conversations.addMember("admin");
  const { adminId } = conversations;
  expect(await assignAll(await times(3, () => conversations.handOver()))).toEqual([
    adminId,
    other,
    adminId,
  ]);
});

test("whoever may not come in any more gets nothing", async () => {
  const [shutOut, gone, stays] = await addAgents(3);
  await conversations.sql(
    "UPDATE memberships SET disabled_at = UTC_TIMESTAMP(3) WHERE user_id = ?",
    [shutOut],
  );
  await conversations.sql("UPDATE users SET disabled_at = UTC_TIMESTAMP(3) WHERE id = ?", [gone]);
  expect(await assignAll(await times(2, () => conversations.handOver()))).toEqual([stays, stays]);
});

test("people of another account are never assigned, nor put behind", async () => {
  const other = await createConversationFixture(fixture);
  const theirs = await other.addMember("agent");
  const mine = await conversations.addMember("agent");
  expect(await assignAll([await conversations.handOver()])).toEqual([mine]);
  const [row] = await conversations.sql(
    "SELECT last_assigned_at FROM memberships WHERE user_id = ?",
    [theirs],
  );
  expect(row).toEqual({ last_assigned_at: null });
});

test("a conversation that someone has stays with them, and that is no turn of theirs", async () => {
  const [first, second] = await addAgents(2);
  const taken = await conversations.handOver();
  await conversations.run((tx) => assignConversation(tx, taken.conversationId, second ?? 0));
  expect(await assignAll([taken])).toEqual([second]);
  const inputs = await times(2, () => conversations.handOver());
  expect(await assignAll(inputs)).toEqual([first, second]);
});

test("a conversation of someone who may not come in any more goes to the next", async () => {
  const [gone, next] = await addAgents(2);
  const input = await conversations.handOver();
  await conversations.run((tx) => assignConversation(tx, input.conversationId, gone ?? 0));
  const disable = "UPDATE memberships SET disabled_at = UTC_TIMESTAMP(3) WHERE user_id = ?";
  await conversations.sql(disable, [gone]);
  expect(await assignAll([input])).toEqual([next]);
  await conversations.sql(disable, [next]);
  await fixture.activities.remindHandoff(input);
  expect((await conversations.notifications(input)).at(-1)).toMatchObject({
    kind: "handoff_reminder",
    user_id: null,
  });
});

test("an account that nobody may enter has its handoff all the same, with nobody", async () => {
  await conversations.sql("UPDATE users SET disabled_at = UTC_TIMESTAMP(3) WHERE id = ?", [
    conversations.adminId,
  ]);
  const input = await conversations.handOver();
  expect(await assignAll([input])).toEqual([null]);
  expect(await fixture.activities.remindHandoff(input)).toEqual({ state: "done" });
  expect(await conversations.notifications(input)).toMatchObject([
    { kind: "conversation_handed_off", user_id: null, admins_only: 0 },
    { kind: "handoff_reminder", user_id: null, admins_only: 0 },
  ]);
});

test("ten handoffs at once over five agents give each of them two", async () => {
  const agents = await addAgents(5);
  for (let round = 1; round <= 3; round += 1) {
    const inputs = await times(10, () => conversations.handOver());
    await Promise.all(inputs.map((input) => fixture.activities.beginHandoff(input)));
    const assignees = await Promise.all(inputs.map((input) => conversations.assigneeOf(input)));
    const twice = [...agents, ...agents].toSorted((one, other) => one - other);
    expect(assignees.toSorted((one, other) => Number(one) - Number(other))).toEqual(twice);
  }
});

test.each([
  { what: "in the same millisecond", stepMs: 0 },
  { what: "by transactions that began in the opposite order", stepMs: -50 },
])("turns are kept $what", async ({ stepMs }) => {
  const [first, second] = await addAgents(2);
  const inputs = await times(4, () => conversations.handOver());
  const assignees: (number | null)[] = [];
  for (const [index, input] of inputs.entries()) {
    const now = new Date(1_900_000_000_000 + index * stepMs);
    await conversations.run((tx) => beginHandoff({ ...tx, now }, input, false));
    assignees.push(await conversations.assigneeOf(input));
  }
  expect(assignees).toEqual([first, second, first, second]);
});

test("a handoff begins with the account's times and tells the whole inbox", async () => {
  const input = await conversations.handOver();
  expect(await fixture.activities.beginHandoff(input)).toEqual({
    current: true,
    replied: false,
    elapsedMs: 0,
    remindMs: 10 * minuteMs,
    escalateMs: 60 * minuteMs,
    returnMs: null,
  });
  expect(await conversations.notifications(input)).toEqual([
    {
      kind: "conversation_handed_off",
      user_id: null,
      admins_only: 0,
      params: { conversation_id: input.conversationId, channel: "whatsapp" },
      group_key: `conversation:${input.conversationId}`,
    },
  ]);

  const settings = {
    handoff_remind_minutes: 3,
    handoff_escalate_minutes: 7,
    handoff_return_hours: 5,
  };
  await conversations.sql("UPDATE accounts SET settings = ? WHERE id = ?", [
    JSON.stringify(settings),
    conversations.accountId,
  ]);
  expect(await fixture.activities.beginHandoff(input)).toMatchObject({
    remindMs: 3 * minuteMs,
    escalateMs: 7 * minuteMs,
    returnMs: 5 * hourMs,
  });
});

test("every step counts once, however often and however close together it runs", async () => {
  const [agent] = await addAgents(2);
  const input = await conversations.handOver();
  const { activities } = fixture;
  const steps = [activities.beginHandoff, activities.remindHandoff, activities.escalateHandoff];
  for (const step of steps) {
    await Promise.all([step(input), step(input), step(input)]);
    await step(input);
  }
  expect(await conversations.assigneeOf(input)).toBe(agent);
  const { conversationId, epoch } = input;
  expect(await conversations.notifications(input)).toMatchObject([
    { kind: "conversation_handed_off", user_id: null, admins_only: 0 },
    { kind: "handoff_reminder", user_id: agent, admins_only: 0 },
    { kind: "handoff_escalation", user_id: null, admins_only: 1 },
  ]);
  expect(await conversations.notes(input)).toEqual([
    "handed_off",
    "assigned",
    "handoff_reminder",
    "handoff_escalated",
  ]);
  const keys = await conversations.sql(
    "SELECT dedupe_key FROM notifications WHERE conversation_id = ?",
    [conversationId],
  );
  expect(keys).toContainEqual({ dedupe_key: `handoff_reminder:${conversationId}:${epoch}` });
});

test("each handoff of a conversation has notifications of its own", async () => {
  const first = await conversations.handOver();
  await fixture.activities.beginHandoff(first);
  await fixture.activities.remindHandoff(first);
  await conversations.run((tx) => setBot(tx, first.conversationId, { enabled: true }));
  const second = await conversations.pause(first.conversationId);
  expect(second.epoch).toBe(first.epoch + 2);
  await fixture.activities.beginHandoff(second);
  await fixture.activities.remindHandoff(second);
  expect((await conversations.notifications(first)).map(({ kind }) => kind)).toEqual([
    "conversation_handed_off",
    "handoff_reminder",
    "conversation_handed_off",
    "handoff_reminder",
  ]);
});

test("the reminder goes to whoever has the conversation by then", async () => {
  const [, second] = await addAgents(2);
  const input = await conversations.handOver();
  await fixture.activities.beginHandoff(input);
  await conversations.run((tx) => assignConversation(tx, input.conversationId, second ?? 0));
  await fixture.activities.remindHandoff(input);
  expect((await conversations.notifications(input)).at(-1)).toMatchObject({ user_id: second });
});

test("a person's reply ends reminding and escalating", async () => {
  const input = await conversations.handOver();
  expect(await fixture.activities.beginHandoff(input)).toMatchObject({ replied: false });
  await reply(input);
  expect(await fixture.activities.remindHandoff(input)).toEqual({ state: "replied" });
  expect(await fixture.activities.escalateHandoff(input)).toEqual({ state: "replied" });
  expect(await fixture.activities.beginHandoff(input)).toMatchObject({ replied: true });
  expect(await conversations.notifications(input)).toHaveLength(1);
  expect(await conversations.notes(input)).toEqual(["handed_off", "assigned"]);
});

test("a reply before the handoff is none in it", async () => {
  const conversationId = await conversations.openConversation();
  await conversations.sql("UPDATE accounts SET settings = ? WHERE id = ?", [
    JSON.stringify({ pause_on_human_reply: false }),
    conversations.accountId,
  ]);
  await reply({ accountId: conversations.accountId, conversationId, epoch: 0 });
  await conversations.sql(
    "UPDATE conversations SET last_human_reply_at = last_human_reply_at - INTERVAL 1 SECOND WHERE id = ?",
    [conversationId],
  );
  const input = await conversations.pause(conversationId);
  expect(await fixture.activities.beginHandoff(input)).toMatchObject({ replied: false });
});

test("the workflow hears of the first reply in a handoff, and of no other", async () => {
  const input = await conversations.handOver();
  const { commands } = await conversations.traces(async () => {
    await reply(input);
    await reply(input);
  });
  expect(commands.filter(({ workflow }) => workflow === "handoff")).toEqual([
    {
      op: "signal",
      workflow: "handoff",
      workflowId: `handoff-${input.conversationId}-${input.epoch}`,
      taskQueue: "conversations",
      input,
      signal: "replied",
      summary: `conversation ${input.conversationId} is with people`,
      conversationId: input.conversationId,
    },
  ]);
});

test("a reply that pauses the agent is the reply of its own handoff, and needs no signal", async () => {
  const conversationId = await conversations.openConversation();
  const before = { accountId: conversations.accountId, conversationId, epoch: 1 };
  const { commands, notes } = await conversations.traces(() => reply(before));
  expect(commands.map(({ workflow, op }) => `${op} ${workflow}`)).toEqual([
    "start sendMessage",
    "start handoff",
  ]);
  expect(notes).toMatchObject([
    { kind: "assigned", params: { from: null } },
    { kind: "handed_off", text: "human_reply" },
  ]);
  expect(await fixture.activities.beginHandoff(before)).toMatchObject({
    current: true,
    replied: true,
  });
});

test.each(["the agent took over", "there is a later handoff", "its contact was erased"])(
  "no step does anything once %s",
  async (what) => {
    const input = { ...(await conversations.handOver()), silenceMs: 1 };
    const { conversationId } = input;
    if (what === "its contact was erased") {
      await conversations.sql("DELETE FROM conversations WHERE id = ?", [conversationId]);
    } else {
      await conversations.run((tx) => setBot(tx, conversationId, { enabled: true }));
      if (what === "there is a later handoff") await conversations.pause(conversationId);
    }
    const done = await conversations.traces(async () => [
      await fixture.activities.beginHandoff(input),
      await fixture.activities.remindHandoff(input),
      await fixture.activities.escalateHandoff(input),
      await fixture.activities.returnToAgent(input),
    ]);
    const over = { state: "over" };
    expect(done).toEqual({
      result: [{ current: false }, over, over, over],
      events: [],
      commands: [],
      notes: [],
    });
    expect(await conversations.notifications(input)).toEqual([]);
    expect(await conversations.assigneeOf(input)).toBeNull();
  },
);

test("the agent does not take over before the silence is over, and every reply begins it anew", async () => {
  const input = { ...(await conversations.handOver()), silenceMs: 4 * hourMs };
  await age(input, 3);
  const { result, events } = await conversations.traces(() =>
    fixture.activities.returnToAgent(input),
  );
  expect(result).toEqual({ state: "waiting", waitMs: expect.any(Number) });
  expect(events).toEqual([]);
  const waitMs = "waitMs" in result ? result.waitMs : 0;
  expect(waitMs).toBeLessThanOrEqual(hourMs);
  expect(waitMs).toBeGreaterThan(hourMs - 5 * minuteMs);

  await reply(input);
  const later = await fixture.activities.returnToAgent(input);
  expect("waitMs" in later && later.waitMs).toBeGreaterThan(4 * hourMs - 5 * minuteMs);
});

test("after the silence the agent takes over again, once, and the events say the service did it", async () => {
  const input = { ...(await conversations.handOver()), silenceMs: 4 * hourMs };
  await reply(input);
  await age(input, 4);
  const { result, events, commands, notes } = await conversations.traces(async () => [
    await fixture.activities.returnToAgent(input),
    await fixture.activities.returnToAgent(input),
  ]);
  expect(result).toEqual([{ state: "returned" }, { state: "over" }]);
  const state = {
    conversation_id: input.conversationId,
    contact_id: expect.any(Number),
    status: "active",
    previous_status: "handed_off",
    bot_enabled: true,
    assigned_to_user_id: expect.any(Number),
    source: "system",
    actor_user_id: null,
    api_key_id: null,
  };
  expect(events).toMatchObject([
    { type: "conversation.bot.enabled", data: { ...state, changed_at: expect.any(String) } },
    { type: "conversation.updated", data: { ...state, updated_at: expect.any(String) } },
  ]);
  expect(commands).toMatchObject([
    { op: "signal", signal: "ended", input: { epoch: input.epoch } },
  ]);
  expect(notes).toMatchObject([{ kind: "bot_enabled", user_id: null }]);
});
