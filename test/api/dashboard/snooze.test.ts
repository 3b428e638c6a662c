import { expect, test } from "vitest";
import type { SnoozeInput } from "../../../core/model/workflow/snoozing.ts";
import { listLateRuns } from "../../../core/services/operations/lost-runs.ts";
import { endSnooze } from "../../../core/services/conversations/snoozes.ts";
import { asSystem, type TestAccount } from "../../support/accounts.ts";
import { tracesOf } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startInboxFixture } from "./inbox-fixture.ts";

const fixture = useFixture(startInboxFixture);
const hourMs = 3_600_000;
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

async function snooze(id: number, until = ahead(hourMs), account = fixture.account) {
  return await fixture.call(account, "POST", `/conversations/${id}/snooze`, { until });
}

/** Lets the time of a snooze pass, and the step of its run begin. */
async function end(id: number, run = 1, account = fixture.account) {
  const input: SnoozeInput = { accountId: account.accountId, conversationId: id, run };
  return await asSystem(fixture.database.dataSource, account.accountId, (tx) =>
    endSnooze(tx, input),
  );
}

async function pass(id: number): Promise<void> {
  await fixture.query(
    "UPDATE conversations SET snoozed_until = NOW(3) - INTERVAL 1 SECOND WHERE id = ?",
    [id],
  );
}

async function traces<T>(work: () => Promise<T>, account: TestAccount = fixture.account) {
  return await tracesOf(fixture.database.dataSource, account.accountId, work);
}

/** Ids of conversations that open pages hear of. */
async function changesOf<T>(work: () => Promise<T>): Promise<[result: T, ids: number[]]> {
  const [last] = await fixture.query<{ id: number }>(
    "SELECT COALESCE(MAX(id), 0) AS id FROM changes",
  );
  const result = await work();
  const rows = await fixture.query<{ conversation_id: number }>(
    "SELECT conversation_id FROM changes WHERE id > ? ORDER BY id",
    [Number(last?.id)],
  );
  return [result, rows.map((row) => Number(row.conversation_id))];
}

test("a snoozed conversation leaves Needs answer for Waiting, and a run keeps its time", async () => {
  const account = await fixture.createAccount();
  const { id } = await fixture.write(account);
  const until = ahead(hourMs);
  const { result, events, commands, notes } = await traces(
    async () => await snooze(id, until, account),
    account,
  );
  expect(result.json.data).toMatchObject({
    id,
    snoozed_until: until,
    snoozed_by_user_id: account.userId,
  });
  expect([events, notes]).toEqual([[], []]);
  expect(commands).toEqual([
    {
      op: "start",
      workflow: "snooze",
      workflowId: `snooze-${id}-1`,
      taskQueue: "conversations",
      input: { accountId: account.accountId, conversationId: id, run: 1 },
      summary: `conversation ${id} is snoozed`,
      conversationId: id,
    },
  ]);
  expect(await fixture.idsOf(account, "view=needs_answer")).toEqual([]);
  expect(await fixture.idsOf(account, "view=waiting")).toEqual([id]);
  expect(await fixture.idsOf(account, "view=unassigned")).toEqual([id]);
});

test("it comes back by itself at its time, and open pages hear of it", async () => {
  const account = await fixture.createAccount();
  const { id } = await fixture.write(account);
  await snooze(id, ahead(hourMs), account);
  expect(await end(id, 1, account)).toMatchObject({ state: "waiting" });
  await pass(id);
  const [outcome, heard] = await changesOf(async () => await end(id, 1, account));
  expect([outcome, heard]).toEqual([{ state: "ended" }, [id]]);
  expect(await fixture.idsOf(account, "view=needs_answer")).toEqual([id]);
  expect(await end(id, 1, account)).toEqual({ state: "over" });
});

