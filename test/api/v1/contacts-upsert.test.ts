import { beforeAll, expect, test } from "vitest";
import { createTestSubscription } from "../../support/accounts.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);

beforeAll(async () => {
  const { accountId } = fixture.account;
  await createTestSubscription(fixture.database.dataSource, accountId, {
    url: "http://127.0.0.1:9/",
  });
});

const upsert = async (body: object) =>
  await fixture.api.call("POST", "/api/v1/contacts", { apiKey: fixture.account.apiKey, body });
const patch = async (id: number, body: object) =>
  await fixture.api.call("PATCH", `/api/v1/contacts/${id}`, {
    apiKey: fixture.account.apiKey,
    body,
  });

const written = async () => await fixture.count("contacts", "events", "deliveries", "outbox");

/** The envelope of the newest event. */
async function lastEvent(): Promise<{ event_type: string; data: Record<string, unknown> }> {
  const [row] = await fixture.query<{ body: Buffer }>(
    "SELECT body FROM events ORDER BY id DESC LIMIT 1",
  );
  return JSON.parse(String(row?.body));
}

/** Runs `work` and tells how many rows it added. */
async function added(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await written();
  await work();
  const after = await written();
  return Object.fromEntries(
    Object.entries(after).map(([table, count]) => [table, count - (before[table] ?? 0)]),
  );
}

const nothing = { contacts: 0, events: 0, deliveries: 0, outbox: 0 };
const oneChange = { contacts: 0, events: 1, deliveries: 1, outbox: 1 };

test("a new contact makes one row, one event, one delivery and one outbox row", async () => {
  expect(await added(() => upsert({ phone: "34600000001", name: "New" }))).toEqual({
    contacts: 1,
    events: 1,
    deliveries: 1,
    outbox: 1,
  });
  const event = await lastEvent();
  expect(event.event_type).toBe("contact.created");
  expect(Object.keys(event)).toEqual(["event_id", "event_type", "occurred_at", "data"]);
  expect(event.data).toStrictEqual({
    contact_id: expect.any(Number),
    name: "New",
    phone: "34600000001",
    email: null,
    channel: null,
    instagram_id: null,
    facebook_id: null,
    tags: [],
    created_at: expect.any(String),
    updated_at: expect.any(String),
    source: "api",
    conversation_id: null,
    whatsapp_id: null,
  });
});

test("the phone decides, then the email", async () => {
  const made = await upsert({ phone: "34600000010", email: "decide@x.co", name: "One" });
  const { id } = made.json.data;
  const byPhone = await upsert({ phone: "34600000010", email: "changed@x.co" });
  expect([byPhone.status, byPhone.json.data.id, byPhone.json.data.email]).toEqual([
    200,
    id,
    "changed@x.co",
  ]);
  const byEmail = await upsert({ email: "CHANGED@x.co", name: "Two" });
  expect([byEmail.status, byEmail.json.data.id, byEmail.json.data.name]).toEqual([200, id, "Two"]);
});

test("an email whose contact has another phone overwrites the phone", async () => {
  const made = await upsert({ phone: "34600000020", email: "moves@x.co" });
  const moved = await upsert({ phone: "34600000021", email: "moves@x.co" });
  expect([moved.status, moved.json.data.id, moved.json.data.phone]).toEqual([
    200,
    made.json.data.id,
    "34600000021",
  ]);
  expect((await lastEvent()).data).toMatchObject({
    changed_fields: ["phone"],
    previous_values: { phone: "34600000020" },
  });
});

