import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { addNewerConversation, receive, tracesOf } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { addMember, createTeam, outcomeOf, type TestPerson } from "./people-fixture.ts";
import { createBoard } from "./pipeline-fixture.ts";

const fixture = useFixture(startApiFixture);
let admin: TestAccount;
let luis: TestPerson;
let conversationId: number;
let contactId: number;
let phone = 34_622_000_000;
let runs = 0;

beforeEach(async () => {
  ({ account: admin, member: luis } = await createTeam(fixture));
  const from = String((phone += 1));
  const { row } = await receive(fixture.database.dataSource, admin.accountId, {
    from,
    name: "Ana Torres",
  });
  ({ conversationId, contactId } = row);
});

type Who = Pick<TestPerson, "cookie">;
const call = async (method: string, path: string, { cookie }: Who = luis, body?: unknown) =>
  await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });

async function create(steps: object[], given: object = {}, who: Who = luis): Promise<number> {
  const answer = await call("POST", "/macros", who, { name: "Close", steps, ...given });
  expect(answer.status).toBe(201);
  return answer.json.data.id;
}

const run = async (macroId: number, who: Who = luis, id = `run-${(runs += 1)}`) =>
  await call("POST", `/conversations/${conversationId}/macros/${macroId}/run`, who, {
    external_id: id,
  });

async function readBoth() {
  const { data } = (await call("GET", `/conversations/${conversationId}`)).json;
  const messages = (await call("GET", `/conversations/${conversationId}/messages`)).json.data;
  const notes = (await call("GET", `/conversations/${conversationId}/notes`)).json.data;
  return {
    status: data.status,
    assignee: data.assigned_to_user_id,
    tags: data.contact.tags,
    stage: data.stage?.stage_id ?? null,
    replies: messages
      .filter(({ direction }: { direction: string }) => direction === "outbound")
      .map(({ content }: { content: string }) => content),
    notes: notes.map(({ kind }: { kind: string }) => kind),
  };
}

test("a macro takes its steps in order, with the events that each step alone has", async () => {
  const pipeline = await createBoard(fixture, admin).pipeline();
  const macroId = await create([
    { type: "reply", text: "Hola {{contact.first_name}}, soy {{agent.name}}" },
    { type: "add_tag", tag: " vip " },
    { type: "move_to_stage", stage_id: pipeline.ids[1] },
    { type: "assign", to: admin.userId },
    { type: "resolve" },
  ]);
  const { events, result } = await tracesOf(
    fixture.database.dataSource,
    admin.accountId,
    async () => await run(macroId),
  ).then(async (traces) => ({ ...traces, result: await readBoth() }));
  expect(result).toMatchObject({
    status: "resolved",
    assignee: admin.userId,
    tags: ["vip"],
    stage: pipeline.ids[1],
    replies: ["Hola Ana, soy Member"],
  });
  expect(result.notes).toContain("macro_run");
  expect(events.map(({ type }) => type)).toEqual([
    "conversation.bot.disabled",
    "conversation.updated",
    "contact.updated",
    "conversation.stage_changed",
    "conversation.updated",
    "conversation.closed",
  ]);
});

test("a tag of a macro is announced in its conversation, also where the contact has a newer one", async () => {
  const { accountId } = admin;
  await addNewerConversation(fixture.database.dataSource, { accountId, contactId });
  const macroId = await create([{ type: "add_tag", tag: "vip" }]);
  const { events } = await tracesOf(fixture.database.dataSource, accountId, () => run(macroId));
  expect(events).toMatchObject([
    { type: "contact.updated", data: { channel: "whatsapp", conversation_id: conversationId } },
  ]);
});

test("me is whoever runs a shared macro, and nobody takes the assignee away", async () => {
  const mine = await create([{ type: "assign", to: "me" }], { shared: true }, admin);
  const free = await create([{ type: "assign", to: "nobody" }]);
  expect((await run(mine)).json.data).toMatchObject({
    assigned_to_user_id: luis.userId,
    repeated: false,
  });
  expect((await run(mine, admin)).json.data.assigned_to_user_id).toBe(admin.userId);
  expect((await run(free)).json.data.assigned_to_user_id).toBeNull();
});

