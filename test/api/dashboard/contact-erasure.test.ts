import { expect, test } from "vitest";
import { phoneKey } from "../../../core/model/contact.ts";
import { eventCatalogue } from "../../../core/model/events.ts";
import type { EraseContactInput } from "../../../core/model/erasure.ts";
import { createTestAccount } from "../../support/accounts.ts";
import {
  attempt,
  commandOf,
  echo,
  findRows,
  startErasureFixture,
  sweep,
  type Life,
} from "./erasure-fixture.ts";
import { createTestEndpoint } from "../inbound/inbound-fixture.ts";
import { insertRow } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startErasureFixture);

test("nothing that is kept of an erased contact names it, in any table, and counts stay", async () => {
  const canary = await fixture.makeLife("kanarien");
  const bystander = await fixture.makeLife("mirlo");
  const words = ["kanarien", String(canary.contact.phone).slice(-10)];
  for (const status of [200, 500]) {
    echo(fixture.sink, status);
    const queued = (await fixture.deliveriesOf(canary.contactId)).filter(
      ({ state }) => state === "queued",
    );
    for (const { id } of queued.slice(0, 3)) await attempt(fixture, id);
  }
  const [other] = await fixture.deliveriesOf(bystander.contactId);
  await attempt(fixture, other?.id ?? 0);
  const tables = new Set((await findRows(fixture, words)).map((row) => row.split(":")[0]));
  expect([...tables]).toEqual([
    "agent_cases",
    "agent_conversations",
    "agent_drafts",
    "agent_ratings",
    "agent_steps",
    "agent_tool_calls",
    "appointments",
    "channel_items",
    "channel_webhooks",
    "contact_identities",
    "contact_tags",
    "contacts",
    "conversation_notes",
    "conversations",
    "delivery_attempts",
    "events",
    "idempotency_keys",
    "inbound_requests",
    "knowledge_gaps",
    "message_media",
    "message_provider_ids",
    "message_reactions",
    "messages",
  ]);
  const before = await fixture.countByState(canary.contactId);
  expect(before).toMatchObject({ delivered: 3, waiting: 3 });
  const untouched = await findRows(fixture, ["mirlo"]);
  const counted = await fixture.count(
    "deliveries",
    "delivery_attempts",
    "events",
    "inbound_requests",
  );

  const erased = await fixture.panel("DELETE", `/contacts/${canary.contactId}`);
  expect([erased.status, erased.json.data]).toEqual([200, { id: canary.contactId }]);
  const open = (before["queued"] ?? 0) + (before["waiting"] ?? 0) + (before["held"] ?? 0);
  const { delivered, skipped } = before;
  expect(await fixture.countByState(canary.contactId)).toEqual({
    delivered,
    skipped,
    cancelled: open,
  });
  const gone = (await findRows(fixture, words)).map((row) => row.split(":")[0]);
  expect(gone).not.toContain("contacts");

  await sweep(fixture, canary.contactId);
  expect(await findRows(fixture, words)).toEqual([]);
  expect(await fixture.countByState(canary.contactId)).toEqual({
    delivered,
    skipped,
    cancelled: open,
  });
  expect(
    await fixture.count("deliveries", "delivery_attempts", "events", "inbound_requests"),
  ).toEqual(counted);
  expect(await findRows(fixture, ["mirlo"])).toEqual(untouched);
  expect(await sweep(fixture, canary.contactId)).toEqual([0]);

  const [first] = await fixture.deliveriesOf(canary.contactId);
  const log = await fixture.panel("GET", `/deliveries/${first?.id}`);
  expect(log.json.data).toMatchObject({
    event: null,
    state: "delivered",
    attempts: [
      { status_code: 200, response_excerpt: null, response_headers: null, number: 1, posts: 1 },
    ],
  });
  expect(log.json.data.attempts[0].request_headers).toHaveProperty("X-Service-Signature");
});

