import { expect, test } from "vitest";
import { networkOf } from "../../../core/network.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import {
  createTestWidget,
  openVisit,
  solveProof,
  type TestVisitor,
  type TestWidget,
} from "./widget-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));

interface Place {
  conversationId: number;
  contactId: number;
}

async function placeOf({ widgetId }: TestWidget): Promise<Place> {
  const [row] = await fixture.query<Place>(
    `SELECT conversation_id AS conversationId, contact_id AS contactId FROM widget_sessions
      WHERE widget_id = ? AND conversation_id IS NOT NULL ORDER BY id DESC LIMIT 1`,
    [widgetId],
  );
  return { conversationId: Number(row?.conversationId), contactId: Number(row?.contactId) };
}

async function reply(widget: TestWidget, content: string): Promise<number> {
  const { conversationId } = await placeOf(widget);
  const answer = await fixture.api.call(
    "POST",
    `/dashboard/api/conversations/${conversationId}/messages`,
    { cookie: widget.account.cookie, body: { type: "text", content } },
  );
  const { id } = answer.json.data;
  await fixture.query("UPDATE messages SET status = 'sent' WHERE id = ?", [id]);
  return id;
}

const upsert = async ({ account }: TestWidget, body: Record<string, string>) =>
  (await fixture.api.call("POST", "/api/v1/contacts", { apiKey: account.apiKey, body })).json.data
    .id as number;

const notesOf = async ({ account }: TestWidget) =>
  (
    await fixture.query<{ text: string }>(
      "SELECT text FROM conversation_notes WHERE account_id = ? AND kind = 'note' ORDER BY id",
      [account.accountId],
    )
  ).map(({ text }) => text);

const isOver = async (visitor: TestVisitor) =>
  (await visitor.call("GET", "/messages")).json.error?.code === "session_expired";

test("read marks the company's messages up to an id, and nothing later", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  const first = await reply(widget, "One");
  const second = await reply(widget, "Two");
  expect((await visitor.call("POST", "/read", { up_to_message_id: first })).status).toBe(204);
  const rows = await fixture.query("SELECT id, status FROM messages WHERE id IN (?, ?)", [
    first,
    second,
  ]);
  expect(rows).toEqual([
    { id: first, status: "read" },
    { id: second, status: "sent" },
  ]);
  const resumed = await openVisit(fixture, widget, { resume: visitor.resume });
  expect(resumed.begun.json.data.unread).toBe(1);
  const stranger = await openVisit(fixture, await createTestWidget(fixture));
  expect((await stranger.call("POST", "/read", { up_to_message_id: second })).status).toBe(204);
  const [row] = await fixture.query("SELECT status FROM messages WHERE id = ?", [second]);
  expect(row).toEqual({ status: "sent" });
});

test("the visitor sees which message a person has seen", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  const seen = (await visitor.write("One")).json.data.id;
  const path = `/dashboard/api/conversations/${(await placeOf(widget)).conversationId}/read`;
  const { cookie } = widget.account;
  await fixture.api.call("POST", path, { cookie, body: { up_to_message_id: seen } });
  await visitor.write("Two");
  const resumed = await openVisit(fixture, widget, { resume: visitor.resume });
  expect(resumed.begun.json.data.conversation).toMatchObject({ seen_message_id: seen });
});

test("what a visitor says before the first message is the contact's afterwards", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  const said = { name: "Ana", email: "Ana@Example.com", phone: "+52 55 8765 4321" };
  const { json } = await visitor.call("POST", "/contact", said);
  expect(json.data).toMatchObject({ name: "Ana", has_email: true, has_phone: true });
  expect(await widget.events()).toEqual([]);
  await visitor.write("Hi");
  const [contact] = await fixture.query("SELECT name, email, phone FROM contacts WHERE id = ?", [
    (await placeOf(widget)).contactId,
  ]);
  expect(contact).toEqual({ name: "Ana", email: "ana@example.com", phone: "525587654321" });
  const wrong = await visitor.call("POST", "/contact", { email: "no address" });
  expect([wrong.status, wrong.json.error.details[0].path]).toEqual([400, "body.email"]);
});

test("a form with its hidden field filled brings a proof of work, and stores nothing before", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  const website = "https://spam.example";
  const said = async () =>
    await fixture.query("SELECT said FROM widget_sessions WHERE widget_id = ?", [widget.widgetId]);
  const booking = { client_id: "b", service_id: 1, slot: "none", name: "Ana", website };
  const refused = await visitor.call("POST", "/bookings", booking);
  const asked = await visitor.call("POST", "/contact", { name: "Ana", website });
  for (const { status, json } of [refused, asked]) {
    expect([status, json.error.code]).toEqual([428, "proof_required"]);
  }
  expect(await said()).toEqual([{ said: null }]);
  const proof = solveProof(asked.json.error.details);
  const proved = await visitor.call("POST", "/contact", { name: "Ana", website, proof });
  expect([proved.status, await said()]).toEqual([200, [{ said: { name: "Ana" } }]]);
  expect((await visitor.call("POST", "/contact", { name: "Bo", website: "" })).status).toBe(200);
});

