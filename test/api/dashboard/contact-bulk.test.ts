import { expect, test } from "vitest";
import type { TestAccount } from "../../support/accounts.ts";
import { tracesOf } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startInboxFixture } from "./inbox-fixture.ts";
import { addMember } from "./people-fixture.ts";

const fixture = useFixture(startInboxFixture);

async function make(account: TestAccount, email: string): Promise<number> {
  return (await fixture.call(account, "POST", "/contacts", { email })).json.data.id;
}

async function read(account: TestAccount, id: number) {
  return (await fixture.call(account, "GET", `/contacts/${id}`)).json.data;
}

/** A contact who has written. */
async function wrote(account: TestAccount): Promise<{ id: number; conversationId: number }> {
  const { id: conversationId } = await fixture.write(account);
  const { json } = await fixture.call(account, "GET", `/conversations/${conversationId}`);
  return { id: json.data.contact_id, conversationId };
}

async function resultsOf(account: TestAccount, ids: number[], action: object) {
  const path = "erase" in action ? "/contacts/bulk/erase" : "/contacts/bulk";
  const body = "erase" in action ? { ids } : { ids, action };
  const { status, json } = await fixture.call(account, "POST", path, body);
  expect(status).toBe(200);
  expect(json.data.map(({ id }: { id: number }) => id)).toEqual(ids);
  return json.data.map(
    ({ result, code }: { result: string; code: string | null }) => code ?? result,
  );
}

test("tags are added and removed, with one event for each contact that changes", async () => {
  const account = await fixture.createAccount();
  const ids = [await make(account, "ana@example.com"), await make(account, "ben@example.com")];
  const { dataSource } = fixture.database;
  const traced = async (action: object) =>
    await tracesOf(dataSource, account.accountId, async () => resultsOf(account, ids, action));
  const added = await traced({ type: "add_tag", tag: "VIP" });
  expect(added.result).toEqual(["done", "done"]);
  expect(added.events).toMatchObject(
    ids.map((id) => ({
      type: "contact.updated",
      data: { contact_id: id, source: "panel", changed_fields: ["tags"], tags: ["VIP"] },
    })),
  );
  expect(await traced({ type: "add_tag", tag: "vip" })).toMatchObject({
    result: ["unchanged", "unchanged"],
    events: [],
  });
  expect(await resultsOf(account, ids, { type: "remove_tag", tag: "vip" })).toEqual([
    "done",
    "done",
  ]);
  expect((await read(account, ids[0] ?? 0)).tags).toEqual([]);
});

test("a stage and an assignee are set by the conversation; a contact without one says so", async () => {
  const account = await fixture.createAccount();
  const { id, conversationId } = await wrote(account);
  const silent = await make(account, "silent@example.com");
  const { json } = await fixture.call(account, "POST", "/pipelines", {
    name: "Sales",
    stages: ["New"],
  });
  const stage = { type: "stage", stage_id: json.data.stages[0].id };
  const { dataSource } = fixture.database;
  const { result, events } = await tracesOf(dataSource, account.accountId, async () =>
    resultsOf(account, [id, silent], stage),
  );
  expect(result).toEqual(["done", "contact_needs_conversation"]);
  expect(events).toMatchObject([{ type: "conversation.stage_changed", data: { contact_id: id } }]);
  expect(await resultsOf(account, [id], stage)).toEqual(["unchanged"]);
  const assign = { type: "assign", user_id: account.userId };
  expect(await resultsOf(account, [silent, id], assign)).toEqual([
    "contact_needs_conversation",
    "done",
  ]);
  expect(await fixture.rowOf(account, conversationId)).toMatchObject({
    assigned_to_user_id: account.userId,
    stage: { stage_name: "New" },
  });
  expect(await resultsOf(account, [id], { type: "assign", user_id: null })).toEqual(["done"]);
  const stranger = { type: "assign", user_id: fixture.account.userId };
  expect(await resultsOf(account, [id], stranger)).toEqual(["validation_error"]);
});

test("a contact of another account, one that is gone and a merged one are refused alone", async () => {
  const account = await fixture.createAccount();
  const own = await make(account, "ana@example.com");
  const gone = await make(account, "gone@example.com");
  const merged = await make(account, "merged@example.com");
  const foreign = await make(fixture.account, `foreign-${account.accountId}@example.com`);
  await fixture.call(account, "DELETE", `/contacts/${gone}`);
  await fixture.call(account, "POST", `/contacts/${merged}/merge`, { into_contact_id: own });
  const refused = ["contact_not_found", "contact_not_found", "contact_not_found"];
  const ids = [foreign, gone, merged, own];
  const tag = { type: "add_tag", tag: "VIP" };
  expect(await resultsOf(account, ids, tag)).toEqual([...refused, "done"]);
  expect((await read(fixture.account, foreign)).tags).toEqual([]);
  expect(await resultsOf(account, ids, { erase: true })).toEqual([...refused, "done"]);
  expect(await read(fixture.account, foreign)).toMatchObject({ id: foreign });
  expect((await fixture.call(account, "GET", `/contacts/${own}`)).status).toBe(404);
});

test("only an admin erases several contacts, at most a hundred at once", async () => {
  const account = await fixture.createAccount();
  const member = await addMember(fixture, account);
  const id = await make(account, "ana@example.com");
  const asAgent = { ...account, ...member };
  const refused = await fixture.call(asAgent, "POST", "/contacts/bulk/erase", { ids: [id] });
  expect([refused.status, refused.json.error.code]).toEqual([403, "forbidden_role"]);
  const many = Array.from({ length: 101 }, (_, n) => n + 1);
  const tooMany = await fixture.call(account, "POST", "/contacts/bulk/erase", { ids: many });
  expect(tooMany.status).toBe(400);
  expect((await read(account, id)).id).toBe(id);
});
