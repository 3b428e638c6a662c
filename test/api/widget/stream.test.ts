import { afterEach, expect, test, vi } from "vitest";
import { keepChanges } from "../../../api/live/keep-changes.ts";
import { setBot } from "../../../core/services/conversations/conversations.ts";
import { insertWidgetSecret } from "../../../core/services/widgets/widget-secrets.ts";
import { recordChange } from "../../../core/services/outbox/changes.ts";
import { asSystem } from "../../support/accounts.ts";
import type { StreamReader } from "../../support/event-stream.ts";
import { eventually } from "../../support/eventually.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { contentsOf, dataOf, startVisitStreamFixture } from "./stream-fixture.ts";
import { createTestWidget, insertSession, openVisit, signIdentity } from "./widget-fixture.ts";

const fixture = useFixture(startVisitStreamFixture);

afterEach(() => {
  fixture.leaveVisits();
  fixture.leaveAll();
  vi.restoreAllMocks();
});

test("a stream begins with the state of the conversation, and brings each message with its content", async () => {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  await fixture.reply(widget, conversationId, "Before");
  const reader = await fixture.followReady(visitor);
  expect(reader.status).toBe(200);
  expect(reader.headers["content-type"]).toBe("text/event-stream");
  expect(reader.events[0]?.data).toMatchObject({
    conversation: { id: conversationId },
    unread: 1,
  });
  await eventually(() => expect(dataOf(reader, "agent")).toEqual([{ is_on: false }]));
  const id = await fixture.reply(widget, conversationId, "Buenos días");
  await eventually(() => expect(contentsOf(reader)).toEqual(["Buenos días"]));
  expect(dataOf(reader, "message")[0]).toMatchObject({
    id,
    direction: "outbound",
    content: "Buenos días",
    client_id: null,
  });
  await visitor.write("Gracias");
  await eventually(() => expect(contentsOf(reader)).toEqual(["Buenos días", "Gracias"]));
});

test("without a conversation a stream waits for the first message, which another process may take", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  const api = await fixture.startQuickApi({});
  try {
    const [here, there] = [
      await fixture.followReady(visitor),
      await fixture.followReady(visitor, api.url),
    ];
    for (const reader of [here, there]) {
      expect(reader.events[0]?.data).toEqual({ conversation: null, unread: 0 });
    }
    await visitor.write("Hola");
    for (const reader of [here, there]) {
      await eventually(() => expect(contentsOf(reader)).toEqual(["Hola"]));
      expect(dataOf(reader, "conversation")[0]).toMatchObject({ status: "active" });
    }
    await fixture.reply(widget, await fixture.conversationOf(widget), "Buenas");
    for (const reader of [here, there]) {
      await eventually(() => expect(contentsOf(reader)).toEqual(["Hola", "Buenas"]));
    }
  } finally {
    await api.stop();
  }
});

test("who comes back gets what was missed, once and in order, with the conversation's state", async () => {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  const first = await fixture.followReady(visitor);
  await fixture.reply(widget, conversationId, "1");
  await eventually(() => expect(contentsOf(first)).toEqual(["1"]));
  first.leave();
  await fixture.reply(widget, conversationId, "2");
  const { accountId } = widget.account;
  await asSystem(fixture.database.dataSource, accountId, async (tx) => {
    await setBot(tx, conversationId, { enabled: true });
  });
  const second = await fixture.follow(visitor, { from: first.lastId() });
  await eventually(() => expect(dataOf(second, "agent")).toEqual([{ is_on: true }]));
  expect(second.events.map(({ event }) => event)).not.toContain("ready");
  expect(contentsOf(second)).toContain("2");
  await fixture.reply(widget, conversationId, "3");
  await eventually(() => expect(contentsOf(second)).toContain("3"));
});

test.each(["x", "-1", "999999999999999"])(
  "after an unknown number %s the reader is told to read everything again",
  async (from) => {
    const { widget, visitor, conversationId } = await fixture.newVisitor();
    const reader = await fixture.follow(visitor, { from });
    await eventually(() => expect(dataOf(reader, "conversation")).toHaveLength(1));
    expect(reader.events[0]).toMatchObject({ event: "reset", id: expect.stringMatching(/^\d+$/) });
    await fixture.reply(widget, conversationId, "now");
    await eventually(() => expect(contentsOf(reader)).toEqual(["now"]));
  },
);

