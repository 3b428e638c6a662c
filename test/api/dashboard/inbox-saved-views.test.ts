import { beforeEach, expect, test } from "vitest";
import { maxSavedViews } from "../../../core/model/saved-view.ts";
import type { TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startInboxFixture } from "./inbox-fixture.ts";
import { addMember } from "./people-fixture.ts";

const fixture = useFixture(startInboxFixture);
let admin: TestAccount;
let agent: TestAccount;
let colleague: TestAccount;

beforeEach(async () => {
  admin = await fixture.createAccount();
  agent = { ...admin, ...(await addMember(fixture, admin)) };
  colleague = { ...admin, ...(await addMember(fixture, admin)) };
});

const save = async (who: TestAccount, body: object) =>
  await fixture.call(who, "POST", "/inbox-views", { name: "Mine", view: "mine", ...body });
const namesOf = async (who: TestAccount): Promise<string[]> => {
  const { json } = await fixture.call(who, "GET", "/inbox-views");
  return json.data.map(({ name }: { name: string }) => name);
};

test("a view is saved with its filters, is changed in parts, and deleted", async () => {
  const filter = { channel: "web", assigned_to: "me", tag: " vip " };
  const { status, json } = await save(agent, { name: " Web VIP ", filter, order: "newest" });
  expect(status).toBe(201);
  expect(json.data).toMatchObject({
    name: "Web VIP",
    view: "mine",
    filter: { channel: "web", assigned_to: "me", tag: "vip" },
    order: "newest",
    shared: false,
    user_id: agent.userId,
  });
  const path = `/inbox-views/${json.data.id}`;
  const changed = await fixture.call(agent, "PATCH", path, { name: "Web", filter: {} });
  expect(changed.json.data).toMatchObject({
    name: "Web",
    view: "mine",
    filter: {},
    order: "newest",
  });
  expect((await fixture.call(agent, "DELETE", path)).json.data).toEqual({ id: json.data.id });
  expect(await namesOf(agent)).toEqual([]);
  expect((await fixture.call(agent, "DELETE", path)).status).toBe(404);
});

test("a personal view is its owner's alone; a shared one everybody sees, by name", async () => {
  await save(agent, { name: "B personal" });
  await save(agent, { name: "C shared", shared: true });
  await save(colleague, { name: "A shared", shared: true });
  expect(await namesOf(agent)).toEqual(["A shared", "B personal", "C shared"]);
  for (const who of [colleague, admin]) {
    expect(await namesOf(who)).toEqual(["A shared", "C shared"]);
  }
  expect(await namesOf(fixture.account)).toEqual([]);
});

test("owner and admins change a shared view, other agents do not; a personal one nobody else finds", async () => {
  const shared = (await save(agent, { shared: true })).json.data.id;
  const personal = (await save(agent, {})).json.data.id;
  for (const [method, body] of [
    ["PATCH", { name: "Taken" }],
    ["DELETE", undefined],
  ] as const) {
    const refusals = await Promise.all([
      fixture.call(colleague, method, `/inbox-views/${shared}`, body),
      fixture.call(colleague, method, `/inbox-views/${personal}`, body),
      fixture.call(admin, method, `/inbox-views/${personal}`, body),
      fixture.call(fixture.account, method, `/inbox-views/${shared}`, body),
    ]);
    expect(refusals.map(({ status, json }) => [status, json.error.code])).toEqual([
      [403, "forbidden_role"],
      [404, "inbox_view_not_found"],
      [404, "inbox_view_not_found"],
      [404, "inbox_view_not_found"],
    ]);
  }
  const renamed = await fixture.call(admin, "PATCH", `/inbox-views/${shared}`, { name: "Team" });
  expect(renamed.json.data).toMatchObject({ name: "Team", user_id: agent.userId });
  expect((await fixture.call(admin, "DELETE", `/inbox-views/${shared}`)).status).toBe(200);
});

