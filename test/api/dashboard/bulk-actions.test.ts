import { expect, test } from "vitest";
import type { TestAccount } from "../../support/accounts.ts";
import { addNewerConversation, tracesOf } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startInboxFixture } from "./inbox-fixture.ts";
import { addMember } from "./people-fixture.ts";

const fixture = useFixture(startInboxFixture);
const until = new Date(Date.now() + 3_600_000).toISOString();

async function bulk(account: TestAccount, ids: unknown[], action: object) {
  return await fixture.call(account, "POST", "/conversations/bulk", { ids, action });
}

async function resultsOf(account: TestAccount, ids: number[], action: object) {
  const { status, json } = await bulk(account, ids, action);
  expect(status).toBe(200);
  expect(json.data.map(({ id }: { id: number }) => id)).toEqual(ids);
  return json.data.map(
    ({ result, code }: { result: string; code: string | null }) => code ?? result,
  );
}

async function writeTwo(account: TestAccount): Promise<[number, number]> {
  return [(await fixture.write(account)).id, (await fixture.write(account)).id];
}

test.each<[object, Record<string, unknown>]>([
  [{ type: "resolve" }, { status: "resolved" }],
  [{ type: "snooze", until }, { snoozed_until: until }],
  [{ type: "read" }, { unread_count: 0 }],
  [{ type: "tag", tag: "VIP" }, { tag: "VIP" }],
])("%j is done once, and is then unchanged", async (action, after) => {
  const account = await fixture.createAccount();
  const ids = await writeTwo(account);
  expect(await resultsOf(account, ids, action)).toEqual(["done", "done"]);
  for (const id of ids) expect(await fixture.rowOf(account, id)).toMatchObject(after);
  const again = await tracesOf(fixture.database.dataSource, account.accountId, async () =>
    resultsOf(account, ids, action),
  );
  expect(again).toMatchObject({ result: ["unchanged", "unchanged"], events: [], notes: [] });
});

test("assign, reopen, unread and stage go the same way", async () => {
  const account = await fixture.createAccount();
  const ids = await writeTwo(account);
  const pipeline = await fixture.call(account, "POST", "/pipelines", {
    name: "Sales",
    stages: ["New"],
  });
  const stage = { type: "stage", stage_id: pipeline.json.data.stages[0].id };
  const assign = { type: "assign", user_id: account.userId };
  for (const action of [assign, { type: "assign", user_id: null }, stage]) {
    expect(await resultsOf(account, ids, action)).toEqual(["done", "done"]);
    expect(await resultsOf(account, ids, action)).toEqual(["unchanged", "unchanged"]);
  }
  expect(await resultsOf(account, ids, { type: "reopen" })).toEqual(["unchanged", "unchanged"]);
  expect(await resultsOf(account, ids, { type: "resolve" })).toEqual(["done", "done"]);
  expect(await resultsOf(account, ids, { type: "reopen" })).toEqual(["done", "done"]);
  expect(await resultsOf(account, ids, { type: "unread" })).toEqual(["unchanged", "unchanged"]);
  expect(await resultsOf(account, ids, { type: "read" })).toEqual(["done", "done"]);
  expect(await resultsOf(account, ids, { type: "unread" })).toEqual(["done", "done"]);
  expect(await fixture.rowOf(account, ids[0])).toMatchObject({
    status: "active",
    unread_count: 1,
    stage: { stage_name: "New" },
  });
});

test("each conversation publishes what the route for one publishes", async () => {
  const account = await fixture.createAccount();
  const ids = await writeTwo(account);
  const { events } = await tracesOf(fixture.database.dataSource, account.accountId, async () =>
    bulk(account, ids, { type: "resolve" }),
  );
  expect(events.map(({ type, data }) => [type, data.conversation_id, data.actor_user_id])).toEqual(
    ids.flatMap((id) => [
      ["conversation.updated", id, account.userId],
      ["conversation.closed", id, account.userId],
    ]),
  );
});

test("a tag is announced in its conversation, also where the contact has a newer one", async () => {
  const account = await fixture.createAccount();
  const { accountId } = account;
  const { dataSource } = fixture.database;
  const { id } = await fixture.write(account);
  const { contact_id: contactId } = await fixture.rowOf(account, id);
  await addNewerConversation(dataSource, { accountId, contactId });
  const { events } = await tracesOf(dataSource, accountId, () =>
    bulk(account, [id], { type: "tag", tag: "VIP" }),
  );
  expect(events).toMatchObject([
    { type: "contact.updated", data: { channel: "whatsapp", conversation_id: id } },
  ]);
});

