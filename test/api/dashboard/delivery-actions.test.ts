import { beforeEach, expect, test } from "vitest";
import {
  finishedDeliveryStates,
  openDeliveryStates,
} from "../../../core/model/workflow/delivery.ts";
import { createTestAccount, createTestSubscription } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let id: number;
let subscriptionId: number;
let count = 0;

beforeEach(async () => {
  await fixture.query("DELETE FROM audit_log");
  await fixture.query("UPDATE subscriptions SET state = 'deleted'");
  const { dataSource } = fixture.database;
  const { accountId, apiKey } = fixture.account;
  const subscription = { url: "http://127.0.0.1:9/hook", events: ["contact.created"] };
  subscriptionId = (await createTestSubscription(dataSource, accountId, subscription)).id;
  await fixture.query("DELETE FROM audit_log");
  const body = { phone: `3460000${String((count += 1)).padStart(4, "0")}` };
  await fixture.api.call("POST", "/api/v1/contacts", { apiKey, body });
  const [row] = await fixture.query<{ id: number }>(
    "SELECT id FROM deliveries WHERE subscription_id = ?",
    [subscriptionId],
  );
  id = Number(row?.id);
  await fixture.query("DELETE FROM outbox");
});

const act = async (action: string, body?: unknown, target = id): Promise<TestAnswer> =>
  await fixture.api.call("POST", `/dashboard/api/deliveries/${target}/${action}`, {
    cookie: fixture.account.cookie,
    body,
  });

const setState = async (state: string): Promise<unknown> =>
  await fixture.query(
    `UPDATE deliveries SET state = ?, attempts_made = 4, last_status_code = 500, last_error_class = 'http_status',
            reason = 'why', next_attempt_at = '2026-03-02', discard_at = '2026-03-03', finished_at = '2026-03-02' WHERE id = ?`,
    [state, id],
  );

const outbox = async () =>
  await fixture.query("SELECT kind, delivery_id, command, lane FROM outbox ORDER BY id");

const signalRow = (signal: object) => ({
  kind: "request",
  delivery_id: id,
  command: { op: "signalDelivery", run: 1, ...signal },
  lane: `-:${fixture.account.accountId}`,
});

const audited = async () =>
  await fixture.query(
    "SELECT actor_id, action, target_type, target_id, details FROM audit_log WHERE action LIKE 'delivery.%'",
  );

const auditRow = (action: string, details: object) => ({
  actor_id: fixture.account.userId,
  action: `delivery.${action}`,
  target_type: "delivery",
  target_id: id,
  details,
});

/** The code of a 409 that has written nothing. */
async function refusalOf(answer: TestAnswer): Promise<string> {
  expect([answer.status, await outbox(), await audited()]).toEqual([409, [], []]);
  return answer.json.error.code;
}

test.each(openDeliveryStates)("retry of a delivery that is %s asks its run", async (state) => {
  await setState(state);
  const answer = await act("retry");
  expect([answer.status, answer.json.data.id, answer.json.data.state]).toEqual([202, id, state]);
  expect(await outbox()).toEqual([signalRow({ signal: "retryNow", attemptsMade: 4 })]);
  expect(await audited()).toEqual([auditRow("retried", { run: 1 })]);
});

test("a retry that is asked for again before its run was told adds nothing to the outbox", async () => {
  await setState("waiting");
  const statuses = [(await act("retry")).status, (await act("retry")).status];
  expect(statuses).toEqual([202, 202]);
  expect(await outbox()).toEqual([signalRow({ signal: "retryNow", attemptsMade: 4 })]);
  // After the attempt it is another wish, and so it is where Temporal refused the first one for good.
  await fixture.query("UPDATE deliveries SET attempts_made = 5 WHERE id = ?", [id]);
  await act("retry");
  await fixture.query("UPDATE outbox SET parked_at = UTC_TIMESTAMP(3)");
  await act("retry");
  expect(await outbox()).toEqual(
    [4, 5, 5].map((attemptsMade) => signalRow({ signal: "retryNow", attemptsMade })),
  );
});

test("a delivery is sent by hand ten times a minute, retries and redeliveries together", async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    await setState(n % 2 === 0 ? "waiting" : "discarded");
    statuses.push((await act(n % 2 === 0 ? "retry" : "redeliver")).status);
  }
  expect(statuses).toEqual(statuses.map(() => 202));
  const before = (await outbox()).length;
  for (const action of ["retry", "redeliver"]) {
    const refused = await act(action);
    expect([refused.status, refused.json.error.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  }
  expect((await outbox()).length).toBe(before);
  await setState("waiting");
  expect((await act("cancel", { reason: "x" })).status).toBe(200);
});

test.each(finishedDeliveryStates)("retry and cancel of one that is %s are 409", async (state) => {
  await setState(state);
  expect(await refusalOf(await act("retry"))).toBe("delivery_finished");
  expect(await refusalOf(await act("cancel", { reason: "x" }))).toBe("delivery_finished");
});