test("phone of one and email of another is 409 and nothing is written", async () => {
  const one = await upsert({ phone: "34600000030" });
  const two = await upsert({ email: "thirty@x.co" });
  let answer;
  const rows = await added(async () => {
    answer = await upsert({ phone: "34600000030", email: "thirty@x.co", name: "Both" });
  });
  expect(rows).toEqual(nothing);
  expect(answer).toMatchObject({
    status: 409,
    json: {
      success: false,
      error: {
        code: "contact_conflict",
        message: "The phone or email belongs to another contact. Nothing was changed.",
        details: { phone_contact_id: one.json.data.id, email_contact_id: two.json.data.id },
      },
    },
  });
  for (const body of [{ email: "thirty@x.co" }, { email: "thirty@x.co", name: "x" }]) {
    const patched = await patch(one.json.data.id, body);
    expect([patched.status, patched.json.error.details]).toEqual([
      409,
      { contact_id: two.json.data.id },
    ]);
  }
  const phone = await patch(two.json.data.id, { phone: "+34 600 000 030" });
  expect(phone.status).toBe(409);
});

test.each([
  ["the same again", { phone: "34600000040", email: "forty@x.co", name: "Forty" }],
  ["empty texts", { phone: "34600000040", email: "", name: "" }],
  ["blank name", { phone: "34600000040", name: "  " }],
  ["the email in capitals", { email: "FORTY@X.CO", name: " Forty " }],
])("an upsert of %s answers 200 and writes nothing at all", async (_, body) => {
  const made = await upsert({ phone: "34600000040", email: "forty@x.co", name: "Forty" });
  let answer;
  expect(await added(async () => (answer = await upsert(body)))).toEqual(nothing);
  expect(answer).toMatchObject({ status: 200, json: { data: made.json.data } });
});

test("a PATCH of nothing new, or of nothing, writes nothing at all", async () => {
  const made = await upsert({ phone: "34600000050", name: "Fifty" });
  const { id } = made.json.data;
  for (const body of [{}, { name: "Fifty" }, { phone: "0034600000050" }, { email: null }]) {
    let answer;
    expect(await added(async () => (answer = await patch(id, body)))).toEqual(nothing);
    expect(answer).toMatchObject({ status: 200, json: { data: made.json.data } });
  }
});

test("PATCH null clears a field, but never the last identifier", async () => {
  const made = await upsert({ phone: "34600000060", email: "sixty@x.co", name: "Sixty" });
  const { id } = made.json.data;
  expect(await added(() => patch(id, { name: null }))).toEqual(oneChange);
  expect((await lastEvent()).data).toMatchObject({
    name: "34600000060",
    changed_fields: ["name"],
    previous_values: { name: "Sixty" },
  });
  expect((await patch(id, { phone: null })).json.data).toMatchObject({
    phone: null,
    email: "sixty@x.co",
  });
  let refused;
  expect(await added(async () => (refused = await patch(id, { email: null, name: "X" })))).toEqual(
    nothing,
  );
  expect(refused).toMatchObject({
    status: 422,
    json: { error: { code: "contact_needs_identifier" } },
  });
  const swapped = await patch(id, { email: null, phone: "34600000061" });
  expect(swapped.json.data).toMatchObject({ phone: "34600000061", email: null });
  const again = await upsert({ phone: "34600000060" });
  expect(again.status).toBe(201);
});

test("a channel identity is an identifier too", async () => {
  const made = await upsert({ email: "identity@x.co" });
  const { id } = made.json.data;
  await fixture.query(
    "INSERT INTO contact_identities SET account_id = ?, contact_id = ?, channel_account_id = 1, channel = 'facebook', external_id = 'fb-1'",
    [fixture.account.accountId, id],
  );
  expect((await patch(id, { email: null })).status).toBe(200);
});

test.each([
  ["5215511112222", "525511112222", "Mexico's 1 after 52"],
  ["5491144445555", "541144445555", "Argentina's 9 after 54"],
  ["5511987654321", "551187654321", "Brazil's ninth digit"],
])("%s and %s are one contact (%s), and only PATCH changes its digits", async (first, second) => {
  const made = await upsert({ phone: first });
  let again;
  expect(await added(async () => (again = await upsert({ phone: second })))).toEqual(nothing);
  expect(again).toMatchObject({
    status: 200,
    json: { data: { id: made.json.data.id, phone: first } },
  });
  const patched = await patch(made.json.data.id, { phone: second, name: "Variant" });
  expect(patched.json.data).toMatchObject({ phone: second, name: "Variant" });
  expect((await lastEvent()).data["changed_fields"]).toEqual(["name", "phone"]);
});

