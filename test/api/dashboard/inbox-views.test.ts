import { expect, test } from "vitest";
import {
  comparePlaces,
  inboxOrders,
  inboxViews,
  isInView,
  parseQueueCursor,
  placeInView,
  presentQueueCursor,
  type InboxView,
} from "../../../core/model/inbox-queue.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startInboxFixture } from "./inbox-fixture.ts";

const fixture = useFixture(startInboxFixture);
const minuteMs = 60_000;

function at(minutes: number): Date {
  return new Date(Math.floor(Date.now() / minuteMs) * minuteMs + minutes * minuteMs);
}

/** Conversations in every state of the queue, in this order of ids. */
async function fill(account: TestAccount): Promise<number[]> {
  const ids: number[] = [];
  for (const status of ["active", "waiting", "handed_off", "resolved"]) {
    for (const waits of [null, at(-30), at(-90)]) {
      for (const snoozed of status === "resolved" ? [null] : [null, at(-5), at(60), at(30)]) {
        for (const assignee of [null, account.userId, 999_999]) {
          const { id } = await fixture.write(account);
          ids.push(id);
          await fixture.set(id, {
            status,
            customer_waits_since: waits,
            snoozed_until: snoozed,
            assigned_to_user_id: assignee,
            sort_at: at(-100 + ((id * 7) % 50)),
          });
        }
      }
    }
  }
  return ids;
}

/** Every page of a view, followed by key. */
async function walk(account: TestAccount, query: string, limit: number): Promise<number[]> {
  const ids: number[] = [];
  for (let next: string | null = ""; next !== null;) {
    const from: string = next === "" ? "" : `&cursor=${next}`;
    const path = `/conversations?${query}&limit=${limit}${from}`;
    const { status, json } = await fixture.call(account, "GET", path);
    expect(status).toBe(200);
    ids.push(...json.data.map(({ id }: { id: number }) => id));
    next = json.meta.next;
  }
  return ids;
}

function by(...keys: ((row: Conversation) => number)[]) {
  return (one: Conversation, other: Conversation) => {
    for (const key of keys) if (key(one) !== key(other)) return key(one) - key(other);
    return 0;
  };
}

const newest = [(row: Conversation) => -row.sortAt.getTime(), (row: Conversation) => -row.id];
const longest = [
  (row: Conversation) => Number(row.customerWaitsSince),
  (row: Conversation) => row.sortAt.getTime(),
  (row: Conversation) => row.id,
];
const soonest = [(row: Conversation) => Number(row.snoozedUntil), (row: Conversation) => row.id];

function inOrder(view: InboxView, rows: Conversation[], now: Date): Conversation[] {
  const isSnoozed = (row: Conversation) => row.snoozedUntil !== null && row.snoozedUntil > now;
  const due = rows.filter((row) => !isSnoozed(row) && row.customerWaitsSince !== null);
  const quiet = rows.filter((row) => !isSnoozed(row) && row.customerWaitsSince === null);
  const snoozed = rows.filter(isSnoozed).toSorted(by(...soonest));
  if (view === "resolved" || view === "all") return rows.toSorted(by(...newest));
  if (view === "waiting") return [...snoozed, ...quiet.toSorted(by(...newest))];
  return [...due.toSorted(by(...longest)), ...quiet.toSorted(by(...newest)), ...snoozed];
}

test("each view lists what the model says is in it, in its order, on pages of any size", async () => {
  const account = await fixture.createAccount();
  await fill(account);
  const { dataSource } = fixture.database;
  const rows = await dataSource.manager.findBy(Conversation, { accountId: account.accountId });
  const { json } = await fixture.call(account, "GET", "/conversations/counts");
  for (const view of inboxViews) {
    const now = new Date();
    const looking = { now, userId: account.userId };
    const expected = inOrder(
      view,
      rows.filter((row) => isInView(view, row, looking)),
      now,
    );
    const ids = expected.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(5);
    for (const limit of [100, 7, 1])
      expect(await walk(account, `view=${view}`, limit)).toEqual(ids);
    expect(json.data.views[view]).toEqual({ total: ids.length, total_at_least: false });
    const byTime = expected.toSorted(by(...newest)).map(({ id }) => id);
    expect(await walk(account, `view=${view}&order=newest`, 10)).toEqual(byTime);
  }
});