test("an erased contact is unknown with its conversations, and its phone makes a new one", async () => {
  const life = await fixture.makeLife("cuervo");
  const { contactId, conversationId, contact } = life;
  await fixture.panel("DELETE", `/contacts/${contactId}`);
  const { apiKey } = fixture.account;
  const read = async (path: string) =>
    (await fixture.api.call("GET", `/api/v1${path}`, { apiKey })).status;
  expect(await read(`/contacts/${contactId}`)).toBe(404);
  expect(await read(`/conversations/${conversationId}`)).toBe(404);
  expect(await read(`/conversations/${conversationId}/messages`)).toBe(404);
  const tries = [
    await fixture.panel("DELETE", `/contacts/${contactId}`),
    await fixture.panel("PATCH", `/contacts/${contactId}`, { name: "Back" }),
    await fixture.panel("PUT", `/contacts/${contactId}/tags`, { tags: ["a"] }),
  ];
  expect(tries.map(({ json }) => json.error.code)).toEqual(Array(3).fill("contact_not_found"));
  const message = await fixture.rest("POST", `/conversations/${conversationId}/messages`, {
    content: "x",
  });
  expect(message.status).toBe(404);

  const anew = await fixture.rest("POST", "/contacts", contact);
  expect(anew.status).toBe(201);
  expect(anew.json.data.id).toBeGreaterThan(contactId);
  await sweep(fixture, contactId);
  expect(await read(`/contacts/${anew.json.data.id}`)).toBe(200);
  expect(await fixture.countByState(anew.json.data.id)).toEqual({ queued: 1, held: 1, skipped: 1 });
});

test("only an admin of the contact's own account erases it, and the audit log names nobody", async () => {
  const { contactId } = await fixture.makeLife("lechuza");
  const { dataSource } = fixture.database;
  const agent = await createTestAccount(dataSource, { role: "agent" });
  const foreign = await createTestAccount(dataSource);
  const erase = async (cookie: string) =>
    (await fixture.api.call("DELETE", `/dashboard/api/contacts/${contactId}`, { cookie })).status;
  expect([await erase(agent.cookie), await erase(foreign.cookie)]).toEqual([403, 404]);
  expect(await erase(fixture.account.cookie)).toBe(200);
  const audit = await fixture.query(
    "SELECT actor_type, actor_id, action, target_type, target_id, details FROM audit_log WHERE action = 'contact.erased' AND target_id = ?",
    [contactId],
  );
  expect(audit).toEqual([
    {
      actor_type: "user",
      actor_id: fixture.account.userId,
      action: "contact.erased",
      target_type: "contact",
      target_id: contactId,
      details: { conversations: 1, merged_contacts: 0 },
    },
  ]);
});

test("the workflow is told ids alone, live views to look again, a handoff that it is over", async () => {
  const { accountId, contactId, conversationId } = await fixture.makeLife("gorrion");
  await fixture.query("DELETE FROM changes");
  await fixture.panel("DELETE", `/contacts/${contactId}`);
  expect(await commandOf(fixture, contactId)).toEqual({
    op: "start",
    workflow: "eraseContact",
    workflowId: `erase-contact-${contactId}`,
    taskQueue: "ops",
    input: {
      accountId,
      contactIds: [contactId],
      conversationIds: [conversationId],
      waitMs: 60_000,
    },
    summary: `erase what is kept of contact ${contactId}`,
  });
  expect(
    await fixture.query("SELECT kind, conversation_id, contact_id FROM changes ORDER BY id"),
  ).toEqual([
    { kind: "delivery.updated", conversation_id: null, contact_id: null },
    { kind: "conversation.updated", conversation_id: conversationId, contact_id: contactId },
    { kind: "contact.updated", conversation_id: null, contact_id: contactId },
  ]);
  const [signal] = await fixture.query<{ command: { input: { epoch: number } } }>(
    "SELECT command FROM outbox WHERE command->>'$.signal' = 'ended' AND command->>'$.conversationId' = ?",
    [conversationId],
  );
  const { epoch } = signal?.command.input ?? { epoch: 0 };
  expect(signal?.command).toMatchObject({ workflowId: `handoff-${conversationId}-${epoch}` });
  const run = { accountId, conversationId, epoch };
  expect(await fixture.activities.beginHandoff(run)).toEqual({ current: false });
  expect(await fixture.activities.remindHandoff(run)).toEqual({ state: "over" });
});