test("a held delivery and one of a paused subscription are not retried", async () => {
  await setState("held");
  expect(await refusalOf(await act("retry"))).toBe("subscription_not_active");
  await setState("waiting");
  await fixture.query("UPDATE subscriptions SET state = 'paused' WHERE id = ?", [subscriptionId]);
  expect(await refusalOf(await act("retry"))).toBe("subscription_not_active");
});

test.each([...openDeliveryStates, "held"])("cancel ends one that is %s at once", async (state) => {
  await setState(state);
  const answer = await act("cancel", { reason: "  the receiver is gone " });
  expect(answer.status).toBe(200);
  expect(answer.json.data).toMatchObject({
    state: "cancelled",
    reason: "cancelled_by_operator",
    next_attempt_at: null,
    discard_at: null,
  });
  expect(await outbox()).toEqual([signalRow({ signal: "cancel" })]);
  const details = { run: 1, reason: "the receiver is gone" };
  expect(await audited()).toEqual([auditRow("cancelled", details)]);
  const again = await act("cancel", { reason: "again" });
  expect([again.status, again.json.error.code]).toEqual([409, "delivery_finished"]);
  expect([(await outbox()).length, (await audited()).length]).toEqual([1, 1]);
});

test("one that was held from the beginning has no run to tell", async () => {
  await fixture.query("UPDATE deliveries SET state = 'held', workflow_id = NULL WHERE id = ?", [
    id,
  ]);
  expect((await act("cancel", { reason: "x" })).status).toBe(200);
  expect(await outbox()).toEqual([]);
});

test.each([{}, { reason: "" }, { reason: " " }, { reason: 1 }, { reason: "x".repeat(501) }])(
  "cancel with %j is 400",
  async (body) => {
    const answer = await act("cancel", body);
    expect([answer.status, answer.json.error.details[0].path]).toEqual([400, "body.reason"]);
    expect([await outbox(), await audited()]).toEqual([[], []]);
  },
);

test.each(finishedDeliveryStates)("one that is %s is redelivered from 1", async (state) => {
  await setState(state);
  const answer = await act("redeliver", { reason: "it lost its data" });
  expect(answer.status).toBe(202);
  expect(answer.json.data).toMatchObject({
    id,
    state: "queued",
    run: 2,
    attempts_made: 0,
    reason: null,
    next_attempt_at: null,
    discard_at: null,
    workflow_id: `delivery-${answer.json.data.event_id}-${subscriptionId}-r2`,
  });
  const lane = `${fixture.account.accountId}:127.0.0.1:9`;
  expect(await outbox()).toEqual([{ kind: "delivery", delivery_id: id, command: null, lane }]);
  expect(await audited()).toEqual([
    auditRow("redelivered", { run: 2, reason: "it lost its data" }),
  ]);
  expect(
    await fixture.query("SELECT actor, finished_at, first_number FROM deliveries WHERE id = ?", [
      id,
    ]),
  ).toEqual([
    {
      actor: { user_id: fixture.account.userId },
      finished_at: null,
      first_number: 1,
    },
  ]);
});

test.each(openDeliveryStates)("one that is %s is not redelivered", async (state) => {
  await setState(state);
  expect(await refusalOf(await act("redeliver"))).toBe("delivery_open");
});

test("an erased event and a subscription that is not active are not redelivered", async () => {
  await setState("delivered");
  await fixture.query(
    "UPDATE events e JOIN deliveries d ON d.event_id = e.id SET e.body = NULL WHERE d.id = ?",
    [id],
  );
  expect(await refusalOf(await act("redeliver"))).toBe("event_erased");
  for (const state of ["paused", "disabled", "deleted"]) {
    await fixture.query("UPDATE subscriptions SET state = ? WHERE id = ?", [state, subscriptionId]);
    expect(await refusalOf(await act("redeliver"))).toBe("subscription_not_active");
  }
});

test("two redeliveries at once make one run", async () => {
  await setState("discarded");
  const answers = await Promise.all([act("redeliver"), act("redeliver"), act("redeliver")]);
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
  expect(await fixture.query("SELECT run FROM deliveries WHERE id = ?", [id])).toEqual([
    { run: 2 },
  ]);
  expect(await outbox()).toHaveLength(1);
  expect(await audited()).toHaveLength(1);
});

test("another account's delivery is 404 and stays as it is", async () => {
  const stranger = await createTestAccount(fixture.database.dataSource);
  const bodies = { retry: undefined, cancel: { reason: "x" }, redeliver: undefined };
  for (const [action, body] of Object.entries(bodies)) {
    const path = `/dashboard/api/deliveries/${id}/${action}`;
    const answer = await fixture.api.call("POST", path, { cookie: stranger.cookie, body });
    expect([answer.status, answer.json.error.code]).toEqual([404, "delivery_not_found"]);
  }
  expect([await outbox(), await audited()]).toEqual([[], []]);
});