test("a view goes with every filter of the inbox, and its total counts what passes", async () => {
  const { createAccount, write, call, set } = fixture;
  const account = await createAccount();
  const [ana, web, other] = [
    await write(account, { name: "Ana Torres", content: "A table" }),
    await write(account, { channel: "web", name: "Benito" }),
    await write(account, { name: "Carla" }),
  ];
  await set(web.id, { assigned_to_user_id: account.userId });
  await call(account, "POST", `/conversations/${other.id}/read`, {});
  const pipeline = await call(account, "POST", "/pipelines", {
    name: "Sales",
    stages: ["New", "Won"],
  });
  const [, won] = pipeline.json.data.stages;
  await call(account, "POST", `/conversations/${ana.id}/stage`, { stage_id: won.id });
  const row = await fixture.rowOf(account, ana.id);
  await call(account, "PUT", `/contacts/${row.contact_id}/tags`, { tags: ["VIP"] });
  const found = async (query: string) => {
    const { json } = await call(account, "GET", `/conversations?${query}`);
    expect(json.meta.total).toBe(json.data.length);
    return json.data.map(({ id }: { id: number }) => id);
  };
  for (const view of ["view=needs_answer&", ""]) {
    expect((await found(view)).toSorted()).toEqual([ana.id, web.id, other.id]);
    expect(await found(`${view}channel=web`)).toEqual([web.id]);
    expect(await found(`${view}assigned_to=me`)).toEqual([web.id]);
    expect(await found(`${view}stage_id=${won.id}`)).toEqual([ana.id]);
    expect(await found(`${view}tag=vip`)).toEqual([ana.id]);
    expect(await found(`${view}tag=vip&channel=web`)).toEqual([]);
    expect(await found(`${view}search=torres`)).toEqual([ana.id]);
    expect((await found(`${view}unread=true`)).toSorted()).toEqual([ana.id, web.id]);
  }
});

test("a row says who waits, whose it is, its stage, first tag and last message with its kind", async () => {
  const { createAccount, write, call, rowOf } = fixture;
  const account = await createAccount();
  const { id } = await write(account, {
    type: "image",
    content: null,
    media: { url: "https://x.example/a.png", mime_type: null },
  });
  const pipeline = await call(account, "POST", "/pipelines", { name: "Sales", stages: ["New"] });
  await call(account, "POST", `/conversations/${id}/stage`, {
    stage_id: pipeline.json.data.stages[0].id,
  });
  const { contact_id: contactId } = await rowOf(account, id);
  await call(account, "PUT", `/contacts/${contactId}/tags`, { tags: ["Zeta", "Alfa"] });
  const [row] = (await call(account, "GET", "/conversations?view=needs_answer")).json.data;
  expect(row).toMatchObject({
    id,
    channel: "whatsapp",
    unread_count: 1,
    assigned_to_user_id: null,
    customer_waits_since: row.last_message_at,
    snoozed_until: null,
    snoozed_by_user_id: null,
    spoke_last: "customer",
    stage: { pipeline_name: "Sales", stage_name: "New" },
    tag: "Zeta",
    last_message: { direction: "inbound", type: "image", preview: "[image]", sender_user_id: null },
  });
});

test("another account's conversations are in no view, count or order", async () => {
  const [one, other] = [await fixture.createAccount(), await fixture.createAccount()];
  const { id } = await fixture.write(one);
  const { json } = await fixture.call(other, "GET", "/conversations/counts");
  for (const view of inboxViews) {
    expect(json.data.views[view]).toEqual({ total: 0, total_at_least: false });
    expect(await fixture.idsOf(other, `view=${view}`)).toEqual([]);
  }
  expect((await fixture.call(other, "GET", `/conversations/${id}/next?view=all`)).status).toBe(404);
});

test("beyond a thousand a view says at least", async () => {
  const account = await fixture.createAccount();
  const { id } = await fixture.write(account);
  await fixture.query(
    `INSERT INTO conversations (account_id, contact_id, channel_account_id, channel, status, bot_enabled, sort_at, customer_waits_since)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
     SELECT account_id, contact_id, channel_account_id, channel, status, 1, sort_at, customer_waits_since FROM n, conversations WHERE id = ?`,
    [id],
  );
  const { json } = await fixture.call(account, "GET", "/conversations/counts");
  const atLeast = { total: 1_000, total_at_least: true };
  expect(json.data.views).toEqual({
    needs_answer: atLeast,
    mine: { total: 0, total_at_least: false },
    unassigned: atLeast,
    waiting: { total: 0, total_at_least: false },
    resolved: { total: 0, total_at_least: false },
    all: atLeast,
  });
  const { json: list } = await fixture.call(
    account,
    "GET",
    "/conversations?view=needs_answer&limit=5",
  );
  expect(list.meta).toMatchObject({ total: 1_000, total_at_least: true, limit: 5 });
});

test("after one is resolved, the next is the one that stood behind it, then the first again", async () => {
  const { createAccount, write, call } = fixture;
  const account = await createAccount();
  const ids: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    ids.push((await write(account)).id);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  const [first, second, third] = ids;
  const next = async (id: number | undefined, query = "view=needs_answer") =>
    (await call(account, "GET", `/conversations/${id}/next?${query}`)).json.data.id;
  expect(await next(first)).toBe(second);
  await call(account, "PATCH", `/conversations/${second}`, { status: "resolved" });
  expect(await next(second)).toBe(third);
  expect(await next(third)).toBe(first);
  await call(account, "PATCH", `/conversations/${third}`, { status: "resolved" });
  expect(await next(third)).toBe(first);
  expect(await next(first)).toBeNull();
  expect(await next(third, "view=all")).toBe(second);
  expect(await next(first, "view=resolved")).toBe(third);
  expect(await next(first, "view=needs_answer&channel=web")).toBeNull();
  expect(await next(second, "view=unassigned&order=newest")).toBe(first);
});

