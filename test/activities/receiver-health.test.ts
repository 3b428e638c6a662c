import { expect, test } from "vitest";
import { updateSubscription } from "../../core/services/subscriptions/subscriptions.ts";
import { asSystem } from "../support/accounts.ts";
import {
  answerWith,
  createAttemptFixture,
  queueAnother,
  queueDelivery,
  readNotifications,
  readRow,
  type Queued,
} from "./attempt-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);

const sql = async (text: string, values: unknown[]) =>
  await fixture.database.dataSource.query(text, values);

/** A delivery to a subscription that stays in the account, and may be disabled for its failures. */
async function queue({ autoDisable = true } = {}): Promise<Queued> {
  const queued = await queueDelivery(fixture);
  await sql("DELETE FROM outbox", []);
  await sql("UPDATE subscriptions SET auto_disable = ? WHERE id = ?", [
    autoDisable,
    queued.subscriptionId,
  ]);
  return queued;
}

/** Another event to the same subscription. */
async function another(queued: Queued): Promise<Queued> {
  const next = await queueAnother(fixture, queued);
  await sql("UPDATE subscriptions SET account_id = ? WHERE id = ?", [
    fixture.account.accountId,
    queued.subscriptionId,
  ]);
  return next;
}

async function attempt(queued: Queued, status: number, seq = 1) {
  answerWith(fixture.sink, status);
  return await queued.attempt({ seq });
}

const stateOf = async ({ subscriptionId }: Queued) =>
  await readRow(fixture, "SELECT state, disabled_reason FROM subscriptions WHERE id = ?", [
    subscriptionId,
  ]);

const healthOf = async ({ subscriptionId }: Queued) =>
  await readRow(fixture, "SELECT * FROM subscription_health WHERE subscription_id = ?", [
    subscriptionId,
  ]);

const active = { state: "active", disabled_reason: null };

async function beSilentFor(queued: Queued, hours: number): Promise<void> {
  await sql(
    "UPDATE subscription_health SET last_failed_at = UTC_TIMESTAMP(3) - INTERVAL ? HOUR WHERE subscription_id = ?",
    [hours, queued.subscriptionId],
  );
}

async function failFor(queued: Queued, hours: number): Promise<void> {
  await sql(
    "UPDATE subscription_health SET failing_since = UTC_TIMESTAMP(3) - INTERVAL ? HOUR WHERE subscription_id = ?",
    [hours, queued.subscriptionId],
  );
}

test("a subscription that does not ask for it stays active, whatever its receiver answers", async () => {
  const first = await queue({ autoDisable: false });
  await attempt(first, 410);
  await attempt(await another(first), 410);
  await failFor(first, 100);
  await attempt(first, 500, 2);
  expect(await stateOf(first)).toEqual(active);
  expect(await readNotifications(fixture, first)).toEqual([]);
});

test("one that asks for it while its receiver fails is disabled at the next failure", async () => {
  const queued = await queue({ autoDisable: false });
  await attempt(queued, 500);
  await failFor(queued, 100);
  await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
    updateSubscription(tx, queued.subscriptionId, { auto_disable: true }),
  );
  expect(await stateOf(queued)).toEqual(active);
  await attempt(queued, 500, 2);
  expect(await stateOf(queued)).toEqual({ state: "disabled", disabled_reason: "only_failures" });
});

test("410 on two events in a row disables the subscription and tells people once", async () => {
  const first = await queue();
  await attempt(first, 410);
  await attempt(first, 410, 2);
  expect(await stateOf(first)).toEqual(active);
  const second = await another(first);
  expect(await attempt(second, 410)).toMatchObject({ state: "waiting" });
  expect(await stateOf(first)).toEqual({ state: "disabled", disabled_reason: "receiver_gone" });
  expect(await readNotifications(fixture, first)).toMatchObject([
    { kind: "subscription_disabled", params: { reason: "receiver_gone" }, delivery_id: null },
  ]);
  const told = await readRow(fixture, "SELECT command FROM outbox WHERE kind = 'request'");
  expect(told).toMatchObject({ command: { workflow: "holdDeliveries" } });
  expect(
    await readRow(
      fixture,
      "SELECT actor_type, action FROM audit_log WHERE target_id = ? ORDER BY id DESC",
      [first.subscriptionId],
    ),
  ).toEqual({ actor_type: "system", action: "subscription.disabled" });
});

