import { beforeEach, expect, test } from "vitest";
import { retentionMs } from "../../../core/model/workflow/retention.ts";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../../support/accounts.ts";
import { createTestResource, createTestService } from "../../support/appointments.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let own: TestAccount;

beforeEach(async () => {
  own = await createTestAccount(fixture.database.dataSource);
});

async function call(method: string, path: string, body?: unknown, { cookie } = own) {
  return await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
}

const read = async (account = own) => {
  const answer = await call("GET", "/first-run", undefined, account);
  expect(answer.status).toBe(200);
  return answer.json.data;
};

const nothing = {
  zone_set: false,
  team_invited: false,
  hours_set: false,
  service_added: false,
  link_added: false,
  key_created: true,
  customer_wrote: false,
  replied: false,
  webhook_added: false,
  test_sent: false,
  conversation_id: null,
  subscription_id: null,
};

async function write(): Promise<number> {
  const message = { channel: "web", from: "visitor-1", name: "Ana", text: "Hi" };
  return Number((await call("POST", "/sandbox/messages", message)).json.data.conversation_id);
}

test("each step is done once the account's own rows say so", async () => {
  expect(await read()).toStrictEqual(nothing);
  const conversationId = await write();
  const wrote = { ...nothing, customer_wrote: true, conversation_id: conversationId };
  expect(await read()).toStrictEqual(wrote);
  await call("POST", `/conversations/${conversationId}/messages`, { content: "Hello" });
  expect(await read()).toStrictEqual({ ...wrote, replied: true });
  const added = await call("POST", "/subscriptions", { url: "http://127.0.0.1:9/", events: ["*"] });
  const id = Number(added.json.data.id);
  const webhook = { webhook_added: true, subscription_id: id };
  expect(await read()).toStrictEqual({ ...wrote, replied: true, ...webhook });
  expect((await call("POST", `/subscriptions/${id}/test`)).status).toBe(202);
  expect(await read()).toStrictEqual({ ...wrote, replied: true, ...webhook, test_sent: true });
});

test("each step of the owner is done once the account is set up so", async () => {
  const { dataSource } = fixture.database;
  const steps = async () => {
    const { zone_set, team_invited, hours_set, service_added, link_added } = await read();
    return [zone_set, team_invited, hours_set, service_added, link_added];
  };
  await call("PATCH", "/account", { time_zone: "America/Mexico_City" });
  expect(await steps()).toEqual([true, false, false, false, false]);
  expect(
    (await call("POST", "/invitations", { email: "eva@example.com", role: "agent" })).status,
  ).toBe(201);
  expect(await steps()).toEqual([true, true, false, false, false]);
  const closed = {
    monday: [],
    tuesday: [],
    wednesday: [],
    thursday: [],
    friday: [],
    saturday: [],
    sunday: [],
  };
  const resourceId = await createTestResource(dataSource, own.accountId, { weeklyHours: closed });
  expect(await steps()).toEqual([true, true, false, false, false]);
  await fixture.query("UPDATE resources SET weekly_hours = ? WHERE id = ?", [
    JSON.stringify({ ...closed, friday: [["09:00", "17:00"]] }),
    resourceId,
  ]);
  expect(await steps()).toEqual([true, true, true, false, false]);
  const serviceId = await createTestService(dataSource, own.accountId);
  expect(await steps()).toEqual([true, true, true, true, false]);
  const link = await call("POST", "/booking-links", { title: "Visits", service_id: serviceId });
  expect(link.status).toBe(201);
  expect(await steps()).toEqual([true, true, true, true, true]);
  await call("DELETE", `/booking-links/${link.json.data.id}`);
  await fixture.query("UPDATE services SET archived_at = NOW(3) WHERE id = ?", [serviceId]);
  expect(await steps()).toEqual([true, true, true, false, false]);
});

test("a second member counts as a team, and a key of another account is none", async () => {
  const member = "SELECT account_id FROM memberships WHERE account_id = ?";
  expect(await fixture.query(member, [own.accountId])).toHaveLength(1);
  const other = await createTestAccount(fixture.database.dataSource);
  await fixture.query(
    "INSERT INTO memberships (account_id, user_id, role) SELECT ?, user_id, 'agent' FROM memberships WHERE account_id = ?",
    [own.accountId, other.accountId],
  );
  await fixture.query("DELETE FROM api_keys WHERE account_id = ?", [own.accountId]);
  expect(await read()).toMatchObject({ team_invited: true, key_created: false });
  expect(await read(other)).toMatchObject({ team_invited: false, key_created: true });
});

test("what a program sends is no reply of a person", async () => {
  const conversationId = await write();
  const path = `/api/v1/conversations/${conversationId}/messages`;
  const sent = await fixture.api.call("POST", path, {
    apiKey: own.apiKey,
    body: { content: "Hello" },
  });
  expect(sent.status).toBe(201);
  expect(await read()).toMatchObject({ customer_wrote: true, replied: false });
});

test("a webhook that was deleted was added, but none is left to test", async () => {
  const added = await call("POST", "/subscriptions", { url: "http://127.0.0.1:9/", events: ["*"] });
  await call("DELETE", `/subscriptions/${added.json.data.id}`);
  expect(await read()).toMatchObject({ webhook_added: true, subscription_id: null });
});

test("a webhook older than the audit log reaches counts as tested: its test may have gone", async () => {
  const { dataSource } = fixture.database;
  await createTestSubscription(dataSource, own.accountId, { url: "http://127.0.0.1:9/" });
  expect((await read()).test_sent).toBe(false);
  await fixture.query("UPDATE subscriptions SET created_at = ? WHERE account_id = ?", [
    new Date(Date.now() - retentionMs.audit_log - 60_000),
    own.accountId,
  ]);
  expect((await read()).test_sent).toBe(true);
});

test("another account's steps are its own", async () => {
  await write();
  const other = await createTestAccount(fixture.database.dataSource);
  expect(await read(other)).toStrictEqual(nothing);
});
