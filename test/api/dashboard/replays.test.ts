import { beforeEach, expect, test } from "vitest";
import type { ReplayableState } from "../../../core/model/replay.ts";
import { replayBatch } from "../../../core/services/deliveries/replay-batches.ts";
import { draftReplay } from "../../../core/services/deliveries/replays.ts";
import { asSystem, createTestAccount, createTestSubscription } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { whileLocked } from "../../support/database.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let subscriptionId: number;

const states = ["discarded", "skipped", "delivered", "cancelled", "held", "waiting"];

/** Two deliveries of each state; the second one is new, the first ten days old. */
beforeEach(async () => {
  await fixture.query("UPDATE subscriptions SET state = 'deleted'");
  const { accountId } = fixture.account;
  const url = "http://127.0.0.1:9/hook";
  subscriptionId = (await createTestSubscription(fixture.database.dataSource, accountId, { url }))
    .id;
  for (const days of [10, 0]) {
    for (const state of states) await insertDelivery(state, days);
  }
  await fixture.query("DELETE FROM audit_log");
  await fixture.query("DELETE FROM outbox");
});

async function insertDelivery(state: string, days = 0): Promise<void> {
  const { accountId } = fixture.account;
  await fixture.database.dataSource.transaction(async (manager) => {
    const [{ id }] = await manager.query("SELECT UNHEX(REPLACE(UUID(), '-', '')) AS id");
    await manager.query(
      "INSERT INTO events (id, account_id, type, body, occurred_at) VALUES (?, ?, 'contact.created', '{}', NOW())",
      [id, accountId],
    );
    await manager.query(
      `INSERT INTO deliveries (account_id, event_id, subscription_id, event_type, state, created_at)
       VALUES (?, ?, ?, 'contact.created', ?, UTC_TIMESTAMP(3) - INTERVAL ? DAY)`,
      [accountId, id, subscriptionId, state, days],
    );
  });
}

const call = async (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  await fixture.api.call(method, `/dashboard/api${path}`, { cookie: fixture.account.cookie, body });

const draft = async (body?: object): Promise<TestAnswer> =>
  await call("POST", `/subscriptions/${subscriptionId}/replays`, body);

const step = async (id: number, name: string, body?: object): Promise<TestAnswer> =>
  await call("POST", `/replays/${id}/${name}`, body);

const batch = async (replayId: number, run: number, size = 100, looks = 10_000) =>
  await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
    replayBatch(tx, { replayId, run }, { size, looks }),
  );

/** A draft for which so many deliveries are looked at. */
const draftOfFew = async (looks: number, moment: string | null, states: ReplayableState[]) => {
  const since = moment === null ? null : new Date(moment);
  return await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
    draftReplay(tx, subscriptionId, { since, states }, looks),
  );
};

const countQueued = async (): Promise<number> => {
  const [row] = await fixture.query(
    "SELECT COUNT(*) AS n FROM deliveries WHERE subscription_id = ? AND state = 'queued' AND run = 2 AND first_number = 1",
    [subscriptionId],
  );
  return Number(row?.["n"]);
};

const since = () => new Date(Date.now() - 86_400_000).toISOString();

test("a draft counts what it covers and sends nothing", async () => {
  const cases: [object | undefined, string[], number][] = [
    [undefined, ["discarded", "skipped"], 4],
    [{ since: since() }, ["delivered", "discarded", "cancelled", "skipped"], 4],
    [{ states: ["delivered", "delivered"] }, ["delivered"], 2],
    [{ since: since(), states: ["discarded"] }, ["discarded"], 1],
    [{ since: "2999-01-01T00:00:00Z" }, ["delivered", "discarded", "cancelled", "skipped"], 0],
  ];
  for (const [body, covered, total] of cases) {
    const { status, json } = await draft(body);
    expect([status, json.data]).toMatchObject([
      201,
      {
        state: "draft",
        states: covered,
        total,
        total_at_least: false,
        queued: 0,
        subscription_id: subscriptionId,
      },
    ]);
    expect((await call("GET", `/replays/${json.data.id}`)).json.data).toEqual(json.data);
  }
  expect(await fixture.count("outbox")).toEqual({ outbox: 0 });
  expect(await countQueued()).toBe(0);
});