test("a run that is late hides nothing: the views compare the time themselves", async () => {
  const account = await fixture.createAccount();
  const { id } = await fixture.write(account);
  await snooze(id, ahead(hourMs), account);
  await pass(id);
  expect(await fixture.idsOf(account, "view=needs_answer")).toEqual([id]);
  expect(await fixture.idsOf(account, "view=waiting")).toEqual([]);
  const { json } = await fixture.call(account, "GET", "/conversations/counts");
  expect(json.data.views.needs_answer.total).toBe(1);
  expect(await fixture.rowOf(account, id)).toMatchObject({
    snoozed_until: null,
    snoozed_by_user_id: null,
  });
});

test("it comes back at once when the customer writes, and its run ends", async () => {
  const account = await fixture.createAccount();
  const { id, from } = await fixture.write(account);
  await snooze(id, ahead(hourMs), account);
  const { commands } = await traces(async () => await fixture.write(account, { from }), account);
  expect(commands).toMatchObject([
    { op: "signal", signal: "changed", workflowId: `snooze-${id}-1` },
  ]);
  expect(await fixture.idsOf(account, "view=needs_answer")).toEqual([id]);
  expect(await end(id, 1, account)).toEqual({ state: "over" });
});

test("a reply of ours leaves the snooze", async () => {
  const { id } = await fixture.write(fixture.account);
  await snooze(id);
  await fixture.call(fixture.account, "POST", `/conversations/${id}/messages`, {
    content: "Later",
  });
  expect((await fixture.rowOf(fixture.account, id)).snoozed_until).not.toBeNull();
});

test("a snooze that is replaced ends its own run alone", async () => {
  const { id } = await fixture.write(fixture.account);
  await snooze(id);
  const until = ahead(2 * hourMs);
  const { commands } = await traces(async () => await snooze(id, until));
  expect(commands).toMatchObject([
    { op: "signal", workflowId: `snooze-${id}-1` },
    { op: "start", workflowId: `snooze-${id}-2` },
  ]);
  expect((await traces(async () => await snooze(id, until))).commands).toEqual([]);
  await pass(id);
  expect(await end(id, 1)).toEqual({ state: "over" });
  expect(await end(id, 2)).toEqual({ state: "ended" });
});

test("a person ends a snooze, and a repeat changes nothing", async () => {
  const { id } = await fixture.write(fixture.account);
  await snooze(id);
  const path = `/conversations/${id}/snooze`;
  const { result, commands } = await traces(
    async () => await fixture.call(fixture.account, "DELETE", path),
  );
  expect(result.json.data).toMatchObject({ snoozed_until: null, snoozed_by_user_id: null });
  expect(commands).toMatchObject([{ op: "signal", workflowId: `snooze-${id}-1` }]);
  const again = await traces(async () => await fixture.call(fixture.account, "DELETE", path));
  expect([again.result.status, again.commands]).toEqual([200, []]);
});

test("a conversation that is resolved loses its snooze, and takes none", async () => {
  const { id } = await fixture.write(fixture.account);
  await snooze(id);
  await fixture.call(fixture.account, "PATCH", `/conversations/${id}`, { status: "resolved" });
  expect((await fixture.rowOf(fixture.account, id)).snoozed_until).toBeNull();
  expect(await end(id, 1)).toEqual({ state: "over" });
  const refused = await snooze(id);
  expect([refused.status, refused.json.error.code]).toEqual([409, "conversation_resolved"]);
});

test("the run of a conversation that is erased ends", async () => {
  const { id } = await fixture.write(fixture.account);
  await snooze(id);
  const { contact_id: contactId } = await fixture.rowOf(fixture.account, id);
  const { commands } = await traces(
    async () => await fixture.call(fixture.account, "DELETE", `/contacts/${contactId}`),
  );
  expect(commands).toMatchObject([
    { workflowId: `snooze-${id}-1`, op: "signal" },
    { workflow: "eraseContact" },
  ]);
  expect(await end(id, 1)).toEqual({ state: "over" });
});