test("another contact's email and phone stay there, and show nothing of that contact", async () => {
  const widget = await createTestWidget(fixture);
  const owner = await upsert(widget, {
    name: "Real Owner",
    email: "real@example.com",
    phone: "5215599990000",
  });
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  const claim = { email: "real@example.com", phone: "+52 1 55 9999 0000" };
  const first = await visitor.call("POST", "/contact", claim);
  const again = await visitor.call("POST", "/contact", claim);
  expect(JSON.stringify([first.json, again.json])).not.toContain("Real Owner");
  expect(first.json.data).toMatchObject({ name: null, has_email: true });
  const { contactId } = await placeOf(widget);
  expect(contactId).not.toBe(owner);
  const [mine] = await fixture.query("SELECT name, email, phone FROM contacts WHERE id = ?", [
    contactId,
  ]);
  expect(mine).toEqual({ name: null, email: null, phone: null });
  expect(await notesOf(widget)).toEqual([
    expect.stringContaining("says: real@example.com"),
    expect.stringContaining("says: 5215599990000"),
  ]);
  const [hint] = await fixture.query(
    "SELECT same_as_contact_id AS same FROM contact_identities WHERE contact_id = ?",
    [contactId],
  );
  expect(hint).toEqual({ same: owner });
  expect(await visitor.texts()).toEqual(["Hi"]);
});

test("the erasure of a contact takes a visitor's claims to the email and phone, and no other note", async () => {
  const widget = await createTestWidget(fixture);
  const { cookie } = widget.account;
  const owner = await upsert(widget, { email: "owner@example.com", phone: "5215599990001" });
  await upsert(widget, { email: "other@example.com" });
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  await visitor.call("POST", "/contact", { name: "Eva", email: "owner@example.com" });
  await visitor.call("POST", "/contact", { phone: "+52 55 9999 0001" });
  // The contact still points to the first owner.
  await visitor.call("POST", "/contact", { email: "other@example.com" });
  const { conversationId } = await placeOf(widget);
  const text = "owner@example.com called";
  const path = `/dashboard/api/conversations/${conversationId}/notes`;
  await fixture.api.call("POST", path, { cookie, body: { text } });
  expect(await notesOf(widget)).toHaveLength(4);
  const erased = await fixture.api.call("DELETE", `/dashboard/api/contacts/${owner}`, { cookie });
  expect(erased.status).toBe(200);
  expect(await notesOf(widget)).toEqual([expect.stringContaining("says: other@example.com"), text]);
  const [session] = await fixture.query(
    "SELECT said FROM widget_sessions WHERE conversation_id = ?",
    [conversationId],
  );
  expect(session).toEqual({ said: { name: "Eva", email: "other@example.com" } });
  const changes = await fixture.query(
    "SELECT kind FROM changes WHERE account_id = ? AND conversation_id = ? ORDER BY id DESC LIMIT 1",
    [widget.account.accountId, conversationId],
  );
  expect(changes).toEqual([{ kind: "conversation.updated" }]);
});

test("the page is stored, of a listed site alone", async () => {
  const widget = await createTestWidget(fixture, { allowedOrigins: ["https://shop.example"] });
  const visitor = await openVisit(fixture, widget);
  const page = { url: "https://shop.example/cart", title: "Cart", referrer: "" };
  expect((await visitor.call("POST", "/page", { page })).status).toBe(204);
  const [row] = await fixture.query("SELECT page FROM widget_sessions WHERE widget_id = ?", [
    widget.widgetId,
  ]);
  expect(row).toEqual({ page });
  const foreign = { page: { url: "https://evil.example/" } };
  expect((await visitor.call("POST", "/page", foreign)).json.error.code).toBe("origin_not_allowed");
});

test("a reset ends the session and its secrets, and begins another visitor's", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Private");
  const { json } = await visitor.call("POST", "/reset");
  expect(json.data).toMatchObject({ conversation: null, visitor: { name: null } });
  expect(json.data.visitor.id).not.toBe(visitor.visitorId);
  expect(await isOver(visitor)).toBe(true);
  const replayed = await openVisit(fixture, widget, { resume: visitor.resume });
  expect([replayed.visitorId === visitor.visitorId, await replayed.texts()]).toEqual([false, []]);
  const next = await openVisit(fixture, widget, { resume: json.data.resume });
  expect(next.visitorId).toBe(json.data.visitor.id);
  const ended = await fixture.query(
    "SELECT conversation_id AS id FROM changes WHERE account_id = ? AND kind = 'visitor.ended'",
    [widget.account.accountId],
  );
  expect(ended).toEqual([{ id: (await placeOf(widget)).conversationId }]);
});

