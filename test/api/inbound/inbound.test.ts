import { expect, test } from "vitest";
import { mergeContacts } from "../../../core/services/contact-lifecycle/contact-merge.ts";
import { replaceContactTags } from "../../../core/services/contacts/contact-tags.ts";
import { asSystem, createTestAccount } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { createTestEndpoint, eventsOf, refusal } from "./inbound-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
const phone = "5215512345678";

const contactsOf = async (accountId: number) =>
  await fixture.query<{ id: number; name: string | null; phone: string; email: string | null }>(
    "SELECT id, name, phone, email FROM contacts WHERE account_id = ? ORDER BY id",
    [accountId],
  );

test("contact.upsert creates, updates, and leaves alone what is so already", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const data = { phone: "+52 1 55 1234-5678", name: " Ana 👩‍🚀 " };
  const made = await endpoint.act("contact.upsert", data);
  const id = made.json.data?.contact_id;
  expect([made.status, made.json]).toStrictEqual([
    200,
    { success: true, data: { event: "contact.upsert", result: "created", contact_id: id } },
  ]);
  expect(made.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(made.headers.get("idempotent-replayed")).toBeNull();
  const again = await endpoint.act("contact.upsert", { ...data, email: "" });
  expect(again.json.data).toStrictEqual({ ...made.json.data, result: "unchanged" });
  const updated = await endpoint.act("contact.upsert", { phone, email: "ANA@example.com " });
  expect(updated.json.data).toStrictEqual({ ...made.json.data, result: "updated" });
  const { accountId } = endpoint.account;
  expect(await contactsOf(accountId)).toEqual([
    { id, name: "Ana 👩‍🚀", phone, email: "ana@example.com" },
  ]);
  expect(await eventsOf(fixture, accountId)).toEqual(["contact.created", "contact.updated"]);
});

test("events of an inbound call say that they come from the API", async () => {
  const endpoint = await createTestEndpoint(fixture);
  await endpoint.act("contact.upsert", { email: "ana@example.com" });
  const rows = await fixture.query<{ body: Buffer }>(
    "SELECT body FROM events WHERE account_id = ?",
    [endpoint.account.accountId],
  );
  expect(rows.map(({ body }) => JSON.parse(body.toString("utf8")).data.source)).toEqual(["api"]);
  const [contact] = await fixture.query("SELECT source FROM contacts WHERE account_id = ?", [
    endpoint.account.accountId,
  ]);
  expect(contact).toEqual({ source: "api" });
});

test("tags are added and removed by phone, in any case and national variant", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const { contact_id } = (await endpoint.act("contact.upsert", { phone })).json.data;
  const steps: [string, string, string, string][] = [
    ["contact.tag.add", phone, "VIP", "updated"],
    ["contact.tag.add", "52 55 1234 5678", " vip ", "unchanged"],
    ["contact.tag.add", phone, "café", "updated"],
    ["contact.tag.remove", phone, "cafe", "unchanged"],
    ["contact.tag.remove", phone, "vIP", "updated"],
    ["contact.tag.remove", phone, "vip", "unchanged"],
  ];
  for (const [event, given, tag, result] of steps) {
    const answer = await endpoint.act(event, { phone: given, tag });
    expect([tag, answer.json.data]).toStrictEqual([tag, { event, result, contact_id }]);
  }
  const tags = await fixture.query("SELECT tag FROM contact_tags WHERE contact_id = ?", [
    contact_id,
  ]);
  expect(tags).toEqual([{ tag: "café" }]);
  const [first, ...updates] = await eventsOf(fixture, endpoint.account.accountId);
  expect([first, updates]).toEqual(["contact.created", Array(3).fill("contact.updated")]);
});

test.each([
  ["contact.tag.add", "updated"],
  ["contact.tag.remove", "unchanged"],
])("%s during the merge of its contact is about the winner", async (event, result) => {
  const endpoint = await createTestEndpoint(fixture);
  const upsert = async (data: object) => (await endpoint.act("contact.upsert", data)).json.data;
  const { contact_id: loserId } = await upsert({ phone });
  const { contact_id } = await upsert({ email: "ana@example.com" });
  const { dataSource } = fixture.database;
  // In an object: what a transaction answers is waited for before it commits.
  const { answer } = await asSystem(dataSource, endpoint.account.accountId, async (tx) => {
    await mergeContacts(tx, loserId, contact_id);
    const waiting = endpoint.act(event, { phone, tag: "vip" });
    await eventually(async () => {
      const waits = await fixture.query(
        `SELECT 1 FROM information_schema.processlist WHERE db = DATABASE()
            AND info LIKE '%FROM contacts%FOR UPDATE' AND id <> CONNECTION_ID()`,
      );
      expect(waits).toHaveLength(1);
    });
    return { answer: waiting };
  });
  expect((await answer).json).toEqual({ success: true, data: { event, result, contact_id } });
});