test("what is older than the kept changes is a reset", async () => {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  const first = await fixture.followReady(visitor);
  first.leave();
  await fixture.reply(widget, conversationId, "old");
  await keepChanges(fixture.database.dataSource);
  await fixture.query("UPDATE changes SET created_at = UTC_TIMESTAMP(3) - INTERVAL 25 HOUR");
  await keepChanges(fixture.database.dataSource);
  const second = await fixture.follow(visitor, { from: first.lastId() });
  await eventually(() => expect(second.events[0]?.event).toBe("reset"));
});

test("nobody hears of another visitor's conversation", async () => {
  const [mine, other] = [await fixture.newVisitor(), await fixture.newVisitor()];
  const reader = await fixture.followReady(mine.visitor);
  await fixture.reply(other.widget, other.conversationId, "for the other one");
  await fixture.reply(mine.widget, mine.conversationId, "for me");
  await eventually(() => expect(contentsOf(reader)).toEqual(["for me"]));
});

test("a message that a stream took is delivered", async () => {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  await fixture.followReady(visitor);
  const id = await fixture.reply(widget, conversationId, "Seen?");
  await eventually(async () => {
    const rows = await fixture.query("SELECT status FROM messages WHERE id = ?", [id]);
    expect(rows).toEqual([{ status: "delivered" }]);
  });
});

test("a change is read once for all streams of its conversation", async () => {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  const readers = await Promise.all([1, 2, 3, 4].map(() => fixture.followReady(visitor)));
  await eventually(() => {
    for (const reader of readers) expect(dataOf(reader, "agent")).toHaveLength(1);
  });
  const query = vi.spyOn(fixture.database.dataSource.manager, "query");
  const { accountId } = widget.account;
  await asSystem(fixture.database.dataSource, accountId, async (tx) => {
    await recordChange(tx, { kind: "conversation.updated", conversationId });
  });
  await setAgent(accountId, conversationId);
  await eventually(() => {
    for (const reader of readers) expect(dataOf(reader, "agent")).toHaveLength(2);
  });
  const reads = query.mock.calls.filter(([sql]) => sql.includes("bot_enabled AS botEnabled"));
  expect(reads.length).toBeLessThan(4);
});

async function setAgent(accountId: number, conversationId: number): Promise<void> {
  await asSystem(fixture.database.dataSource, accountId, async (tx) => {
    await setBot(tx, conversationId, { enabled: false });
  });
}

test("a session's sixth stream ends its oldest, which comes back slowly", async () => {
  const { visitor } = await fixture.newVisitor();
  const readers: StreamReader[] = [];
  for (let count = 0; count < 6; count += 1) readers.push(await fixture.followReady(visitor));
  await eventually(() => expect(readers[0]?.ended).toBe(true));
  expect(readers[0]?.text()).toMatch(/\n\nretry: 15000\n\n$/);
  expect(readers.slice(1).map(({ ended }) => ended)).toEqual([false, false, false, false, false]);
});

test("a session that has ended closes its streams, with and without a conversation", async () => {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  const silent = { token: await insertSession(fixture, widget) };
  const staying = { token: await insertSession(fixture, widget) };
  const readers: StreamReader[] = [];
  for (const one of [visitor, silent, staying]) readers.push(await fixture.followReady(one));
  const { accountId } = widget.account;
  await asSystem(fixture.database.dataSource, accountId, async (tx) => {
    await tx.manager.query(
      `UPDATE widget_sessions SET ended_at = ? WHERE conversation_id = ?
          OR id = (SELECT id FROM (SELECT MAX(id) - 1 AS id FROM widget_sessions) newest)`,
      [tx.now, conversationId],
    );
    await recordChange(tx, { kind: "visitor.ended", conversationId });
    await recordChange(tx, { kind: "visitor.ended" });
  });
  await eventually(() => expect(readers.map(({ ended }) => ended)).toEqual([true, true, false]));
});

test("the streams of a deleted widget close, its tokens and resume secrets are refused, others go on", async () => {
  const { widget, visitor } = await fixture.newVisitor();
  const silent = { token: await insertSession(fixture, widget) };
  const sibling = await createTestWidget(fixture, { account: widget.account });
  const staying = { token: await insertSession(fixture, sibling) };
  const readers: StreamReader[] = [];
  for (const one of [visitor, silent, staying]) readers.push(await fixture.followReady(one));
  const path = `/dashboard/api/widgets/${widget.widgetId}`;
  const { cookie } = widget.account;
  expect((await fixture.api.call("DELETE", path, { cookie })).status).toBe(200);
  await eventually(() => expect(readers.map(({ ended }) => ended)).toEqual([true, true, false]));
  expect((await visitor.call("GET", "/messages")).json.error.code).toBe("session_expired");
  expect((await visitor.write("Still here?")).json.error.code).toBe("session_expired");
  const { begun } = await openVisit(fixture, widget, { resume: visitor.resume });
  expect(begun.json.error.code).toBe("widget_not_found");
});

