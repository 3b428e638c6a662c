import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { countsOf, oneCustomer, receive, tracesOf } from "../../support/conversations.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

const call = async (method: string, path: string, body?: unknown) =>
  await fixture.api.call(method, `/api/v1${path}`, { apiKey: account.apiKey, body });
const open = async (phone: string) =>
  await tracesOf(fixture.database.dataSource, account.accountId, async () =>
    call("POST", "/conversations", { phone, name: "Ana" }),
  );
const write = async (from: string) =>
  await tracesOf(fixture.database.dataSource, account.accountId, async () =>
    receive(fixture.database.dataSource, account.accountId, { from }),
  );
const types = (events: { type: string }[]) => events.map(({ type }) => type);
const counts = async () => await countsOf(fixture.database.dataSource, account.accountId);

test("a new contact has the WhatsApp id that it is addressed by, also in its event", async () => {
  const phone = freshPhone();
  const { result, events } = await open(phone);
  expect(result.json.data.contact).toMatchObject({ phone, whatsapp_id: phone });
  expect(events[0]).toMatchObject({ type: "contact.created", data: { whatsapp_id: phone } });
  const { contact_id: id } = result.json.data;
  expect((await call("GET", `/contacts/${id}`)).json.data.whatsapp_id).toBe(phone);
});

test("a known contact gets the id, and its change is made known in the conversation", async () => {
  const phone = freshPhone();
  const contact = (await call("POST", "/contacts", { phone })).json.data;
  const { result, events } = await open(phone);
  expect(result.json.data.contact).toMatchObject({ id: contact.id, whatsapp_id: phone });
  expect(types(events)).toEqual(["conversation.created", "contact.updated"]);
  expect(events[1]?.data).toMatchObject({
    whatsapp_id: phone,
    channel: "whatsapp",
    conversation_id: result.json.data.id,
    source: "api",
    changed_fields: ["whatsapp_id"],
    previous_values: { whatsapp_id: null },
  });
});

test("a conversation opened again makes no change known", async () => {
  const phone = freshPhone();
  await open(phone);
  expect((await open(phone)).events).toEqual([]);
});

test("a conversation from before gets the id when it is opened again", async () => {
  const phone = freshPhone();
  const first = (await open(phone)).result.json.data;
  await fixture.query("DELETE FROM contact_identities WHERE contact_id = ?", [first.contact_id]);
  const again = await open(phone);
  expect(again.result.json.data).toMatchObject({ id: first.id, contact: { whatsapp_id: phone } });
  expect(types(again.events)).toEqual(["contact.updated"]);
});

test("whom the account has written to writes back as the same contact, without a second identity", async () => {
  const phone = freshPhone();
  const { id, contact_id } = (await open(phone)).result.json.data;
  const { result, events } = await write(phone);
  expect(result.row).toMatchObject({ contactId: contact_id, conversationId: id });
  expect(types(events)).toEqual(["message.received"]);
  expect(await counts()).toEqual(oneCustomer);
});

test.each([
  ["525511113333", "5215511113333", "Mexico's 1 after 52"],
  ["541144446666", "5491144446666", "Argentina's 9 after 54"],
  ["551187650000", "5511987650000", "Brazil's ninth digit"],
])("%s writes back as %s, and WhatsApp's spelling takes its place (%s)", async (ours, theirs) => {
  const { id, contact_id } = (await open(ours)).result.json.data;
  const { result, events } = await write(theirs);
  expect(result.row).toMatchObject({ contactId: contact_id, conversationId: id });
  expect(types(events)).toEqual(["contact.updated", "message.received"]);
  expect(events[0]?.data).toMatchObject({
    phone: ours,
    whatsapp_id: theirs,
    changed_fields: ["whatsapp_id"],
    previous_values: { whatsapp_id: ours },
  });
  expect(await counts()).toEqual(oneCustomer);
  // Afterwards our own spelling is still the same customer, addressed as WhatsApp has it.
  const again = await open(ours);
  expect(again.result.json.data).toMatchObject({ id, contact: { whatsapp_id: theirs } });
  expect(again.events).toEqual([]);
  const [row] = await fixture.query(
    "SELECT customer_external_id AS id FROM conversations WHERE id = ?",
    [id],
  );
  expect(row).toEqual({ id: theirs });
});

test("twenty calls at once, in two spellings, make one contact with one identity", async () => {
  const calls = Array.from({ length: 20 }, async (_, index) =>
    call("POST", "/conversations", { phone: index % 2 === 0 ? "5215511117777" : "525511117777" }),
  );
  const answers = await Promise.all(calls);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(await counts()).toMatchObject({ contacts: 1, contact_identities: 1, conversations: 1 });
});