test("a tag beyond 100 is refused under the name that the caller sent", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const { contact_id } = (await endpoint.act("contact.upsert", { phone })).json.data;
  const tags = Array.from({ length: 100 }, (_, index) => `t${index}`);
  await asSystem(fixture.database.dataSource, endpoint.account.accountId, (tx) =>
    replaceContactTags(tx, contact_id, tags),
  );
  const refused = await endpoint.act("contact.tag.add", { phone, tag: "vip" });
  expect([refused.status, refused.json.error.details]).toEqual([
    400,
    [{ path: "body.data.tag", code: "too_many_tags", message: expect.any(String) }],
  ]);
});

test("a contact of another account is out of reach", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const other = await createTestEndpoint(fixture);
  await other.act("contact.upsert", { phone, email: "ana@example.com" });
  const refused = await endpoint.act("contact.tag.add", { phone, tag: "vip" });
  expect(refusal(refused)).toEqual([404, "contact_not_found"]);
  const own = await endpoint.act("contact.upsert", { phone, email: "ana@example.com" });
  expect(own.json.data.result).toBe("created");
  expect(await contactsOf(endpoint.account.accountId)).toHaveLength(1);
  expect(await contactsOf(other.account.accountId)).toHaveLength(1);
});

test("phone and email of two contacts are 409 and nothing is written", async () => {
  const endpoint = await createTestEndpoint(fixture);
  await endpoint.act("contact.upsert", { phone });
  await endpoint.act("contact.upsert", { email: "b@example.com" });
  const before = await contactsOf(endpoint.account.accountId);
  const refused = await endpoint.act("contact.upsert", { phone, email: "b@example.com" });
  expect(refusal(refused)).toEqual([409, "contact_conflict"]);
  expect(await contactsOf(endpoint.account.accountId)).toEqual(before);
});

test.each(["x-service-event-id", "webhook-id"])(
  "a repeated %s reads the first answer, and nothing happens a second time",
  async (name) => {
    const endpoint = await createTestEndpoint(fixture);
    const headers = { [name]: "evt-1" };
    const data = { phone, name: "Ana" };
    const first = await endpoint.act("contact.upsert", data, headers);
    await endpoint.act("contact.upsert", { phone, name: "Eva" });
    const repeated = await endpoint.act("contact.upsert", data, headers);
    expect([repeated.status, repeated.text]).toEqual([200, first.text]);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(repeated.headers.get("idempotent-replayed")).toBe("true");
    const { accountId } = endpoint.account;
    expect(await contactsOf(accountId)).toMatchObject([{ name: "Eva" }]);
    expect(await eventsOf(fixture, accountId)).toEqual(["contact.created", "contact.updated"]);
  },
);

test("the same id with another body is 422, also when it only differs in a space", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const headers = { "x-service-event-id": "evt-1" };
  const body = JSON.stringify({ event: "contact.upsert", data: { phone } });
  await endpoint.send(body, headers);
  for (const other of [`${body} `, body.replace("5678", "5679")]) {
    const refused = await endpoint.send(other, headers);
    expect(refusal(refused)).toEqual([422, "idempotency_key_reused"]);
  }
  expect(await contactsOf(endpoint.account.accountId)).toHaveLength(1);
});

test("twenty parallel repeats have one effect; each reads that answer or that it is under way", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const call = () =>
    endpoint.act("contact.upsert", { phone, name: "Ana" }, { "x-service-event-id": "evt-1" });
  const answers = await Promise.all(Array.from({ length: 20 }, call));
  const done = answers.filter(({ status }) => status === 200);
  expect(done.length).toBeGreaterThanOrEqual(1);
  for (const { json } of done) expect(json.data.result).toBe("created");
  const fresh = done.filter(({ headers }) => headers.get("idempotent-replayed") === null);
  expect(fresh).toHaveLength(1);
  for (const other of answers.filter(({ status }) => status !== 200))
    expect(refusal(other)).toEqual([409, "idempotency_in_progress"]);
  expect(await eventsOf(fixture, endpoint.account.accountId)).toEqual(["contact.created"]);
  expect((await call()).headers.get("idempotent-replayed")).toBe("true");
});