test("a session that gets another conversation reads everything again, and follows the new one", async () => {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  const other = await openVisit(fixture, widget);
  await other.write("The verified customer's");
  const newId = await fixture.conversationOf(widget);
  const reader = await fixture.followReady(visitor);
  await asSystem(fixture.database.dataSource, widget.account.accountId, async (tx) => {
    await tx.manager.query(
      "UPDATE widget_sessions SET conversation_id = ? WHERE conversation_id = ?",
      [newId, conversationId],
    );
    await recordChange(tx, { kind: "visitor.updated", conversationId: newId });
  });
  await eventually(() => expect(dataOf(reader, "reset")).toHaveLength(1));
  await eventually(() => expect(dataOf(reader, "conversation").at(-1).id).toBe(newId));
  await fixture.reply(widget, conversationId, "to the old one");
  await fixture.reply(widget, newId, "to the new one");
  await eventually(() => expect(contentsOf(reader)).toEqual(["to the new one"]));
});

test("once a visitor becomes known, streams of the old token end and read nothing of the person", async () => {
  const { widget, visitor, conversationId, identity } = await newKnownWidget("ana");
  const silent = await openVisit(fixture, widget);
  const ana = await openVisit(fixture, widget, { identity });
  await ana.write("Of Ana");
  const own = await fixture.conversationOf(widget);
  const stranger = await openVisit(fixture, widget);
  await stranger.write("Of somebody else");
  const [kept, other] = [await fixture.followReady(ana), await fixture.followReady(stranger)];
  const old = [await fixture.followReady(visitor), await fixture.followReady(silent)];
  for (const one of [silent, visitor]) {
    expect((await one.call("POST", "/identify", { identity })).status).toBe(200);
  }
  for (const id of [own, conversationId]) await fixture.reply(widget, id, "For Ana alone");
  await eventually(() => expect(old.map(({ ended }) => ended)).toEqual([true, true]));
  expect(old.flatMap(contentsOf)).toEqual([]);
  expect(old.map((reader) => dataOf(reader, "reset"))).toEqual([[], []]);
  await eventually(() => expect(contentsOf(kept)).toContain("For Ana alone"));
  expect([kept.ended, other.ended]).toEqual([false, false]);
});

test("streams of the old token end where the conversation stays, and the new token follows it", async () => {
  const { widget, visitor, conversationId, identity } = await newKnownWidget("luis");
  const old = await fixture.followReady(visitor);
  const { json } = await visitor.call("POST", "/identify", { identity });
  expect(json.data.conversation.id).toBe(conversationId);
  await eventually(() => expect(old.ended).toBe(true));
  const next = await fixture.followReady(json.data);
  await fixture.reply(widget, conversationId, "For Luis alone");
  await eventually(() => expect(contentsOf(next)).toEqual(["For Luis alone"]));
  expect(contentsOf(old)).toEqual([]);
});

test("a renewed token and a repeated identity end no stream", async () => {
  const { widget, visitor, conversationId, identity } = await newKnownWidget("eva");
  const { json } = await visitor.call("POST", "/identify", { identity });
  const reader = await fixture.followReady(json.data);
  await fixture.query(
    "UPDATE widget_sessions SET expires_at = UTC_TIMESTAMP(3) + INTERVAL 1 HOUR WHERE conversation_id = ?",
    [conversationId],
  );
  const { resume } = json.data;
  const renewed = await openVisit(fixture, widget, { identity, resume });
  expect(renewed.token).not.toBe(json.data.token);
  await fixture.reply(widget, conversationId, "Still here");
  await eventually(() => expect(contentsOf(reader)).toEqual(["Still here"]));
  expect(reader.ended).toBe(false);
});

/** A visitor who has written, and a signed identity of the person that the visitor may become. */
async function newKnownWidget(sub: string) {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  const { accountId } = widget.account;
  await fixture.query("UPDATE widgets SET identity_mode = 'optional' WHERE id = ?", [
    widget.widgetId,
  ]);
  const secret = await asSystem(fixture.database.dataSource, accountId, (tx) =>
    insertWidgetSecret(tx, fixture.api.deps.secretBox, widget.widgetId),
  );
  const identity = signIdentity({ sub, exp: Math.floor(Date.now() / 1_000) + 600 }, secret);
  return { widget, visitor, conversationId, identity };
}

