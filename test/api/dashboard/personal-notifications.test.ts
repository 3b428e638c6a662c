import { beforeEach, expect, test } from "vitest";
import { eraseContact } from "../../../core/services/contact-lifecycle/contact-erasure.ts";
import { mergeContacts } from "../../../core/services/contact-lifecycle/contact-merge.ts";
import { bookAppointment } from "../../../core/services/appointments/appointments.ts";
import { assignConversation } from "../../../core/services/conversations/conversation-assignee.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { at, createTestResource } from "../../support/appointments.ts";
import { receive } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { addMember, createTeam, outcomeOf, type TestPerson } from "./people-fixture.ts";

const fixture = useFixture(startApiFixture);
let admin: TestAccount;
let luis: TestPerson;
let from: string;
let conversationId: number;
let contactId: number;
let phone = 34_633_000_000;

beforeEach(async () => {
  ({ account: admin, member: luis } = await createTeam(fixture));
  from = String((phone += 1));
  ({ conversationId, contactId } = (await write()).row);
});

const write = async (content = "Hello") =>
  await receive(fixture.database.dataSource, admin.accountId, { from, name: "Ana", content });

type Who = Pick<TestPerson, "cookie">;
const call = async (method: string, path: string, { cookie }: Who = luis, body?: unknown) =>
  await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
const assign = async (userId: number | null, who: Who = admin) =>
  await call("POST", `/conversations/${conversationId}/assign`, who, { user_id: userId });
const note = async (text: string, who: Who = admin, more: object = {}) =>
  await call("POST", `/conversations/${conversationId}/notes`, who, { text, ...more });

interface Told {
  kind: string;
  title: string;
  read_at: string | null;
  conversation_id: number | null;
  appointment_id: number | null;
  params: Record<string, unknown>;
  contact_name: string | null;
  group_key: string;
}
const told = async (who: Who = luis, query = ""): Promise<Told[]> =>
  (await call("GET", `/notifications${query}`, who)).json.data;
const kinds = async (who: Who = luis, query = "") =>
  (await told(who, query)).map(({ kind }) => kind);
const openPlace = async (who: Who = luis) =>
  await call("POST", `/conversations/${conversationId}/read`, who, {});

async function takeOver(): Promise<void> {
  await assign(luis.userId, luis);
}

test("a customer's message tells the assignee alone, without a word of it", async () => {
  await write();
  expect(await kinds()).toEqual([]);
  await takeOver();
  await write("My account number is 778899");
  const [notice] = await told();
  expect(notice).toMatchObject({
    kind: "message_received",
    title: "Ana wrote to you",
    conversation_id: conversationId,
    contact_name: "Ana",
    group_key: `conversation:${conversationId}`,
    read_at: null,
  });
  expect(JSON.stringify(notice)).not.toContain("778899");
  expect(await kinds(admin)).toEqual([]);
});

test("a conversation has one unread notice of messages, also for messages at once", async () => {
  await takeOver();
  await Promise.all(Array.from({ length: 6 }, async () => await write()));
  expect(await kinds()).toEqual(["message_received"]);
  await openPlace();
  const [seen] = await told();
  expect(seen?.read_at).toEqual(expect.any(String));
  await write();
  expect(await kinds(luis, "?unread=true")).toEqual(["message_received"]);
  expect(await kinds()).toEqual(["message_received", "message_received"]);
});

test("to open a conversation reads one's own notices of it, and open Dashboards hear of it", async () => {
  await assign(luis.userId);
  await note(`@[${luis.userId}] and @[${admin.userId}]`);
  await write();
  expect(await kinds(luis, "?unread=true")).toHaveLength(3);
  await openPlace(admin);
  expect(await kinds(luis, "?unread=true")).toHaveLength(3);
  await openPlace();
  await openPlace();
  expect(await kinds(luis, "?unread=true")).toEqual([]);
  const changes = await fixture.query(
    "SELECT conversation_id FROM changes WHERE account_id = ? AND kind = 'notification.read'",
    [admin.accountId],
  );
  expect(changes).toEqual([{ conversation_id: conversationId }]);
});

test("whoever answers has read the notice", async () => {
  await takeOver();
  await write();
  await call("POST", `/conversations/${conversationId}/messages`, luis, { content: "Hi" });
  expect(await kinds(luis, "?unread=true")).toEqual([]);
});