test("another answer between two 410 breaks the row", async () => {
  const first = await queue();
  await attempt(first, 410);
  await attempt(first, 500, 2);
  await attempt(await another(first), 410);
  expect(await stateOf(first)).toEqual(active);
});

test("only failures for three days disable it, and not an hour less", async () => {
  const queued = await queue();
  await attempt(queued, 500);
  await failFor(queued, 71);
  await attempt(queued, 500, 2);
  expect(await stateOf(queued)).toEqual(active);
  await failFor(queued, 72);
  await attempt(queued, 503, 3);
  expect(await stateOf(queued)).toEqual({ state: "disabled", disabled_reason: "only_failures" });
  expect(await readNotifications(fixture, queued)).toHaveLength(1);
});

test("a success forgets the failures before it", async () => {
  const queued = await queue();
  await attempt(queued, 500);
  await failFor(queued, 100);
  expect(await attempt(queued, 204, 2)).toEqual({ state: "delivered" });
  expect(await healthOf(queued)).toBeUndefined();
  await attempt(await another(queued), 500);
  expect(await stateOf(queued)).toEqual(active);
});

test("one that was asked nothing for a day begins anew, and not an hour earlier", async () => {
  const queued = await queue();
  await attempt(queued, 500);
  await failFor(queued, 120);
  await beSilentFor(queued, 24);
  await attempt(queued, 500, 2);
  expect(await stateOf(queued)).toEqual(active);
  await failFor(queued, 72);
  await beSilentFor(queued, 23);
  await attempt(queued, 500, 3);
  expect(await stateOf(queued)).toEqual({ state: "disabled", disabled_reason: "only_failures" });
});

test("failures an hour apart count as one time of failing", async () => {
  const queued = await queue();
  await attempt(queued, 500);
  await beSilentFor(queued, 2);
  await attempt(queued, 500, 2);
  const { last_failed_at: last } = (await healthOf(queued)) as { last_failed_at: Date };
  expect(Date.now() - last.getTime()).toBeLessThan(60_000);
});

test("at another URL it has its three days anew, under another name not", async () => {
  const queued = await queue();
  const { accountId } = fixture.account;
  const change = async (patch: { name?: string; url?: string }) =>
    await asSystem(fixture.database.dataSource, accountId, (tx) =>
      updateSubscription(tx, queued.subscriptionId, patch),
    );
  await attempt(queued, 500);
  await change({ name: "Another name" });
  expect(await healthOf(queued)).toBeDefined();
  await change({ url: `${fixture.sink.url}/moved` });
  expect(await healthOf(queued)).toBeUndefined();
});

test("enabled again it has its three days anew", async () => {
  const queued = await queue();
  await attempt(queued, 500);
  await failFor(queued, 73);
  await attempt(queued, 500, 2);
  const { accountId } = fixture.account;
  await asSystem(fixture.database.dataSource, accountId, (tx) =>
    updateSubscription(tx, queued.subscriptionId, { state: "active" }),
  );
  expect([await stateOf(queued), await healthOf(queued)]).toEqual([active, undefined]);
  await attempt(queued, 500, 3);
  expect(await stateOf(queued)).toEqual(active);
});

test("failures of several deliveries at once disable it once", async () => {
  const first = await queue();
  await attempt(first, 500);
  const others = [await another(first), await another(first), await another(first)];
  await failFor(first, 80);
  answerWith(fixture.sink, 500);
  await Promise.all(others.map((one) => one.attempt({ seq: 1 })));
  expect(await stateOf(first)).toMatchObject({ state: "disabled" });
  expect(await readNotifications(fixture, first)).toHaveLength(1);
});