test("a large contact is erased in small transactions, the request's own too", async () => {
  const { accountId } = fixture.account;
  const contactId = await insertRow(fixture, "contacts", { account_id: accountId, source: "api" });
  const numbers = `WITH RECURSIVE a (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM a WHERE i < 22),
    n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)`;
  const id = "UNHEX(LPAD(HEX(a.i * 100 + n.i), 32, '0'))";
  await fixture.query(
    `INSERT INTO events (id, account_id, type, contact_id, body, occurred_at) ${numbers}
     SELECT ${id}, ?, 'contact.updated', ?, 'x', NOW(3) FROM a, n`,
    [accountId, contactId],
  );
  await fixture.query(
    `INSERT INTO deliveries (account_id, event_id, subscription_id, event_type, state) ${numbers}
     SELECT ?, ${id}, 1, 'contact.updated', 'waiting' FROM a, n`,
    [accountId],
  );
  expect((await fixture.panel("DELETE", `/contacts/${contactId}`)).status).toBe(200);
  expect(await fixture.countByState(contactId)).toEqual({ cancelled: 1_000, waiting: 1_300 });
  expect(await sweep(fixture, contactId)).toEqual([1_000, 1_000, 300]);
  expect(await fixture.countByState(contactId)).toEqual({ cancelled: 2_300 });
  expect(await findRows(fixture, ["body=x"])).toEqual([]);
});

test("a phone cannot hide in a call that was refused, however it is written", async () => {
  const endpoint = await createTestEndpoint(fixture, { account: fixture.account });
  const phone = fixture.newPhone();
  await endpoint.act("contact.tag.add", {
    phone: `+${phone.slice(0, 3)} ${phone.slice(3)}`,
    tag: "x",
  });
  await endpoint.act("contact.tag.add", { phone: "34911222333", tag: "another" });
  await endpoint.send(
    Buffer.concat([Buffer.from(`{"phone":"${phone}","x":"`), Buffer.from([0xff])]),
  );
  const made = await fixture.rest("POST", "/contacts", { phone });
  await fixture.panel("DELETE", `/contacts/${made.json.data.id}`);
  await sweep(fixture, made.json.data.id);
  const bodies = (await endpoint.log()).map(({ body }) => body);
  expect(bodies).toEqual([
    null,
    JSON.stringify({ event: "contact.tag.add", data: { phone: "34911222333", tag: "another" } }),
    null,
  ]);
});

test("an email or a phone cannot hide in a refused call by an escape of JSON", async () => {
  const endpoint = await createTestEndpoint(fixture, { account: fixture.account });
  const phone = fixture.newPhone();
  const email = "o'neil+crm@example.org";
  const bodies = [
    `{"email":"O\\u0027Neil\\u002Bcrm@example.org"}`,
    `{"phone":"${phone.slice(0, 4)}\\u2011${phone.slice(4, 8)}\\u00a0${phone.slice(8)}"}`,
    `{"email":"o\\u0027neil\\u002bother@example.org"}`,
  ];
  for (const body of bodies) await endpoint.send(Buffer.from(body));
  const made = await fixture.rest("POST", "/contacts", { phone, email });
  await fixture.panel("DELETE", `/contacts/${made.json.data.id}`);
  await sweep(fixture, made.json.data.id);
  // The newest call is the first of the log.
  expect((await endpoint.log()).map(({ body }) => body)).toEqual([bodies[2], null, null]);
});