test("an assignment tells the new assignee, unless they took it or no person gave it", async () => {
  await takeOver();
  await asSystem(fixture.database.dataSource, admin.accountId, async (tx) => {
    await assignConversation(tx, conversationId, admin.userId);
    await assignConversation(tx, conversationId, luis.userId);
  });
  expect(await kinds()).toEqual([]);
  await assign(null);
  await assign(luis.userId);
  await assign(luis.userId);
  expect(await told()).toMatchObject([
    {
      kind: "conversation_assigned",
      title: "Admin assigned you a conversation",
      params: { actor_user_id: admin.userId, actor_name: "Admin" },
    },
  ]);
  await assign(admin.userId);
  await assign(luis.userId);
  expect(await kinds()).toEqual(["conversation_assigned", "conversation_assigned"]);
  expect(await kinds(admin)).toEqual([]);
});

test("a mention tells each named member once, but not the writer, and survives a new name", async () => {
  const eva = await addMember(fixture, admin, { name: "é".repeat(200) });
  const text = `@[${luis.userId}] @[${luis.userId}] @[${eva.userId}] @[${admin.userId}] look`;
  const first = await note(text, admin, { external_id: "n1" });
  await note(text, admin, { external_id: "n1" });
  expect(first.json.data.text).toBe(text);
  expect(await told()).toMatchObject([
    {
      kind: "mentioned",
      title: "Admin mentioned you in a note",
      params: { note_id: first.json.data.id, actor_user_id: admin.userId },
    },
  ]);
  expect(await kinds(eva)).toEqual(["mentioned"]);
  expect(await kinds(admin)).toEqual([]);
  const answer = await note(`@[${admin.userId}] thanks`, eva);
  expect(answer.status).toBe(201);
  expect((await told(admin))[0]?.title).toBe(`${"é".repeat(200)} mentioned you in a note`);
});

test("a mention of anyone who cannot log in here is refused, and no note is written", async () => {
  const stranger = await createTestAccount(fixture.database.dataSource);
  const gone = await addMember(fixture, admin);
  await fixture.query("UPDATE memberships SET disabled_at = NOW(3) WHERE user_id = ?", [
    gone.userId,
  ]);
  for (const id of [stranger.userId, gone.userId, 0, 987_654_321]) {
    const answer = await note(`@[${luis.userId}] @[${id}]`);
    expect([answer.status, answer.json.error.details]).toMatchObject([
      400,
      [{ path: "body.text", code: "unknown_user" }],
    ]);
  }
  const many = Array.from({ length: 21 }, (_, index) => `@[${index + 1}]`).join("");
  expect((await note(many)).json.error.details).toMatchObject([{ code: "too_many_mentions" }]);
  expect(await kinds()).toEqual([]);
  const notes = await call("GET", `/conversations/${conversationId}/notes`);
  expect(notes.json.data).toEqual([]);
  expect((await note("@[x] @luis a@[b]")).status).toBe(201);
});

test("notices follow a merge of contacts, and name nobody after an erasure", async () => {
  await takeOver();
  await note(`@[${luis.userId}]`);
  await write();
  const other = await call("POST", "/contacts", admin, {
    phone: String((phone += 1)),
    name: "Winner",
  });
  const { dataSource } = fixture.database;
  const winner = other.json.data.id as number;
  await asSystem(dataSource, admin.accountId, (tx) => mergeContacts(tx, contactId, winner));
  expect(await told()).toMatchObject([
    { kind: "message_received", contact_name: "Winner" },
    { kind: "mentioned", contact_name: "Winner" },
  ]);
  await asSystem(dataSource, admin.accountId, (tx) => eraseContact(tx, winner));
  const after = await told();
  expect(after.map(({ contact_name: name }) => name)).toEqual([null, null]);
  expect(JSON.stringify(after)).not.toMatch(/Ana|Winner/);
});

test("a booking from outside tells every member, one in the Dashboard tells nobody", async () => {
  const { dataSource } = fixture.database;
  const resourceId = await createTestResource(dataSource, admin.accountId);
  const book = async (source: string | null, time: string) =>
    await asSystem(dataSource, admin.accountId, (tx) =>
      bookAppointment(tx, {
        resourceId,
        startTime: at(time),
        durationMinutes: 30,
        customer: { contact: { phone: String((phone += 1)), name: "Eva Ruiz" } },
        source,
      }),
    );
  await book("panel", "09:00");
  expect(await kinds()).toEqual([]);
  const { id, contactId: customerId } = await book("enlace", "10:00");
  await book("agente", "11:00");
  await book("voz", "12:00");
  await book(null, "13:00");
  for (const who of [luis, admin]) expect(await kinds(who)).toHaveLength(4);
  const notice = (await told()).at(-1);
  expect(notice).toMatchObject({
    kind: "appointment_booked",
    title: "Eva Ruiz booked an appointment",
    appointment_id: id,
    conversation_id: null,
    contact_name: "Eva Ruiz",
    params: { resource_name: "Dr. Lucía Peña", start_time: "2030-03-05T10:00:00.000Z" },
  });
  await asSystem(dataSource, admin.accountId, (tx) => eraseContact(tx, customerId));
  expect((await told()).at(-1)).toMatchObject({
    title: "A customer booked an appointment",
    contact_name: null,
  });
});