test.each([
  { states: [] },
  { states: ["held"] },
  { states: ["waiting"] },
  { states: "discarded" },
  { since: "yesterday" },
  { until: "2026-01-01T00:00:00Z" },
])("a draft with %j is 400", async (body) => {
  const before = await fixture.count("replays", "audit_log");
  const answer = await draft(body);
  expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
  expect(await fixture.count("replays", "audit_log")).toEqual(before);
});

test("start, pause, resume and cancel apply to the states they are for, and leave who did it", async () => {
  const { id } = (await draft()).json.data;
  const refused = async (...names: string[]) => {
    for (const name of names) {
      const answer = await step(id, name);
      expect([name, answer.status, answer.json.error.code]).toEqual([name, 409, "replay_state"]);
    }
  };
  await refused("pause", "resume");
  expect((await step(id, "start")).json.data.state).toBe("running");
  await refused("start", "resume");
  expect((await step(id, "pause")).json.data.state).toBe("paused");
  await refused("start", "pause");
  expect((await step(id, "resume")).json.data.state).toBe("running");
  const reason = "the receiver cannot keep up";
  expect((await step(id, "cancel", { reason })).json.data).toMatchObject({
    state: "cancelled",
    finished_at: expect.any(String),
  });
  await refused("start", "pause", "resume", "cancel");
  const commands = await fixture.query<{ command: { workflowId: string; input: object } }>(
    "SELECT command FROM outbox ORDER BY id",
  );
  expect(commands.map(({ command }) => [command.workflowId, command.input])).toEqual(
    [1, 2].map((run) => [
      `replay-${id}-r${run}`,
      { accountId: fixture.account.accountId, replayId: id, run },
    ]),
  );
  const audited = await fixture.query(
    "SELECT actor_id, action, details->>'$.reason' AS reason FROM audit_log WHERE target_id = ? ORDER BY id",
    [id],
  );
  const actor_id = fixture.account.userId;
  const verbs = ["drafted", "started", "paused", "resumed", "cancelled"];
  expect(audited).toEqual(
    verbs.map((verb) => ({
      actor_id,
      action: `replay.${verb}`,
      reason: verb === "cancelled" ? reason : null,
    })),
  );
});

test("batches go on from the cursor, and a paused or older run queues nothing", async () => {
  const { id } = (await draft()).json.data;
  expect(await batch(id, 0)).toMatchObject({ done: true, state: "draft" });
  await step(id, "start");
  expect(await batch(id, 1, 2)).toMatchObject({ done: false, state: "running", queued: 2 });
  await step(id, "pause");
  expect(await batch(id, 1, 2)).toMatchObject({ done: true, state: "paused", queued: 2 });
  await step(id, "resume");
  expect(await batch(id, 1, 2)).toMatchObject({ done: true, queued: 2 });
  await insertDelivery("discarded");
  expect(await batch(id, 2, 2)).toMatchObject({ done: true, state: "completed", queued: 4 });
  expect(await countQueued()).toBe(4);
  expect(await fixture.query("SELECT kind FROM outbox WHERE kind = 'delivery'")).toHaveLength(4);
  const read = (await call("GET", `/replays/${id}`)).json.data;
  expect(read).toMatchObject({ state: "completed", queued: 4, passed_over: 0 });
});

test("a batch looks at a few deliveries and gets on, though nothing among them fits", async () => {
  const { id } = (await draft({ states: ["cancelled"] })).json.data;
  await step(id, "start");
  const seen = [];
  for (let done = false; !done;) {
    const result = await batch(id, 1, 100, 2);
    seen.push(result.queued);
    ({ done } = result);
  }
  // From the first cancelled delivery to the last one there are seven.
  expect(seen).toEqual([1, 1, 1, 2]);
  const read = (await call("GET", `/replays/${id}`)).json.data;
  expect(read).toMatchObject({ state: "completed", queued: 2, passed_over: 0, total: 2 });
});

test("where too many are to be counted, the newest are, and all the others are sent again too", async () => {
  // The oldest six of twelve are not looked at.
  const { id } = await draftOfFew(6, null, ["discarded", "skipped"]);
  const read = async () => (await call("GET", `/replays/${id}`)).json.data;
  expect(await read()).toMatchObject({ total: 2, total_at_least: true });
  await step(id, "start");
  expect(await batch(id, 1, 3)).toMatchObject({ done: false, queued: 3, total: 3 });
  expect(await read()).toMatchObject({ total: 3, total_at_least: true });
  expect(await batch(id, 1, 3)).toMatchObject({ state: "completed", queued: 4, total: 4 });
  expect(await read()).toMatchObject({ total: 4, total_at_least: false });
  expect(await countQueued()).toBe(4);
});