test("the request leaves refused calls to the workflow, which searches them in batches to the last", async () => {
  const { accountId } = fixture.account;
  const phone = fixture.newPhone();
  const mail = "batch_es@example.org";
  const calls = 650;
  const body = (told: string) => `CONCAT('{"told":"', ${told}, '"}')`;
  await fixture.query(
    `INSERT INTO inbound_requests (account_id, endpoint_id, received_at, verdict, status_code, duration_ms, body)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${calls})
     SELECT IF(i = 3, ?, ?), 77, NOW(3), 'refused', 400, 1,
            CASE i WHEN 1 THEN ${body("?")} WHEN 3 THEN ${body("?")} WHEN ${calls} THEN ${body("?")}
                   ELSE ${body("CONCAT('batchXes@example.org', i)")} END FROM n`,
    [accountId + 9_999, accountId, phone, phone, mail.toUpperCase()],
  );
  const kept = async () => {
    const rows = await fixture.query<{ n: string }>(
      "SELECT COUNT(body) AS n FROM inbound_requests WHERE endpoint_id = 77",
    );
    return Number(rows[0]?.n);
  };
  const made = await fixture.rest("POST", "/contacts", { phone, email: mail });
  const contactId: number = made.json.data.id;
  expect((await fixture.panel("DELETE", `/contacts/${contactId}`)).status).toBe(200);
  expect(await kept()).toBe(calls);
  await sweep(fixture, contactId);
  // The other account's call stays, and so do those that only look like the address.
  expect(await kept()).toBe(calls - 2);
  expect(await findRows(fixture, [mail])).toEqual([]);
  expect(
    await fixture.query("SELECT * FROM contact_erasures WHERE contact_id = ?", [contactId]),
  ).toEqual([]);
});

test("every event of a conversation names its contact, or an erasure would miss it", () => {
  const nameless = Object.entries(eventCatalogue).filter(
    ([, { sample }]) => "conversation_id" in sample && !("contact_id" in sample),
  );
  expect(nameless).toEqual([]);
});

test("filters that name an erased person are forgotten, whoever keeps them, and no others", async () => {
  const life = await fixture.makeLife("alondra");
  const { userId, cookie: colleague } = await createTestAccount(fixture.database.dataSource);
  const ids = [fixture.account.accountId, userId];
  await fixture.query(
    "INSERT INTO memberships (account_id, user_id, role) VALUES (?, ?, 'agent')",
    ids,
  );
  await fixture.query("UPDATE sessions SET account_id = ? WHERE user_id = ?", ids);
  const { email, name, phone } = life.contact;
  const keep = async (cookie: string, kept: string, search: string) =>
    await fixture.api.call("POST", "/dashboard/api/me/contact-filters", {
      cookie,
      body: { name: kept, search },
    });
  await keep(fixture.account.cookie, "By mail", email.toUpperCase());
  await keep(fixture.account.cookie, `About ${name}`, "early");
  await keep(fixture.account.cookie, "Señores", "señor");
  await keep(colleague, "Caller", `+${phone.slice(0, 3)} ${phone.slice(3)}`);
  await keep(colleague, "Tuesday", "tuesday");
  await fixture.panel("DELETE", `/contacts/${life.contactId}`);
  const left = async (cookie: string) => {
    const { json } = await fixture.api.call("GET", "/dashboard/api/me/contact-filters", { cookie });
    return json.data.map((filter: { name: string }) => filter.name);
  };
  expect(await left(fixture.account.cookie)).toEqual(["Señores"]);
  expect(await left(colleague)).toEqual(["Tuesday"]);
});