test("an error of one leaves it as it was, and stops no other", async () => {
  const account = await fixture.createAccount();
  const [first, second] = await writeTwo(account);
  const foreign = await fixture.write(fixture.account);
  await fixture.call(account, "PATCH", `/conversations/${first}`, { status: "resolved" });
  const ids = [first, foreign.id, 99_999_999, second];
  expect(await resultsOf(account, ids, { type: "snooze", until })).toEqual([
    "conversation_resolved",
    "conversation_not_found",
    "conversation_not_found",
    "done",
  ]);
  expect(await fixture.rowOf(account, first)).toMatchObject({ snoozed_until: null });
  expect((await fixture.rowOf(fixture.account, foreign.id)).snoozed_until).toBeNull();
  const stranger = { type: "assign", user_id: fixture.account.userId };
  expect(await resultsOf(account, [second], stranger)).toEqual(["validation_error"]);
  expect(await resultsOf(account, [second], { type: "stage", stage_id: 99_999_999 })).toEqual([
    "validation_error",
  ]);
});

test("a fault halfway undoes that conversation alone", async () => {
  const account = await fixture.createAccount();
  const ids = await writeTwo(account);
  // The event of the first conversation cannot be stored.
  await fixture.query(
    `CREATE TRIGGER refuse_one BEFORE INSERT ON events FOR EACH ROW
       IF NEW.conversation_id = ${ids[0]} THEN SIGNAL SQLSTATE '45000'; END IF`,
  );
  try {
    expect(await resultsOf(account, ids, { type: "resolve" })).toEqual(["internal_error", "done"]);
  } finally {
    await fixture.query("DROP TRIGGER refuse_one");
  }
  expect(await fixture.rowOf(account, ids[0])).toMatchObject({ status: "active" });
  expect(await fixture.rowOf(account, ids[1])).toMatchObject({ status: "resolved" });
});

test("two people who act on the same conversations at once both end, and each is done once", async () => {
  const account = await fixture.createAccount();
  const member = await addMember(fixture, account);
  const ids: number[] = [];
  for (let n = 0; n < 8; n += 1) ids.push((await fixture.write(account)).id);
  const [one, other] = await Promise.all([
    resultsOf(account, ids, { type: "resolve" }),
    resultsOf({ ...account, ...member }, ids.toReversed(), { type: "resolve" }),
  ]);
  const both = ids.map((_, index) => `${one[index]} ${other.toReversed()[index]}`);
  for (const results of both) expect(results).toMatch(/^(done unchanged|unchanged done)$/);
});

test("a repeated id counts once, and a hundred are taken", async () => {
  const account = await fixture.createAccount();
  const { id } = await fixture.write(account);
  const { json } = await bulk(account, [id, id], { type: "read" });
  expect(json.data).toEqual([{ id, result: "done", code: null }]);
  const many = Array.from({ length: 100 }, (_, n) => 50_000_000 + n);
  expect((await resultsOf(account, many, { type: "read" })).length).toBe(100);
});

test.each<[string, unknown[], object]>([
  ["without ids", [], { type: "read" }],
  ["with more than a hundred", Array.from({ length: 101 }, (_, n) => n + 1), { type: "read" }],
  ["with an id of text", ["1"], { type: "read" }],
  ["with an unknown action", [1], { type: "erase" }],
  ["with a member of another action", [1], { type: "read", tag: "x" }],
  ["without the member of its action", [1], { type: "tag" }],
  ["with an empty tag", [1], { type: "tag", tag: " " }],
])("a request %s is answered 400", async (_, ids, action) => {
  const { status, json } = await bulk(fixture.account, ids, action);
  expect([status, json.error.code]).toEqual([400, "validation_error"]);
});

test("an agent acts, and assigns to itself", async () => {
  const agent = await fixture.createAccount({ role: "agent" });
  const { id } = await fixture.write(agent);
  expect(await resultsOf(agent, [id], { type: "assign", user_id: agent.userId })).toEqual(["done"]);
  expect(await fixture.idsOf(agent, "view=mine")).toEqual([id]);
});