test("a moment narrows what is counted, and with nothing found among the newest the rest is not left out", async () => {
  expect(await draftOfFew(6, since(), ["discarded"])).toMatchObject({
    total: 1,
    totalAtLeast: false,
  });
  const { id, total, totalAtLeast } = await draftOfFew(2, null, ["discarded"]);
  expect([total, totalAtLeast]).toEqual([0, true]);
  await step(id, "start");
  expect(await batch(id, 1)).toMatchObject({ state: "completed", queued: 2, total: 2 });
});

test("a count that takes too long is 503, and nothing was drafted", async () => {
  const before = await fixture.count("replays", "audit_log");
  const answer = await whileLocked(fixture.database.dataSource, "deliveries", draft);
  expect([answer.status, answer.json.error.code]).toEqual([503, "service_unavailable"]);
  expect(await fixture.count("replays", "audit_log")).toEqual(before);
});

test("erased events are passed over, and what was sent again meanwhile is left out", async () => {
  const { id } = (await draft()).json.data;
  await fixture.query(
    `UPDATE events e JOIN deliveries d ON d.event_id = e.id SET e.body = NULL
      WHERE d.subscription_id = ? AND d.state = 'skipped'`,
    [subscriptionId],
  );
  const [other] = await fixture.query(
    "SELECT id FROM deliveries WHERE subscription_id = ? AND state = 'discarded' LIMIT 1",
    [subscriptionId],
  );
  expect((await call("POST", `/deliveries/${String(other?.["id"])}/redeliver`)).status).toBe(202);
  await step(id, "start");
  expect(await batch(id, 1)).toMatchObject({ state: "completed", queued: 1 });
  expect((await call("GET", `/replays/${id}`)).json.data).toMatchObject({ passed_over: 2 });
  expect(await countQueued()).toBe(2);
});

test("a replay of a subscription that is paused is paused too", async () => {
  const { id } = (await draft()).json.data;
  await step(id, "start");
  await call("POST", `/subscriptions/${subscriptionId}/pause`);
  expect(await batch(id, 1)).toMatchObject({ done: true, state: "paused", queued: 0 });
});

test("a subscription's replays are listed newest first, page by page, and no other's", async () => {
  const other = (await draft()).json.data;
  await fixture.query("UPDATE replays SET subscription_id = subscription_id + 1 WHERE id = ?", [
    other.id,
  ]);
  const drafts = [];
  for (let index = 0; index < 3; index += 1) drafts.unshift((await draft()).json.data);
  await step(drafts[1].id, "start");
  const path = `/subscriptions/${subscriptionId}/replays`;
  const list = await call("GET", path);
  expect([list.status, list.json.meta]).toEqual([
    200,
    { total: 3, total_at_least: false, limit: 50, offset: 0 },
  ]);
  const running = { ...drafts[1], state: "running", updated_at: expect.any(String) };
  expect(list.json.data).toEqual([drafts[0], running, drafts[2]]);
  const second = await call("GET", `${path}?limit=1&offset=1`);
  expect(second.json).toMatchObject({
    data: [running],
    meta: { total: 3, total_at_least: false, limit: 1, offset: 1 },
  });
  for (const query of ["limit=0", "limit=101", "limit=x", "offset=-1"]) {
    const answer = await call("GET", `${path}?${query}`);
    expect([query, answer.status, answer.json.error.code]).toEqual([
      query,
      400,
      "validation_error",
    ]);
  }
});

test("another account's replay is 404", async () => {
  const { id } = (await draft()).json.data;
  const { cookie } = await createTestAccount(fixture.database.dataSource);
  const tries: [string, string][] = [
    ["GET", `/replays/${id}`],
    ...["start", "pause", "resume", "cancel"].map((name): [string, string] => [
      "POST",
      `/replays/${id}/${name}`,
    ]),
  ];
  for (const [method, path] of tries) {
    const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie });
    expect([answer.status, answer.json.error.code]).toEqual([404, "replay_not_found"]);
  }
});