test("a step that cannot run is named, and no step has happened", async () => {
  const board = createBoard(fixture, admin);
  const { ids } = await board.pipeline(["A", "B"]);
  const macroId = await create([
    { type: "reply", text: "Hola" },
    { type: "add_tag", tag: "vip" },
    { type: "move_to_stage", stage_id: ids[1] },
  ]);
  await board.call("DELETE", `/stages/${ids[1]}`);
  const before = await readBoth();
  const outbox = await fixture.count("outbox", "events", "messages", "conversation_notes");
  const answer = await run(macroId);
  expect([answer.status, answer.json.error]).toMatchObject([
    422,
    {
      code: "macro_step_failed",
      message: expect.stringMatching(/^Step 3 \(move to stage\) cannot run/),
      details: { step: 3, type: "move_to_stage", code: "unknown_stage" },
    },
  ]);
  expect(await readBoth()).toEqual(before);
  expect(await fixture.count("outbox", "events", "messages", "conversation_notes")).toEqual(outbox);
});

test("a closed window, a disabled member and an empty text refuse their step", async () => {
  await fixture.query("UPDATE channel_accounts SET driver = 'whatsapp' WHERE account_id = ?", [
    admin.accountId,
  ]);
  await fixture.query("UPDATE conversations SET last_customer_message_at = NULL WHERE id = ?", [
    conversationId,
  ]);
  const gone = await addMember(fixture, admin);
  const window = await create([{ type: "resolve" }, { type: "reply", text: "Hola" }]);
  const member = await create([{ type: "assign", to: gone.userId }]);
  const empty = await create([{ type: "reply", text: "{{contact.email}}" }]);
  await fixture.query("UPDATE memberships SET disabled_at = NOW(3) WHERE user_id = ?", [
    gone.userId,
  ]);
  const details = async (id: number) => (await run(id)).json.error.details;
  expect(await details(window)).toMatchObject({ step: 2, code: "messaging_window_closed" });
  expect(await details(member)).toMatchObject({ step: 1, code: "unknown_user" });
  expect(await details(empty)).toMatchObject({ step: 1, type: "reply", code: "invalid_text" });
  expect((await readBoth()).status).toBe("active");
});

test("a text that its variables make too long is refused at its step", async () => {
  await call("PATCH", `/contacts/${contactId}`, luis, { name: "x".repeat(200) });
  const text = `${"y".repeat(4_000)}{{contact.name}}`;
  const macroId = await create([{ type: "reply", text }]);
  expect((await run(macroId)).json.error.details).toMatchObject({ step: 1, code: "invalid_text" });
  const fits = await create([{ type: "reply", text: "{{contact.name}}" }]);
  expect((await run(fits)).status).toBe(200);
  expect((await readBoth()).replies).toEqual(["x".repeat(200)]);
});

