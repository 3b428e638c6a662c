import { expect, test } from "vitest";
import type { ConversationState } from "../../../core/model/conversation.ts";
import { setBot } from "../../../core/services/conversations/conversations.ts";
import { transaction } from "../../../db/transaction.ts";
import {
  outcomeOf,
  stateCases,
  stateOf,
  type StateCase,
} from "../../core/model/conversation-states.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { receive, tracesOf } from "../../support/conversations.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const call = async (method: string, path: string, body?: unknown) =>
  await fixture.api.call(method, `/api/v1${path}`, { apiKey: fixture.account.apiKey, body });
const traces = async <T>(work: () => Promise<T>) =>
  await tracesOf(fixture.database.dataSource, fixture.account.accountId, work);

/** A new conversation. */
async function open(): Promise<{ id: number; contactId: number; phone: string }> {
  const phone = freshPhone();
  const { data } = (await call("POST", "/conversations", { phone })).json;
  return { id: data.id, contactId: data.contact_id, phone };
}

/** A new conversation that has got into a state, in its seventh epoch. */
async function openIn({ status, botEnabled }: ConversationState) {
  const opened = await open();
  await fixture.query(
    `UPDATE conversations SET status = ?, bot_enabled = ?, bot_epoch = 7, handoff_reason = ?,
        handoff_source = ?, handoff_at = ? WHERE id = ?`,
    [
      status,
      botEnabled,
      ...(status === "handed_off" ? ["before", "api", new Date(0)] : [null, null, null]),
      opened.id,
    ],
  );
  return opened;
}

/** Lets a case's trigger act as the outside world would. */
async function pull({ trigger }: StateCase, { id, phone }: { id: number; phone: string }) {
  const { accountId } = fixture.account;
  switch (trigger.type) {
    case "bot":
      return await call("POST", `/conversations/${id}/bot`, { enabled: trigger.enabled });
    case "status":
      return await call("PATCH", `/conversations/${id}`, { status: trigger.status });
    case "reopen":
      return await call("POST", "/conversations", { phone, name: "Someone else" });
    case "customer_wrote":
      await fixture.query("UPDATE channel_accounts SET bot_default = ?", [trigger.botDefault]);
      await receive(fixture.database.dataSource, accountId, { from: phone });
      await fixture.query("UPDATE channel_accounts SET bot_default = 1");
      return await call("GET", `/conversations/${id}`);
  }
}

test.each(stateCases.filter(({ from }) => from !== "handed_off on"))(
  "from $from, $name makes known exactly what the table says: $expected",
  async (one) => {
    const before = stateOf(one.from);
    const { next, marks } = outcomeOf(one);
    const opened = await openIn(before);
    const customer = one.trigger.type === "customer_wrote";
    const done = await traces(() => pull(one, opened));
    expect(done.result.status).toBe(200);

    const facts = {
      conversation_id: opened.id,
      contact_id: opened.contactId,
      status: next.status,
      previous_status: before.status,
      bot_enabled: next.botEnabled,
      assigned_to_user_id: null,
      source: customer ? "conversation" : "api",
      actor_user_id: null,
      api_key_id: customer ? null : fixture.account.apiKeyId,
    };
    const ours = customer ? { source: "system", api_key_id: null } : {};
    const [row] = await fixture.query<{ updated_at: Date; bot_epoch: number }>(
      "SELECT updated_at, bot_epoch FROM conversations WHERE id = ?",
      [opened.id],
    );
    const at = row?.updated_at.toISOString();
    const more = next.botEnabled ? {} : { reason: null, cancelled_message_ids: [] };
    const bot = {
      type: next.botEnabled ? "conversation.bot.enabled" : "conversation.bot.disabled",
      data: { ...facts, ...ours, changed_at: at, ...more },
      at,
    };
    const updated = { type: "conversation.updated", data: { ...facts, updated_at: at }, at };
    const closed = { type: "conversation.closed", data: { ...facts, closed_at: at }, at };
    expect(
      done.events.filter(({ type }) => !/^(contact|message)\./.test(type)),
      "events in their order",
    ).toStrictEqual([
      ...(marks.includes("b") && !customer ? [bot] : []),
      ...(marks.includes("s") ? [updated] : []),
      ...(marks.includes("c") ? [closed] : []),
      ...(marks.includes("b") && customer ? [bot] : []),
    ]);

    const epoch = marks.includes("+") ? 8 : 7;
    expect(row?.bot_epoch).toBe(epoch);
    const run = (of: number) => ({
      workflow: "handoff",
      workflowId: `handoff-${opened.id}-${of}`,
      taskQueue: "conversations",
      input: { accountId: fixture.account.accountId, conversationId: opened.id, epoch: of },
      summary: `conversation ${opened.id} is with people`,
      conversationId: opened.id,
    });
    expect(done.commands, "what Temporal is told").toStrictEqual([
      ...(marks.includes("e") ? [{ op: "signal", signal: "ended", ...run(7) }] : []),
      ...(marks.includes("h") ? [{ op: "start", ...run(epoch) }] : []),
    ]);

    const kind = marks.includes("h")
      ? "handed_off"
      : marks.includes("b")
        ? "bot_enabled"
        : "status_changed";
    const params = { from: before.status, to: next.status };
    expect(done.notes, "what the inbox shows").toStrictEqual(
      marks === "" ? [] : [{ kind, text: null, params, user_id: null }],
    );
    const read = await call("GET", `/conversations/${opened.id}`);
    expect(read.json.data).toMatchObject({ status: next.status, bot_enabled: next.botEnabled });
  },
);