const preferences = async (who: Who = luis) =>
  (await call("GET", "/me/notification-preferences", who)).json.data as Record<string, unknown>[];
const choose = async (...chosen: object[]) =>
  await call("PATCH", "/me/notification-preferences", luis, { preferences: chosen });

test("what a person has not chosen has its default; a choice is theirs alone", async () => {
  const plain = { app: true, desktop: false };
  const own = { app: true, desktop: true, email: false };
  const defaults = [
    { kind: "delivery_discarded", ...plain, email: null },
    { kind: "delivery_exhausted_warning", ...plain, email: null },
    { kind: "subscription_disabled", ...plain, email: null },
    { kind: "conversation_handed_off", ...plain, email: false },
    { kind: "handoff_reminder", ...plain, email: null },
    { kind: "handoff_escalation", ...plain, email: null },
    { kind: "calendar_disconnected", ...plain, email: null },
    { kind: "message_received", ...own },
    { kind: "conversation_assigned", ...own },
    { kind: "mentioned", ...own },
    { kind: "appointment_booked", ...plain, email: false },
    { kind: "appointment_overlaps", ...plain, email: null },
    { kind: "agent_budget", ...plain, email: null },
    { kind: "agent_provider_failing", ...plain, email: null },
    { kind: "channel_trouble", ...plain, email: null },
    { kind: "channel_token_expiring", ...plain, email: null },
  ];
  expect(await preferences()).toStrictEqual(defaults);
  const changed = await choose(
    { kind: "mentioned", app: false },
    { kind: "appointment_booked", desktop: true },
    { kind: "mentioned", desktop: false },
  );
  const wanted = defaults.map((one) => {
    if (one.kind === "mentioned") return { ...one, app: false, desktop: false };
    return one.kind === "appointment_booked" ? { ...one, desktop: true } : one;
  });
  expect([changed.status, changed.json.data]).toStrictEqual([200, wanted]);
  expect(await preferences()).toStrictEqual(wanted);
  expect(await preferences(admin)).toStrictEqual(defaults);
});

test("two tabs that choose at once for one kind both keep their choice", async () => {
  await Promise.all([
    choose({ kind: "mentioned", app: false }),
    choose({ kind: "mentioned", desktop: false }),
  ]);
  expect(await preferences()).toContainEqual({
    kind: "mentioned",
    app: false,
    desktop: false,
    email: false,
  });
});

test("a kind that is off in the app is neither listed, grouped nor counted there", async () => {
  await takeOver();
  await write();
  await note(`@[${luis.userId}]`);
  await choose({ kind: "message_received", app: false });
  const counts = async () => (await call("GET", "/notifications")).json.meta;
  expect([await kinds(), (await counts()).unread]).toEqual([["mentioned"], 1]);
  const groups = await call("GET", "/notification-groups");
  expect(groups.json.data).toMatchObject([{ count: 1, newest: { kind: "mentioned" } }]);
  expect(await kinds(luis, "?surface=desktop")).toEqual(["mentioned", "message_received"]);
  await choose({ kind: "message_received", desktop: false, app: true });
  expect(await kinds(luis, "?surface=desktop")).toEqual(["mentioned"]);
  expect(await kinds()).toEqual(["mentioned", "message_received"]);
});

test("a personal kind that is off everywhere is not even written", async () => {
  await choose({ kind: "message_received", app: false, desktop: false });
  await takeOver();
  await write();
  const [rows] = await fixture.query("SELECT COUNT(*) AS n FROM notifications WHERE user_id = ?", [
    luis.userId,
  ]);
  expect(Number(rows?.["n"])).toBe(0);
});

test.each([
  [{}, "body.preferences"],
  [{ preferences: [] }, "body.preferences"],
  [{ preferences: [{ kind: "weather", app: true }] }, "body.preferences.0.kind"],
  [{ preferences: [{ kind: "mentioned", app: 1 }] }, "body.preferences.0.app"],
  [{ preferences: [{ kind: "delivery_discarded", email: true }] }, "body.preferences.0.email"],
])("%j is no choice", async (body, path) => {
  const answer = await call("PATCH", "/me/notification-preferences", luis, body);
  expect([answer.status, answer.json.error.details[0].path]).toEqual([400, path]);
});

test("mails need a mail server, and no choice is kept without", async () => {
  const before = await preferences();
  const answer = await choose(
    { kind: "mentioned", app: false },
    { kind: "message_received", email: true },
  );
  expect([answer.status, outcomeOf(answer)]).toEqual([409, "mail_off"]);
  expect(await preferences()).toEqual(before);
});