test("of two runs of one id at once, one happens; another id runs again", async () => {
  const macroId = await create([{ type: "reply", text: "Hola" }]);
  const answers = await Promise.all(
    Array.from({ length: 6 }, async () => await run(macroId, luis, "click")),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  const repeated = answers.map(({ json }) => json.data.repeated);
  expect(repeated.filter((one) => one === false)).toHaveLength(1);
  expect((await readBoth()).replies).toEqual(["Hola"]);
  await run(macroId, luis, "click-2");
  expect((await readBoth()).replies).toEqual(["Hola", "Hola"]);
});

test("macros of two people in one conversation run one after the other, none in part", async () => {
  const tags = ["a", "b", "c", "d"];
  const ids = await Promise.all(
    tags.map(
      async (tag) =>
        await create([
          { type: "add_tag", tag },
          { type: "reply", text: tag },
        ]),
    ),
  );
  const answers = await Promise.all(ids.map(async (id) => await run(id)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const { tags: added, replies } = await readBoth();
  expect([added.toSorted(), replies.toSorted()]).toEqual([tags, tags]);
});

test("a macro and a conversation of another account, and of another person, are unknown", async () => {
  const stranger = await createTestAccount(fixture.database.dataSource);
  const own = await create([{ type: "resolve" }]);
  const shared = await create([{ type: "resolve" }], { shared: true }, admin);
  const theirs = await create([{ type: "resolve" }], {}, stranger);
  const outcome = async (id: number, who: Who) => outcomeOf(await run(id, who));
  expect(await outcome(theirs, luis)).toBe("macro_not_found");
  expect(await outcome(own, admin)).toBe("macro_not_found");
  expect(await outcome(theirs, stranger)).toBe("conversation_not_found");
  for (const [who, id] of [
    [stranger, shared],
    [admin, own],
  ] as const) {
    for (const [method, body] of [["GET"], ["PATCH", { name: "x" }], ["DELETE"]] as const) {
      const answer = await call(method, `/macros/${id}`, who, body);
      expect([answer.status, outcomeOf(answer)]).toEqual([404, "macro_not_found"]);
    }
  }
  const text = await call("POST", `/conversations/${conversationId}/macros/x/run`, luis, {
    external_id: "x",
  });
  expect([text.status, outcomeOf(text)]).toEqual([404, "macro_not_found"]);
});

test("only an admin shares a macro, changes a shared one, and deletes it", async () => {
  const steps = [{ type: "resolve" }];
  const own = await create(steps);
  const shared = await create(steps, { name: "Ours", shared: true }, admin);
  const refused = [
    await call("POST", "/macros", luis, { name: "x", steps, shared: true }),
    await call("PATCH", `/macros/${own}`, luis, { shared: true }),
    await call("PATCH", `/macros/${shared}`, luis, { name: "x" }),
    await call("DELETE", `/macros/${shared}`, luis),
  ];
  for (const answer of refused)
    expect([answer.status, outcomeOf(answer)]).toEqual([403, "forbidden_role"]);
  const patched = await call("PATCH", `/macros/${shared}`, admin, {
    name: "Ours now",
    steps: [{ type: "add_tag", tag: "a" }, { type: "resolve" }],
  });
  expect(patched.json.data).toStrictEqual({
    id: shared,
    name: "Ours now",
    steps: [{ type: "add_tag", tag: "a" }, { type: "resolve" }],
    shared: true,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const names = async (query: string) =>
    (await call("GET", `/macros${query}`)).json.data.map(({ name }: { name: string }) => name);
  expect(await names("")).toEqual(["Close", "Ours now"]);
  expect(await names("?search=OURS")).toEqual(["Ours now"]);
  expect(await names("?search=%25")).toEqual([]);
  expect(await names("?shared=false")).toEqual(["Close"]);
  expect((await call("DELETE", `/macros/${shared}`, admin)).json.data).toEqual({ id: shared });
  expect(await names("")).toEqual(["Close"]);
});

test.each([
  [{ steps: [] }, "body.steps"],
  [{ steps: Array(11).fill({ type: "resolve" }) }, "body.steps"],
  [{ steps: [{ type: "reply", text: "{{x}}" }] }, "body.steps.0.text"],
  [{ steps: [{ type: "add_tag", tag: "" }] }, "body.steps.0.tag"],
  [{ steps: [{ type: "move_to_stage", stage_id: 987_654 }] }, "body.steps.0.stage_id"],
  [{ steps: [{ type: "resolve" }, { type: "assign", to: 987_654 }] }, "body.steps.1.to"],
  [{ steps: [{ type: "assign", to: "us" }] }, "body.steps.0.to"],
  [{ steps: [{ type: "dance" }] }, "body.steps.0.type"],
  [{ name: "", steps: [{ type: "resolve" }] }, "body.name"],
  [{ name: "x".repeat(201), steps: [{ type: "resolve" }] }, "body.name"],
])("%j is no macro", async (body, path) => {
  const answer = await call("POST", "/macros", luis, { name: "Close", ...body });
  expect([answer.status, answer.json.error.details[0].path]).toEqual([400, path]);
});

test("a stage and a member of another account are unknown to a macro", async () => {
  const stranger = await createTestAccount(fixture.database.dataSource);
  const { ids } = await createBoard(fixture, stranger).pipeline();
  const codes = async (step: object) =>
    (await call("POST", "/macros", luis, { name: "x", steps: [step] })).json.error.details;
  expect(await codes({ type: "move_to_stage", stage_id: ids[0] })).toMatchObject([
    { code: "unknown_stage" },
  ]);
  expect(await codes({ type: "assign", to: stranger.userId })).toMatchObject([
    { code: "unknown_user" },
  ]);
});

test("a name of 200 characters is kept, and the note of a run shows it", async () => {
  const name = "ñ".repeat(200);
  const macroId = await create([{ type: "add_tag", tag: "a" }], { name });
  expect((await run(macroId)).status).toBe(200);
  const [note] = (await call("GET", `/conversations/${conversationId}/notes`)).json.data;
  expect(note).toMatchObject({ kind: "macro_run", params: { macro: name }, user_id: luis.userId });
});