test("a Brazilian landline is not a mobile without its ninth digit", async () => {
  const mobile = await upsert({ phone: "5511932165487" });
  const landline = await upsert({ phone: "551132165487" });
  expect([mobile.status, landline.status]).toEqual([201, 201]);
});

test("emails that differ in an accent are two, text of any script is kept as it is", async () => {
  const odd = "Ñ 日本 👩‍👩‍👧 \u202eRTL\u2028 <script>alert(1)</script>";
  const made = await upsert({ email: "script@x.co", name: odd });
  expect(made.json.data.name).toBe(odd);
  const read = await fixture.api.call("GET", `/api/v1/contacts/${Number(made.json.data.id)}`, {
    apiKey: fixture.account.apiKey,
  });
  expect(read.json.data.name).toBe(odd);
  expect((await lastEvent()).data["name"]).toBe(odd);
});

test("a lone surrogate in a name is stored, answered and compared as the replacement character", async () => {
  const body = { email: "lone@x.co", name: "a\ud800b" };
  const made = await upsert(body);
  expect(made.json.data.name).toBe("a\ufffdb");
  expect(await added(() => upsert(body))).toEqual(nothing);
});

test("50 parallel upserts of one phone make one contact, one 201 and one contact.created", async () => {
  const phone = "34611111111";
  let statuses: number[] = [];
  const rows = await added(async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => upsert({ phone, name: "Fifty" })),
    );
    statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
  expect(statuses).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
  expect(rows).toEqual({ contacts: 1, events: 1, deliveries: 1, outbox: 1 });
});

test("parallel upserts by phone and by email of one new contact make one", async () => {
  const both = { phone: "34622222222", email: "race@x.co" };
  const bodies = Array.from({ length: 30 }, (_, index) =>
    index % 3 === 0 ? both : index % 3 === 1 ? { ...both, phone: "0034622222222" } : both,
  );
  const rows = await added(async () => {
    const answers = await Promise.all(bodies.map(upsert));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(29);
  });
  expect(rows).toEqual({ contacts: 1, events: 1, deliveries: 1, outbox: 1 });
});

test("20 parallel PATCHes of different fields all take effect", async () => {
  const made = await upsert({ phone: "34633333333", email: "before@x.co", name: "before" });
  const { id } = made.json.data;
  const bodies = [{ name: "after" }, { email: "after@x.co" }, { phone: "34633333334" }];
  const changes = await added(async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => patch(id, bodies[index % 3] ?? {})),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
  expect(changes).toEqual({ contacts: 0, events: 3, deliveries: 3, outbox: 3 });
  const [row] = await fixture.query(
    "SELECT name, email, phone, phone_key, version FROM contacts WHERE id = ?",
    [id],
  );
  expect(row).toEqual({
    name: "after",
    email: "after@x.co",
    phone: "34633333334",
    phone_key: "34633333334",
    version: 4,
  });
});

test("two contacts that swap phones at once end in one order, never in an error of ours", async () => {
  const one = (await upsert({ phone: "34644444441", email: "s1@x.co" })).json.data;
  const two = (await upsert({ phone: "34644444442", email: "s2@x.co" })).json.data;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? patch(one.id, { phone: two.phone }) : patch(two.id, { phone: one.phone }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([409]));
  const mixed = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? upsert({ phone: one.phone, email: "s2@x.co" })
        : upsert({ phone: two.phone, email: "s1@x.co" }),
    ),
  );
  expect(new Set(mixed.map(({ status }) => status))).toEqual(new Set([409]));
});
