import { beforeEach, expect, test } from "vitest";
import { createTestSubscription } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let id: number;

beforeEach(async () => {
  await fixture.query("UPDATE subscriptions SET state = 'deleted'");
  const { accountId } = fixture.account;
  const url = "http://127.0.0.1:9/hook";
  id = (await createTestSubscription(fixture.database.dataSource, accountId, { url })).id;
  await fixture.query("DELETE FROM audit_log");
  await fixture.query("DELETE FROM outbox");
});

const call = async (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  await fixture.api.call(method, `/dashboard/api/subscriptions/${id}${path}`, {
    cookie: fixture.account.cookie,
    body,
  });

/** What Temporal is told and what the audit log says, since the last look. */
async function traces() {
  const told = await fixture.query<{ command: { workflow: string; workflowId: string } }>(
    "SELECT command FROM outbox ORDER BY id",
  );
  const audited = await fixture.query(
    "SELECT actor_id, action, details FROM audit_log WHERE target_id = ? ORDER BY id",
    [id],
  );
  await fixture.query("DELETE FROM audit_log");
  await fixture.query("DELETE FROM outbox");
  return { told: told.map(({ command }) => command), audited };
}

const command = (verb: "hold" | "resume", version: number) => ({
  op: "start",
  workflow: `${verb}Deliveries`,
  workflowId: `${verb}-deliveries-subscription-${id}-v${version}`,
  taskQueue: "ops",
  input: { accountId: fixture.account.accountId, subscriptionId: id },
  summary: `${verb} the deliveries of subscription ${id}`,
});

const auditRow = (action: string, details: object) => ({
  actor_id: fixture.account.userId,
  action: `subscription.${action}`,
  details,
});

test("pause and resume change the state once, hold and release, and say why", async () => {
  const paused = await call("POST", "/pause", { reason: "they deploy" });
  expect([paused.status, paused.json.data.state]).toEqual([200, "paused"]);
  expect(await traces()).toEqual({
    told: [command("hold", 2)],
    audited: [auditRow("paused", { before: "active", reason: "they deploy" })],
  });
  expect((await call("POST", "/pause")).json.data).toEqual(paused.json.data);
  expect(await traces()).toEqual({ told: [], audited: [] });

  const resumed = await call("POST", "/resume");
  expect([resumed.status, resumed.json.data.state]).toEqual([200, "active"]);
  expect(await traces()).toEqual({
    told: [command("resume", 3)],
    audited: [auditRow("resumed", { before: "paused" })],
  });
  expect((await call("POST", "/resume")).status).toBe(200);
  expect(await traces()).toEqual({ told: [], audited: [] });
});

test("a patch disables and enables, beside whatever else it changes", async () => {
  const disabled = await call("PATCH", "", { state: "disabled", name: "Off" });
  expect(disabled.json.data).toMatchObject({
    state: "disabled",
    disabled_reason: "disabled_by_admin",
    name: "Off",
  });
  expect(await traces()).toEqual({
    told: [command("hold", 2)],
    audited: [
      auditRow("disabled", { before: "active", reason: "disabled_by_admin" }),
      auditRow("updated", { fields: ["name"] }),
    ],
  });
  const enabled = await call("PATCH", "", { state: "active" });
  expect(enabled.json.data).toMatchObject({ state: "active", disabled_reason: null });
  expect(await traces()).toEqual({
    told: [command("resume", 4)],
    audited: [auditRow("resumed", { before: "disabled" })],
  });
});

test("a disabled subscription is neither paused nor resumed, only enabled", async () => {
  await call("PATCH", "", { state: "disabled" });
  await traces();
  const pause = await call("POST", "/pause");
  expect([pause.status, pause.json.error.code]).toEqual([409, "subscription_not_active"]);
  const resume = await call("POST", "/resume");
  expect([resume.status, resume.json.error.code]).toEqual([409, "subscription_disabled"]);
  expect(await traces()).toEqual({ told: [], audited: [] });
});

test.each([
  ["PATCH", "", { state: "paused" }],
  ["PATCH", "", { state: "deleted" }],
  ["PATCH", "", { state: null }],
  ["POST", "/pause", { reason: 1 }],
  ["POST", "/pause", { until: "tomorrow" }],
  ["POST", "/resume", { reason: "x".repeat(501) }],
])("%s %s with %j is 400", async (method, path, body) => {
  const answer = await call(method, path, body);
  expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
  expect(await traces()).toEqual({ told: [], audited: [] });
});

test("pauses at once are one pause", async () => {
  const answers = await Promise.all([1, 2, 3].map(() => call("POST", "/pause")));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { told, audited } = await traces();
  expect([told.length, audited.length]).toEqual([1, 1]);
});