test("while the AI agent prepares a reply, the visitor sees that somebody types", async () => {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  const { accountId } = widget.account;
  const reader = await fixture.followReady(visitor);
  await eventually(() => expect(dataOf(reader, "agent")).toHaveLength(1));
  const change = async (sql: string, values: unknown[]) =>
    await asSystem(fixture.database.dataSource, accountId, async (tx) => {
      await tx.manager.query(sql, values);
      await recordChange(tx, { kind: "conversation.updated", conversationId });
    });
  await change(
    `INSERT INTO agent_turns (account_id, conversation_id, contact_id, open_conversation_id, epoch,
         watermark, settings_number, mode, engine, created_at)
     SELECT account_id, id, contact_id, id, 0, 1, 1, 'live', 'basic', UTC_TIMESTAMP(3)
       FROM conversations WHERE id = ?`,
    [conversationId],
  );
  await eventually(() => expect(dataOf(reader, "typing")).toEqual([{ is_typing: true }]));
  const late = await fixture.followReady(visitor);
  await eventually(() => expect(dataOf(late, "typing")).toEqual([{ is_typing: true }]));
  await change("UPDATE agent_turns SET open_conversation_id = NULL WHERE conversation_id = ?", [
    conversationId,
  ]);
  for (const one of [reader, late]) {
    await eventually(() => expect(dataOf(one, "typing").at(-1)).toEqual({ is_typing: false }));
  }
  // The end came while this one was cut.
  const back = await fixture.follow(visitor, { from: late.lastId() });
  await eventually(() => expect(dataOf(back, "typing")).toEqual([{ is_typing: false }]));
});

test("a session that expires ends its stream with the next beat", async () => {
  const widget = await createTestWidget(fixture);
  const token = await insertSession(fixture, widget, new Date(Date.now() + 2_500));
  const api = await fixture.startQuickApi({ heartbeatMs: 50 });
  try {
    const reader = await fixture.followReady({ token }, api.url);
    await eventually(() => expect(reader.ended).toBe(true));
    expect(reader.beats).toBeGreaterThan(0);
  } finally {
    await api.stop();
  }
});

test("beats carry the number, so that a quiet stream resumes where it was", async () => {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  const api = await fixture.startQuickApi({ heartbeatMs: 50 });
  try {
    const reader = await fixture.followReady(visitor, api.url);
    await fixture.record(await fixture.newAccount());
    const begun = Number(reader.lastId());
    const beats = () => [...reader.text().matchAll(/id: (\d+)\nevent: beat/g)];
    await eventually(() => expect(Number(beats().at(-1)?.[1])).toBeGreaterThan(begun));
    await fixture.reply(widget, conversationId, "1");
    await eventually(() => expect(contentsOf(reader)).toEqual(["1"]));
  } finally {
    await api.stop();
  }
});

test("people who type show, and so does the visitor to those who look", async () => {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  const { account } = widget;
  const { presence } = fixture.api.deps.liveStreams;
  const viewer = await fixture.openReady(account);
  const reader = await fixture.followReady(visitor);
  await eventually(() => expect(dataOf(reader, "agent")).toHaveLength(1));
  const who = { accountId: account.accountId, conversationId, userId: account.userId };
  presence.beat(who, "typing");
  await eventually(() => expect(dataOf(reader, "typing")).toEqual([{ is_typing: true }]));
  presence.beat(who, "viewing");
  await eventually(() => expect(dataOf(reader, "typing").at(-1)).toEqual({ is_typing: false }));
  presence.visitorTypes(who, true);
  const heard = () => dataOf(viewer, "typing");
  const typing = (is_typing: boolean) => ({ conversation_id: conversationId, is_typing });
  await eventually(() => expect(heard()).toEqual([typing(true)]));
  presence.visitorTypes(who, false);
  await eventually(() => expect(heard()).toEqual([typing(true), typing(false)]));
  // The visitor is no viewer, and hears nothing of the own keys.
  expect(dataOf(viewer, "presence")).toEqual([]);
  expect(dataOf(reader, "typing")).toHaveLength(2);
});

test("without a token, and with one of nobody, a stream is refused", async () => {
  for (const token of ["", "x".repeat(43)]) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fixture.api.call("GET", "/widget/api/stream", { headers });
    expect([answer.status, answer.json.error.code]).toEqual([401, "session_expired"]);
  }
});
