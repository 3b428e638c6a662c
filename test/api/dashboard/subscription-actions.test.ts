import { expect, test } from "vitest";
import { listSigningSecrets } from "../../../core/services/subscriptions/subscriptions.ts";
import { asSystem, createTestAccount, createTestSubscription } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
const url = "http://127.0.0.1:9/hook";

async function call(
  method: string,
  path: string,
  body?: unknown,
  cookie = fixture.account.cookie,
): Promise<TestAnswer> {
  return await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
}

/** An account of its own, so that nothing here counts for another test. */
async function newAdmin() {
  const account = await createTestAccount(fixture.database.dataSource);
  return { ...account, call: (m: string, p: string, b?: unknown) => call(m, p, b, account.cookie) };
}

const create = async (): Promise<TestAnswer> =>
  await call("POST", "/subscriptions", { url, events: ["*"] });

test("a test ping goes to this subscription alone, whatever it selects, ten a minute", async () => {
  const admin = await newAdmin();
  const { dataSource } = fixture.database;
  const wanted = await createTestSubscription(dataSource, admin.accountId, {
    url,
    events: ["contact.*"],
  });
  await createTestSubscription(dataSource, admin.accountId, { url, events: ["*"] });
  const ping = () => admin.call("POST", `/subscriptions/${wanted.id}/test`);
  const sent = await ping();
  expect(sent.status).toBe(202);
  const { delivery_id, event_id } = sent.json.data;
  expect(sent.json.data).toStrictEqual({
    delivery_id: expect.any(Number),
    event_id: expect.any(String),
  });
  const list = await admin.call("GET", "/deliveries");
  expect(list.json.data).toMatchObject([
    {
      id: delivery_id,
      event_id,
      event_type: "test.ping",
      subscription_id: wanted.id,
      state: "queued",
    },
  ]);
  const read = await admin.call("GET", `/deliveries/${delivery_id}`);
  expect(read.json.data.event.data).toStrictEqual({
    message: 'Test of "127.0.0.1:9".',
    subscription_id: wanted.id,
    triggered_by_user_id: admin.userId,
  });
  for (let index = 0; index < 9; index += 1) expect((await ping()).status).toBe(202);
  const refused = await ping();
  expect([refused.status, refused.json.error.code]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
});

test("another account cannot use up the pings of a subscription", async () => {
  const admin = await newAdmin();
  const stranger = await newAdmin();
  const { id } = await createTestSubscription(fixture.database.dataSource, admin.accountId, {
    url,
  });
  for (let index = 0; index < 11; index += 1)
    await stranger.call("POST", `/subscriptions/${id}/test`);
  expect((await admin.call("POST", `/subscriptions/${id}/test`)).status).toBe(202);
});

test("a ping that meets a deletion waits for it and reads 404", async () => {
  const { id } = (await create()).json.data;
  const holder = fixture.database.dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query("UPDATE subscriptions SET state = 'deleted' WHERE id = ?", [id]);
  const before = await fixture.count("events", "deliveries");
  const ping = call("POST", `/subscriptions/${id}/test`);
  const waiting =
    "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE '%FOR UPDATE%' AND id <> CONNECTION_ID()";
  await eventually(async () => expect(await fixture.query(waiting)).toHaveLength(1));
  await holder.commitTransaction();
  await holder.release();
  const answer = await ping;
  expect([answer.status, answer.json.error.code]).toEqual([404, "subscription_not_found"]);
  expect(await fixture.count("events", "deliveries")).toEqual(before);
});

test.each(["paused", "disabled"])("a %s subscription is sent no ping: 409", async (state) => {
  const { id } = (await create()).json.data;
  await fixture.query("UPDATE subscriptions SET state = ? WHERE id = ?", [state, id]);
  const refused = await call("POST", `/subscriptions/${id}/test`);
  expect([refused.status, refused.json.error.code]).toEqual([409, "subscription_not_active"]);
  await call("DELETE", `/subscriptions/${id}`);
});

test("a rotated secret is new, the old one is valid for 24 hours more, those before it no more", async () => {
  const { id, secret } = (await create()).json.data;
  const rotated = await call("POST", `/subscriptions/${id}/rotate-secret`);
  expect(rotated.json.data).toStrictEqual({ id, secret: expect.stringMatching(/^whsec_/) });
  expect(rotated.json.data.secret).not.toBe(secret);
  const hours = async () =>
    await fixture.query<{ hours: number | null }>(
      "SELECT ROUND(TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(3), valid_until) / 60, 1) AS hours FROM subscription_secrets WHERE subscription_id = ? ORDER BY id",
      [id],
    );
  expect((await hours()).map((row) => (row.hours === null ? null : Number(row.hours)))).toEqual([
    24,
    null,
  ]);
  await fixture.query(
    "UPDATE subscription_secrets SET valid_until = UTC_TIMESTAMP(3) + INTERVAL 60 MINUTE WHERE subscription_id = ? AND valid_until IS NOT NULL",
    [id],
  );
  await call("POST", `/subscriptions/${id}/rotate-secret`);
  expect((await hours()).map((row) => (row.hours === null ? null : Number(row.hours)))).toEqual([
    0,
    24,
    null,
  ]);
  await call("POST", `/subscriptions/${id}/rotate-secret`);
  const signing = await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
    listSigningSecrets(tx, [id]),
  );
  expect(signing.map(({ validUntil }) => validUntil === null)).toEqual([true, false]);
});