test.each([
  "view=open",
  "view=needs_answer&offset=50",
  "view=needs_answer&cursor=due_1",
  "view=needs_answer&cursor=quiet_1_2",
  "view=all&cursor=due_1_2_3",
  "view=needs_answer&order=oldest",
  "order=newest",
  "cursor=newest_1_2",
  ...["newest_999999999999999_1", "newest_253402300800000_1"].map(
    (cursor) => `view=all&cursor=${cursor}`,
  ),
  ...["due_999999999999999_1_1", "due_1_999999999999999_1", "quiet_999999999999999_1"].map(
    (cursor) => `view=unassigned&cursor=${cursor}`,
  ),
  "view=waiting&cursor=snoozed_999999999999999_1",
  "view=all&tag=",
  "view=all&stage_id=x",
])("a bad question about a view is answered 400 (%s)", async (query) => {
  const { status, json } = await fixture.call(fixture.account, "GET", `/conversations?${query}`);
  expect([status, json.error.code]).toEqual([400, "validation_error"]);
});

test("a cursor may name the last moment that MySQL stores, and any id", async () => {
  const path = "/conversations?view=all&cursor=newest_253402300799999_999999999999999";
  expect((await fixture.call(fixture.account, "GET", path)).status).toBe(200);
});

test("an agent reads views, counts and the next conversation", async () => {
  const agent = await fixture.createAccount({ role: "agent" });
  const { id } = await fixture.write(agent);
  for (const path of ["?view=needs_answer", "/counts", `/${id}/next?view=all`]) {
    expect((await fixture.call(agent, "GET", `/conversations${path}`)).status).toBe(200);
  }
});

const entityOf = async (id: number): Promise<Conversation> =>
  await fixture.database.dataSource.getRepository(Conversation).findOneByOrFail({ id });

test("the list is in the order of the model's positions, and the cursor is the last of them", async () => {
  const account = await fixture.createAccount();
  await fill(account);
  const now = new Date();
  for (const view of inboxViews) {
    for (const order of inboxOrders) {
      const query = `view=${view}&order=${order}&limit=10`;
      const { json } = await fixture.call(account, "GET", `/conversations?${query}`);
      const rows: Conversation[] = [];
      for (const { id } of json.data as { id: number }[]) rows.push(await entityOf(id));
      const places = rows.map((row) => placeInView(view, order, row, now));
      expect(places.length).toBeGreaterThan(2);
      expect(places.toSorted((one, other) => comparePlaces(view, one, other))).toEqual(places);
      if (json.meta.next === null) continue;
      const last = places.at(-1);
      expect(last && presentQueueCursor(last)).toBe(json.meta.next);
      expect(parseQueueCursor(json.meta.next)).toEqual(last);
    }
  }
});

test("the conversations of several contacts are listed, in the account alone", async () => {
  const account = await fixture.createAccount();
  const [one, two] = [await fixture.write(account), await fixture.write(account)];
  await fixture.write(account);
  const foreign = await fixture.write(await fixture.createAccount());
  const contactOf = async ({ id }: { id: number }) => (await entityOf(id)).contactId;
  const ids = await Promise.all([one, two, foreign].map(contactOf));
  const path = `/conversations?contact_ids=${ids.join(",")}`;
  const { json } = await fixture.call(account, "GET", path);
  expect(json.data.map(({ id }: { id: number }) => id)).toEqual([two.id, one.id]);
  const tooMany = Array.from({ length: 101 }, (_, index) => index + 1).join(",");
  for (const bad of ["", "1,", "x", "0", tooMany]) {
    const answer = await fixture.call(account, "GET", `/conversations?contact_ids=${bad}`);
    expect([bad, answer.status]).toEqual([bad, 400]);
  }
});

test("the next conversation keeps to a search, a state, and to those without an answer or unread", async () => {
  const account = await fixture.createAccount();
  const [first, second] = [await fixture.write(account), await fixture.write(account)];
  await fixture.set(second.id, { status: "handed_off", unread_count: 0 });
  const next = async (query: string) =>
    (await fixture.call(account, "GET", `/conversations/${first.id}/next?view=all&${query}`)).json
      .data.id;
  expect(await next("status=handed_off")).toBe(second.id);
  expect(await next("answered=false")).toBe(second.id);
  for (const query of ["answered=true", "status=active", "unread=true", "search=nobody-at-all"]) {
    expect([query, await next(query)]).toEqual([query, null]);
  }
});