test("a call whose lease is not over is 409, one that died is taken over", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const call = () => endpoint.act("contact.upsert", { phone }, { "x-service-event-id": "evt-1" });
  await call();
  const leave = async (lease: string) =>
    await fixture.query(
      `UPDATE inbound_events SET result = NULL, contact_id = NULL, lease_until = UTC_TIMESTAMP(3) + INTERVAL ${lease} SECOND WHERE endpoint_id = ?`,
      [endpoint.id],
    );
  await leave("30");
  expect(refusal(await call())).toEqual([409, "idempotency_in_progress"]);
  await leave("-1");
  expect((await call()).json.data.result).toBe("unchanged");
});

test("an id is remembered for 24 hours", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const send = (name: string) =>
    endpoint.act("contact.upsert", { phone, name }, { "x-service-event-id": "evt-1" });
  await send("Ana");
  const age = async (hours: string) =>
    await fixture.query(
      `UPDATE inbound_events SET created_at = UTC_TIMESTAMP(3) - INTERVAL ${hours} HOUR_MINUTE WHERE endpoint_id = ?`,
      [endpoint.id],
    );
  await age("'23:59'");
  expect((await send("Eva")).status).toBe(422);
  await age("'24:01'");
  expect((await send("Eva")).json.data.result).toBe("updated");
});

test("two endpoints know nothing of each other's ids, not even in one account", async () => {
  const first = await createTestEndpoint(fixture);
  const second = await createTestEndpoint(fixture, { account: first.account });
  const headers = { "x-service-event-id": "evt-1" };
  expect((await first.act("contact.upsert", { phone }, headers)).json.data.result).toBe("created");
  const other = await second.act("contact.upsert", { phone, name: "Ana" }, headers);
  expect([other.status, other.json.data.result]).toEqual([200, "updated"]);
});

test("a refusal is not kept: the same call succeeds once it can", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const tag = () =>
    endpoint.act("contact.tag.add", { phone, tag: "vip" }, { "x-service-event-id": "evt-tag" });
  expect(refusal(await tag())).toEqual([404, "contact_not_found"]);
  await endpoint.act("contact.upsert", { phone });
  const done = await tag();
  expect([done.status, done.json.data.result]).toEqual([200, "updated"]);
  expect((await tag()).headers.get("idempotent-replayed")).toBe("true");
});

test.each(["", "a b", "é", "x".repeat(256)])("the event id %j is refused", async (id) => {
  const endpoint = await createTestEndpoint(fixture);
  const refused = await endpoint.act("contact.upsert", { phone }, { "x-service-event-id": id });
  expect([refused.status, refused.json.error.details]).toEqual([
    400,
    [
      {
        path: "headers.x-service-event-id",
        code: "invalid_event_id",
        message: "Use 1 to 255 visible ASCII characters.",
      },
    ],
  ]);
  expect(await contactsOf(endpoint.account.accountId)).toEqual([]);
});

test("fifty parallel upserts of one phone make one contact and one event", async () => {
  const endpoint = await createTestEndpoint(fixture);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => endpoint.act("contact.upsert", { phone })),
  );
  const results = answers.map(({ json }) => String(json.data.result)).toSorted();
  expect(results).toEqual(["created", ...Array(49).fill("unchanged")]);
  expect(await eventsOf(fixture, endpoint.account.accountId)).toEqual(["contact.created"]);
});

test("a subscription of the account is sent what an inbound call changed", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  const endpoint = await createTestEndpoint(fixture, { account });
  await fixture.api.call("POST", "/dashboard/api/subscriptions", {
    cookie: account.cookie,
    body: { url: "http://127.0.0.1:9/hook", events: ["contact.*"] },
  });
  await endpoint.act("contact.upsert", { phone });
  const deliveries = await fixture.api.call("GET", "/dashboard/api/deliveries", {
    cookie: account.cookie,
  });
  expect(deliveries.json.data).toMatchObject([{ event_type: "contact.created", state: "queued" }]);
});