test("counts hold the saved views that the person sees, and `me` is whoever looks", async () => {
  const { id } = await fixture.write(admin, { channel: "web", from: `v${admin.accountId}` });
  await fixture.write(admin);
  await fixture.call(admin, "POST", `/conversations/${id}/assign`, { user_id: agent.userId });
  const filter = { assigned_to: "me" };
  const toMe = (await save(admin, { name: "1", view: "all", filter, shared: true })).json.data.id;
  const web = (await save(agent, { name: "2", view: "needs_answer", filter: { channel: "web" } }))
    .json.data.id;
  const tag = (await save(agent, { name: "3", view: "waiting", filter: { tag: "vip" } })).json.data
    .id;
  const countsOf = async (who: TestAccount) =>
    (await fixture.call(who, "GET", "/conversations/counts")).json.data.saved;
  const exact = { total_at_least: false };
  expect(await countsOf(agent)).toEqual([
    { id: toMe, total: 1, ...exact },
    { id: web, total: 1, ...exact },
    { id: tag, total: 0, ...exact },
  ]);
  expect(await countsOf(admin)).toEqual([{ id: toMe, total: 0, ...exact }]);
});

test("a member owns 50 at most, and two that come at once do not pass the limit", async () => {
  for (let n = 0; n < maxSavedViews - 1; n += 1) await save(agent, { name: `View ${n}` });
  const answers = await Promise.all([save(agent, {}), save(agent, {})]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400]);
  const { json } = await save(agent, {});
  expect(json.error.details).toMatchObject([{ code: "too_many_views" }]);
  expect((await save(colleague, {})).status).toBe(201);
});

test.each<[string, object]>([
  ["without a name", { name: " " }],
  ["with a long name", { name: "x".repeat(61) }],
  ["of an unknown view", { view: "open" }],
  ["in an unknown order", { order: "oldest" }],
  ["with a search", { filter: { search: "ana" } }],
  ["with a long tag", { filter: { tag: "x".repeat(51) } }],
  ["with an unknown channel", { filter: { channel: "fax" } }],
  ["with the stage of nobody", { filter: { stage_id: 99_999_999 } }],
  ["with a person of nobody", { filter: { assigned_to: 99_999_999 } }],
])("a view %s is answered 400, new or changed", async (_, body) => {
  const { status, json } = await save(agent, body);
  expect([status, json.error.code]).toEqual([400, "validation_error"]);
  const { id } = (await save(agent, {})).json.data;
  const changed = await fixture.call(agent, "PATCH", `/inbox-views/${id}`, body);
  expect([changed.status, changed.json.error.code]).toEqual([400, "validation_error"]);
});

test("another account's stage and person are unknown", async () => {
  const pipeline = await fixture.call(fixture.account, "POST", "/pipelines", {
    name: "P",
    stages: ["S"],
  });
  const stage_id = pipeline.json.data.stages[0].id;
  for (const filter of [{ stage_id }, { assigned_to: fixture.account.userId }]) {
    expect((await save(agent, { filter })).status).toBe(400);
  }
});

test("views that name a person who is erased are deleted with the person", async () => {
  const { id } = await fixture.write(admin, { name: "Valentina Restrepo" });
  await save(agent, { name: "For Valentina Restrepo" });
  await save(agent, { name: "By tag", filter: { tag: "valentina restrepo" } });
  await save(agent, { name: "Others" });
  const { contact_id: contactId } = await fixture.rowOf(admin, id);
  expect((await fixture.call(admin, "DELETE", `/contacts/${contactId}`)).status).toBe(200);
  expect(await namesOf(agent)).toEqual(["Others"]);
});

test("open pages are told of a view that is saved, changed or deleted", async () => {
  const { json } = await save(agent, { shared: true });
  const path = `/inbox-views/${json.data.id}`;
  await fixture.call(agent, "PATCH", path, { name: "Other" });
  await fixture.call(agent, "DELETE", path);
  const rows = await fixture.database.dataSource.query(
    "SELECT kind FROM changes WHERE account_id = ? AND kind = 'inbox_view.updated'",
    [agent.accountId],
  );
  expect(rows).toHaveLength(3);
});