test("the same call again answers the same and makes nothing known", async () => {
  const { id } = await open();
  for (const [method, path, body] of [
    ["POST", "/bot", { enabled: false, reason: "wants a person" }],
    ["POST", "/bot", { enabled: true }],
    ["PATCH", "", { status: "waiting" }],
    ["PATCH", "", { status: "resolved" }],
    ["PATCH", "", { status: "active" }],
  ] as const) {
    const first = await traces(() => call(method, `/conversations/${id}${path}`, body));
    expect([first.result.status, first.events.length > 0]).toEqual([200, true]);
    const rows = await fixture.count("conversation_notes", "changes", "outbox");
    const again = await traces(() => call(method, `/conversations/${id}${path}`, body));
    expect([again.result.status, again.events]).toEqual([200, []]);
    expect(again.result.text).toBe(first.result.text);
    expect(await fixture.count("conversation_notes", "changes", "outbox")).toEqual(rows);
  }
});

test("the view of one conversation has the documented members, in their order", async () => {
  const { id, contactId, phone } = await open();
  const read = await call("GET", `/conversations/${id}`);
  expect(read.json).toStrictEqual({
    success: true,
    data: {
      id,
      contact_id: contactId,
      channel: "whatsapp",
      status: "active",
      bot_enabled: true,
      assigned_to_user_id: null,
      last_message_at: read.json.data.created_at,
      created_at: timestamp,
      updated_at: read.json.data.created_at,
      contact: (await call("GET", `/contacts/${contactId}`)).json.data,
      handoff: null,
      stage: null,
      referral: null,
      messaging_window: { open: true, expires_at: null, human_expires_at: null },
    },
  });
  expect(read.json.data.contact.phone).toBe(phone);
  expect(Object.keys(read.json.data)).toEqual(
    "id contact_id channel status bot_enabled assigned_to_user_id last_message_at created_at updated_at contact handoff stage referral messaging_window".split(
      " ",
    ),
  );
  const patched = await call("PATCH", `/conversations/${id}`, { status: "waiting" });
  expect((await call("GET", `/conversations/${id}`)).text).toBe(patched.text);
});

test("the bot call answers with the contract's two members", async () => {
  const { id } = await open();
  for (const enabled of [false, false, true, true]) {
    const answer = await call("POST", `/conversations/${id}/bot`, { enabled });
    expect([answer.status, answer.json]).toStrictEqual([
      200,
      { success: true, data: { conversation_id: id, bot_enabled: enabled } },
    ]);
  }
});