test("the customer writes while the snooze ends: it ends once, and nobody is hidden", async () => {
  const account = await fixture.createAccount();
  for (let round = 0; round < 10; round += 1) {
    const { id, from } = await fixture.write(account);
    await snooze(id, ahead(hourMs), account);
    await pass(id);
    const { result, commands } = await traces(
      async () => await Promise.all([end(id, 1, account), fixture.write(account, { from })]),
      account,
    );
    const endedByRun = result[0].state === "ended";
    expect(commands.map(({ op }) => op)).toEqual(endedByRun ? [] : ["signal"]);
    expect(await fixture.idsOf(account, "view=needs_answer")).toContain(id);
  }
});

test("two people snooze at once: one after the other, and the later run alone is current", async () => {
  const { id } = await fixture.write(fixture.account);
  const [one, other] = [ahead(hourMs), ahead(2 * hourMs)];
  const answers = await Promise.all([snooze(id, one), snooze(id, other)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const [row] = await fixture.query<{ snooze_run: number; until: Date }>(
    "SELECT snooze_run, snoozed_until AS until FROM conversations WHERE id = ?",
    [id],
  );
  expect(row?.snooze_run).toBe(2);
  expect([one, other]).toContain(row?.until.toISOString());
  expect(await end(id, 1)).toEqual({ state: "over" });
  expect(await end(id, 2)).toMatchObject({ state: "waiting" });
});

test("a run that was lost is found once it is late", async () => {
  const { id } = await fixture.write(fixture.account);
  await snooze(id);
  const late = async () => {
    const runs = await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
      listLateRuns(tx, "snooze", { after: id - 1, limit: 10 }),
    );
    return runs.map(({ command }) => command.workflowId);
  };
  expect(await late()).toEqual([]);
  await fixture.query(
    "UPDATE conversations SET snoozed_until = NOW(3) - INTERVAL 11 MINUTE WHERE id = ?",
    [id],
  );
  expect(await late()).toEqual([`snooze-${id}-1`]);
});

test.each<[string, object]>([
  ["that has passed", { until: "2020-01-01T10:00:00Z" }],
  ["that is more than a year ahead", { until: ahead(367 * 24 * hourMs) }],
  ["that is no moment", { until: "tomorrow" }],
  ["that is null", { until: null }],
  ["that is missing", {}],
  ["with a member too many", { until: ahead(hourMs), why: "x" }],
])("a snooze until a moment %s is answered 400, and changes nothing", async (_, body) => {
  const { id } = await fixture.write(fixture.account);
  const path = `/conversations/${id}/snooze`;
  const { status, json } = await fixture.call(fixture.account, "POST", path, body);
  expect([status, json.error.code]).toEqual([400, "validation_error"]);
  expect((await fixture.rowOf(fixture.account, id)).snoozed_until).toBeNull();
});

test("an agent snoozes; another account's conversation is not found", async () => {
  const agent = await fixture.createAccount({ role: "agent" });
  const own = await fixture.write(agent);
  expect((await snooze(own.id, ahead(hourMs), agent)).status).toBe(200);
  const { id } = await fixture.write(fixture.account);
  for (const [method, path, body] of [
    ["POST", "snooze", { until: ahead(hourMs) }],
    ["DELETE", "snooze", undefined],
    ["POST", "unread", undefined],
  ] as const) {
    const { status, json } = await fixture.call(
      agent,
      method,
      `/conversations/${id}/${path}`,
      body,
    );
    expect([status, json.error.code]).toEqual([404, "conversation_not_found"]);
  }
});

test("a conversation that was read is marked as unread, and read again", async () => {
  const { id } = await fixture.write(fixture.account);
  const count = async () => (await fixture.rowOf(fixture.account, id)).unread_count;
  const post = async (path: string) =>
    await fixture.call(fixture.account, "POST", `/conversations/${id}/${path}`, {});
  await post("read");
  expect(await count()).toBe(0);
  const [, heard] = await changesOf(async () => await post("unread"));
  expect([await count(), heard]).toEqual([1, [id]]);
  expect((await changesOf(async () => await post("unread")))[1]).toEqual([]);
  await post("read");
  expect(await count()).toBe(0);
});