test("with a contact go those that were merged into it", async () => {
  const winner = await fixture.makeLife("halcon", { refused: false });
  const loser = await fixture.makeLife("aguila", { refused: false });
  const merged = await fixture.panel("POST", `/contacts/${loser.contactId}/merge`, {
    into_contact_id: winner.contactId,
  });
  expect(merged.status).toBe(200);
  const refused = await fixture.panel("DELETE", `/contacts/${loser.contactId}`);
  expect(refused.json.error).toMatchObject({
    code: "contact_not_found",
    details: { merged_into: winner.contactId },
  });
  expect((await fixture.panel("DELETE", `/contacts/${winner.contactId}`)).status).toBe(200);
  const input = (await commandOf(fixture, winner.contactId)).input as EraseContactInput;
  expect(input.contactIds).toEqual([winner.contactId, loser.contactId]);
  await sweep(fixture, winner.contactId);
  const words = ["halcon", "aguila", winner.contact.phone, loser.contact.phone.slice(-10)];
  expect(await findRows(fixture, words)).toEqual([]);
});

/** Merges a contact whose email and phone the other contact does not take. */
async function merge(loser: Life, winner: Life): Promise<void> {
  const path = `/contacts/${loser.contactId}/merge`;
  const { status } = await fixture.panel("POST", path, { into_contact_id: winner.contactId });
  expect(status).toBe(200);
}

let planned = 0;

/** A row of an import that waits for its commit. @returns its number */
async function planRow({ accountId }: Life, named: Record<string, string>): Promise<number> {
  planned += 1;
  const row = { import_id: 1, number: planned, account_id: accountId, plan: "create", raw: "[]" };
  await insertRow(fixture, "import_rows", Object.assign(row, named));
  return planned;
}

test("an erasure finds data that names the email and phone of a merged contact", async () => {
  const winner = await fixture.makeLife("gaviota", { refused: false });
  const loser = await fixture.makeLife("zorzal");
  await merge(loser, winner);
  const { email, phone } = loser.contact;
  const numbers = [
    await planRow(loser, { email }),
    await planRow(loser, { phone_key: phoneKey(phone) }),
  ];
  const filter = { name: "By mail", search: email };
  await fixture.panel("POST", "/me/contact-filters", filter);

  await fixture.panel("DELETE", `/contacts/${winner.contactId}`);
  await sweep(fixture, winner.contactId);
  const words = ["gaviota", "zorzal", winner.contact.phone, phone.slice(-10)];
  expect(await findRows(fixture, words)).toEqual([]);
  const rows = await fixture.query(
    "SELECT state, reason, raw FROM import_rows WHERE number IN (?, ?)",
    numbers,
  );
  const skipped = { state: "skipped", reason: "person_erased", raw: null };
  expect(rows).toEqual([skipped, skipped]);
});

test("an erasure spares an email of a merged contact that another contact has now", async () => {
  const winner = await fixture.makeLife("perdiz", { refused: false });
  const loser = await fixture.makeLife("codorniz", { refused: false });
  await merge(loser, winner);
  const { email } = loser.contact;
  await fixture.rest("POST", "/contacts", { email, name: "Another person" });
  const number = await planRow(loser, { email });
  await fixture.panel("DELETE", `/contacts/${winner.contactId}`);
  const rows = await fixture.query("SELECT state, email FROM import_rows WHERE number = ?", [
    number,
  ]);
  expect(rows).toEqual([{ state: "pending", email }]);
});

test("nobody reads the email of a merged contact", async () => {
  const winner = await fixture.makeLife("tucan", { refused: false });
  const { status } = await fixture.rest("POST", "/contacts", { email: "quetzal@example.org" });
  expect(status).toBe(201);
  const [loser] = await fixture.query<{ id: number }>("SELECT MAX(id) AS id FROM contacts");
  const path = `/contacts/${loser?.id}`;
  await fixture.panel("POST", `${path}/merge`, { into_contact_id: winner.contactId });
  for (const read of [path, `/contacts/${winner.contactId}`, "/contacts?search=quetzal"]) {
    const shown = JSON.stringify(await fixture.panel("GET", read));
    expect([read, shown.includes("quetzal@")]).toEqual([read, false]);
  }
});