test("a handoff shows its reason, source and moment, and is gone in every other status", async () => {
  for (const [method, path, body, status] of [
    ["PATCH", "", { status: "active" }, "active"],
    ["PATCH", "", { status: "waiting" }, "waiting"],
    ["PATCH", "", { status: "resolved" }, "resolved"],
    ["POST", "/bot", { enabled: true }, "active"],
  ] as const) {
    const { id } = await open();
    const paused = await traces(() =>
      call("POST", `/conversations/${id}/bot`, { enabled: false, reason: " wants a person " }),
    );
    expect(paused.events[0]?.data).toMatchObject({ reason: "wants a person" });
    expect(paused.notes).toEqual([
      {
        kind: "handed_off",
        text: "wants a person",
        params: { from: "active", to: "handed_off" },
        user_id: null,
      },
    ]);
    expect((await call("GET", `/conversations/${id}`)).json.data.handoff).toStrictEqual({
      reason: "wants a person",
      source: "api",
      actor_user_id: null,
      at: paused.events[0]?.at,
    });
    await call(method, `/conversations/${id}${path}`, body);
    const { data } = (await call("GET", `/conversations/${id}`)).json;
    // The flag stays off after PATCH: a status never turns the agent on.
    expect([data.handoff, data.status, data.bot_enabled]).toEqual([null, status, path === "/bot"]);
  }
});

test("a person who pauses is named in the handoff, the note and the events", async () => {
  const { id } = await open();
  const { accountId, userId } = fixture.account;
  const actor = { type: "user", accountId, userId, role: "admin" } as const;
  const done = await traces(() =>
    transaction(fixture.database.dataSource, { actor }, (tx) => setBot(tx, id, { enabled: false })),
  );
  const who = { source: "panel", actor_user_id: userId, api_key_id: null };
  expect(done.events.map(({ type, data }) => [type, data])).toEqual([
    ["conversation.bot.disabled", expect.objectContaining(who)],
    ["conversation.updated", expect.objectContaining(who)],
  ]);
  expect(done.notes).toMatchObject([{ kind: "handed_off", user_id: userId }]);
  expect((await call("GET", `/conversations/${id}`)).json.data.handoff).toMatchObject({
    source: "panel",
    actor_user_id: userId,
  });
});

test("PATCH to handed_off is refused with a hint to the bot call", async () => {
  const { id } = await open();
  const done = await traces(() => call("PATCH", `/conversations/${id}`, { status: "handed_off" }));
  expect(done.result.status).toBe(400);
  expect(done.result.json.error.details).toEqual([
    {
      path: "body.status",
      code: "invalid_value",
      message: "Hand over with POST /conversations/:id/bot and enabled: false.",
    },
  ]);
  expect(done.events).toEqual([]);
});

test("30 PATCHes at once make one chain of changes, none told twice and none left out", async () => {
  const { id } = await open();
  const statuses = ["waiting", "resolved", "active"];
  const done = await traces(() =>
    Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        call("PATCH", `/conversations/${id}`, { status: statuses[index % 3] }),
      ),
    ),
  );
  expect(new Set(done.result.map(({ status }) => status))).toEqual(new Set([200]));
  const updates = done.events.filter(({ type }) => type === "conversation.updated");
  const chain = ["active", ...updates.map(({ data }) => data.status)];
  expect(updates.map(({ data }) => data.previous_status)).toEqual(chain.slice(0, -1));
  expect(updates.filter(({ data }) => data.status === data.previous_status)).toEqual([]);
  expect((await call("GET", `/conversations/${id}`)).json.data.status).toBe(chain.at(-1));
  expect(done.events.filter(({ type }) => type === "conversation.closed")).toHaveLength(
    updates.filter(({ data }) => data.status === "resolved").length,
  );
  expect(done.notes).toHaveLength(updates.length);
});

test("20 pauses at once are one pause", async () => {
  const { id } = await open();
  const done = await traces(() =>
    Promise.all(
      Array.from({ length: 20 }, () =>
        call("POST", `/conversations/${id}/bot`, { enabled: false }),
      ),
    ),
  );
  expect(new Set(done.result.map(({ text }) => text)).size).toBe(1);
  expect(done.events.map(({ type }) => type)).toEqual([
    "conversation.bot.disabled",
    "conversation.updated",
  ]);
  expect(done.commands.map(({ op }) => op)).toEqual(["start"]);
});
