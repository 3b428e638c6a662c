import { beforeEach, expect, test } from "vitest";
import { createMember, createSession } from "../../../core/services/accounts/users.ts";
import { recordNotification } from "../../../core/services/notifications/notifications.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
/** `Cookie` of a second person of the same account. */
let colleague: string;

beforeEach(async () => {
  const { dataSource } = fixture.database;
  account = await createTestAccount(dataSource);
  colleague = await asSystem(dataSource, account.accountId, async (tx) => {
    const email = `colleague-${account.accountId}@example.com`;
    const { userId } = await createMember(tx, {
      email,
      name: "C",
      passwordHash: "-",
      role: "agent",
    });
    const session = await createSession(
      tx,
      { userId, passwordHash: "-" },
      { accountId: account.accountId, userAgent: null },
    );
    return `parley_session=${session.token}`;
  });
});

async function record(dedupeKey: string, accountId = account.accountId): Promise<void> {
  await asSystem(fixture.database.dataSource, accountId, (tx) =>
    recordNotification(tx, {
      kind: "delivery_discarded",
      params: {
        subscription_name: "CRM",
        event_type: "contact.created",
        attempts: 6,
        last_status_code: 500,
      },
      dedupeKey,
      groupKey: "discarded:1",
      deliveryId: 1,
      subscriptionId: 1,
    }),
  );
}

const list = async (query = "", cookie = account.cookie) =>
  await fixture.api.call("GET", `/dashboard/api/notifications${query}`, { cookie });
const read = async (ids: unknown, cookie = account.cookie) =>
  await fixture.api.call("POST", "/dashboard/api/notifications/read", { cookie, body: { ids } });
const figures = async (cookie = account.cookie) => {
  const { meta } = (await list("", cookie)).json;
  return [meta.total, meta.unread];
};

test("a notification is told once however often it is recorded, newest first, in words", async () => {
  await Promise.all(["a", "a", "a"].map((key) => record(key)));
  await record("b");
  const answer = await list();
  expect(answer.json.meta).toStrictEqual({
    total: 2,
    total_at_least: false,
    limit: 50,
    next: null,
    unread: 2,
  });
  const [first, second] = answer.json.data;
  expect(first.id).toBeGreaterThan(second.id);
  expect(first).toStrictEqual({
    id: expect.any(Number),
    kind: "delivery_discarded",
    delivery_id: 1,
    subscription_id: 1,
    conversation_id: null,
    appointment_id: null,
    title: expect.stringContaining("CRM"),
    body: expect.stringMatching(/6 attempts/),
    params: expect.objectContaining({ subscription_name: "CRM" }),
    contact_id: null,
    contact_name: null,
    group_key: "discarded:1",
    read_at: null,
    created_at: expect.any(String),
  });
});

test("one person's reading is not another's", async () => {
  await record("a");
  await record("b");
  const [newest] = (await list()).json.data;
  const one = await fixture.api.call("POST", `/dashboard/api/notifications/${newest.id}/read`, {
    cookie: account.cookie,
  });
  expect(one.json).toStrictEqual({ success: true, data: { unread: 1 } });
  expect([await figures(), await figures(colleague)]).toEqual([
    [2, 1],
    [2, 2],
  ]);
  const unread = await list("?unread=true");
  expect([unread.json.data.length, unread.json.meta.total]).toEqual([1, 1]);
  expect((await list()).json.data[0].read_at).toEqual(expect.any(String));
  expect((await read("all", colleague)).json.data).toEqual({ unread: 0 });
  expect([await figures(), await figures(colleague)]).toEqual([
    [2, 1],
    [2, 0],
  ]);
});

test("marking twice is marking once; all means all that are there", async () => {
  for (const key of ["a", "b", "c"]) await record(key);
  const ids = ((await list()).json.data as { id: number }[]).map(({ id }) => id);
  expect((await read([ids[0], ids[0], ids[1]])).json.data).toEqual({ unread: 1 });
  const at = (await list()).json.data[0].read_at;
  expect((await read(ids)).json.data).toEqual({ unread: 0 });
  expect((await list()).json.data[0].read_at).toBe(at);
  await record("d");
  expect(await figures()).toEqual([4, 1]);
  expect((await read("all")).json.data).toEqual({ unread: 0 });
});

test("another account's notification is unknown, and then nothing is marked", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  await record("theirs", other.accountId);
  await record("mine");
  const [theirs] = (await list("", other.cookie)).json.data;
  const [mine] = (await list()).json.data;
  expect((await list()).json.meta.total).toBe(1);
  const refused = await read([mine.id, theirs.id]);
  expect([refused.status, refused.json.error.code]).toEqual([404, "notification_not_found"]);
  expect(await figures()).toEqual([1, 1]);
  expect(await figures(other.cookie)).toEqual([1, 1]);
});

test.each([
  [[]],
  [["1"]],
  [[0]],
  ["some"],
  [Array.from({ length: 501 }, (_, index) => index + 1)],
  [null],
])("marking %j is 400", async (ids) => {
  expect((await read(ids)).status).toBe(400);
});

test("unread takes true and false alone", async () => {
  for (const query of ["?unread=1", "?unread=", "?unread=true&unread=true"]) {
    expect((await list(query)).status).toBe(400);
  }
});

test("however many notifications there are, all are marked as read, and the count has a cap", async () => {
  const many = await createTestAccount(fixture.database.dataSource);
  await fixture.query(
    `INSERT INTO notifications (account_id, kind, params, dedupe_key, group_key)
     SELECT ?, 'delivery_discarded', '{}', CONCAT('k', a.i, '-', b.i), CONCAT('g', b.i % 7) FROM
       (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250) SELECT i FROM n) a,
       (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n) b`,
    [many.accountId],
  );
  const { cookie } = many;
  const list = async () =>
    (await fixture.api.call("GET", "/dashboard/api/notifications?limit=1", { cookie })).json.meta;
  expect(await list()).toMatchObject({ total: 10_000, total_at_least: true, unread: 10_000 });
  const marked = await fixture.api.call("POST", "/dashboard/api/notifications/read", {
    cookie,
    body: { ids: "all" },
  });
  expect([marked.status, marked.json.data]).toEqual([200, { unread: 0 }]);
  const [reads] = await fixture.query<{ n: string }>(
    "SELECT COUNT(*) AS n FROM notification_reads WHERE user_id = ?",
    [many.userId],
  );
  expect(Number(reads?.n)).toBe(25_000);
});