test.each(["sessions", "hourlySessions"] as const)(
  "a reset counts as one of the %s of its network, and one too many still ends the chat",
  async (limit) => {
    const visitor = await openVisit(fixture, await createTestWidget(fixture));
    const ip = `10.9.8.${limit.length}`;
    const from = { "x-forwarded-for": ip };
    const { status, json } = await visitor.call("POST", "/reset", undefined, from);
    expect(status).toBe(200);
    fixture.api.deps.widgetLimits[limit](networkOf(ip), 1_000);
    const next = { authorization: `Bearer ${json.data.token}` };
    const refused = await visitor.call("POST", "/reset", undefined, Object.assign(from, next));
    expect([refused.status, refused.json.error?.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const after = await visitor.call("GET", "/messages", undefined, next);
    expect(after.json.error.code).toBe("session_expired");
  },
);

test("the transcript is a text file of the own conversation", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi\nthere");
  await reply(widget, "Hello");
  const { headers, text } = await visitor.call("GET", "/transcript");
  expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(headers.get("content-disposition")).toBe('attachment; filename="chat.txt"');
  expect(text).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}Visitor: Hi\n {4}there\n.* UTC {2}Admin: Hello\n$/u,
  );
});

test("a visitor whom only this chat knows is erased; anybody else asks an admin", async () => {
  const widget = await createTestWidget(fixture);
  const refused = await (await openVisit(fixture, widget)).call("POST", "/erase");
  expect([refused.status, refused.json.error.code]).toEqual([404, "route_not_found"]);
  await fixture.query(
    "UPDATE widgets SET settings = JSON_SET(settings, '$.lets_visitor_erase', TRUE) WHERE id = ?",
    [widget.widgetId],
  );
  const known = await openVisit(fixture, widget);
  await known.write("Keep me");
  const { contactId } = await placeOf(widget);
  await fixture.query(
    `INSERT INTO contact_identities SET account_id = ?, contact_id = ?, channel_account_id = 1,
       channel = 'whatsapp', external_id = '5215511112222', kind = 'phone'`,
    [widget.account.accountId, contactId],
  );
  expect((await known.call("POST", "/erase")).json.data).toEqual({ outcome: "requested" });
  expect((await known.call("POST", "/erase")).json.data).toEqual({ outcome: "requested" });
  expect(await notesOf(widget)).toHaveLength(1);
  expect(await known.texts()).toEqual(["Keep me"]);
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Forget me");
  const place = await placeOf(widget);
  expect((await visitor.call("POST", "/erase")).json.data).toEqual({ outcome: "erased" });
  expect(await isOver(visitor)).toBe(true);
  expect(await fixture.query("SELECT id FROM contacts WHERE id = ?", [place.contactId])).toEqual(
    [],
  );
  const [session] = await fixture.query(
    "SELECT said, page, resume_hash FROM widget_sessions WHERE contact_id = ?",
    [place.contactId],
  );
  expect(session).toEqual({ said: null, page: null, resume_hash: null });
});

test("a merge and an erasure by a person end the sessions of the contact", async () => {
  const widget = await createTestWidget(fixture);
  const { cookie } = widget.account;
  const visitor = await openVisit(fixture, widget);
  await visitor.write("One");
  const loser = (await placeOf(widget)).contactId;
  const other = await openVisit(fixture, widget);
  await other.write("Two");
  const winner = (await placeOf(widget)).contactId;
  const merged = await fixture.api.call("POST", `/dashboard/api/contacts/${loser}/merge`, {
    cookie,
    body: { into_contact_id: winner },
  });
  expect(merged.status).toBe(200);
  expect([await isOver(visitor), await isOver(other)]).toEqual([true, true]);
  expect((await visitor.write("Three")).status).toBe(401);
  const resumed = await openVisit(fixture, widget, { resume: visitor.resume });
  expect(await resumed.texts()).toEqual([]);
  await resumed.write("Four");
  const { contactId } = await placeOf(widget);
  const erased = await fixture.api.call("DELETE", `/dashboard/api/contacts/${contactId}`, {
    cookie,
  });
  expect([erased.status < 300, await isOver(resumed)]).toEqual([true, true]);
});

test("signs of typing are taken before and after the first message, and too many are no error", async () => {
  const visitor = await openVisit(fixture, await createTestWidget(fixture));
  const type = async () => (await visitor.call("POST", "/typing", { typing: true })).status;
  expect(await type()).toBe(204);
  await visitor.write("Hi");
  for (let count = 0; count < 5; count += 1) expect(await type()).toBe(204);
  expect((await visitor.call("POST", "/typing", { typing: "yes" })).status).toBe(400);
});
