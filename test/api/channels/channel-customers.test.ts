import { expect, test } from "vitest";
import { useFixture } from "../../support/use-fixture.ts";
import {
  secondsAgo,
  sourcesOf,
  startChannelFixture,
  textFrom,
  whatsapp,
  type TestNumber,
} from "./channel-fixture.ts";

const fixture = useFixture(startChannelFixture);
const phone = "5215512345678";

async function say(number: TestNumber, ...values: object[]): Promise<void> {
  await number.send(whatsapp(number.numberId, "messages", ...values));
  await fixture.drain();
}

/** A text of a customer whose phone WhatsApp hides. */
function hidden(userId: string, id: string, more: object = {}): object {
  const messages = [
    {
      from_user_id: userId,
      id,
      timestamp: secondsAgo(0),
      type: "text",
      text: { body: "Hi" },
      ...more,
    },
  ];
  return { contacts: [{ profile: { name: "Ana", username: "@ana" }, user_id: userId }], messages };
}

/** A text that names both ids of its sender. */
function known(from: string, userId: string, id: string): object {
  return textFrom(from, id, { more: { from_user_id: userId } });
}

async function contactsOf({ account }: TestNumber) {
  return await fixture.query<{ id: number; phone: string | null }>(
    "SELECT id, phone FROM contacts WHERE account_id = ? AND merged_into_id IS NULL ORDER BY id",
    [account.accountId],
  );
}

async function identitiesOf({ account }: TestNumber) {
  return await fixture.query<{ contact_id: number; external_id: string; username: string | null }>(
    `SELECT contact_id, external_id, username FROM contact_identities WHERE account_id = ?
      ORDER BY external_id`,
    [account.accountId],
  );
}

/** Ids of contacts that are shown as one person. */
async function duplicatesOf({ account }: TestNumber): Promise<[string, number[]][]> {
  const list = await fixture.panel(account, "GET", "/contacts/duplicates");
  return list.json.data.map(({ same, contacts }: { same: string; contacts: { id: number }[] }) => [
    same,
    contacts.map(({ id }) => id),
  ]);
}

/** A shared contact, with its origin if a customer was asked for it. */
function sharing(shared: string, origin?: string): object {
  const name = { formatted_name: "Ana" };
  const contact = { name, phones: [{ phone: `+${shared}`, wa_id: shared }], origin };
  return { type: "contacts", text: undefined, contacts: [contact] };
}

test("a phone that a customer was asked for is attached if it is free, and reaches the customer", async () => {
  const number = await fixture.addNumber();
  await say(number, hidden("MX.1", "wamid.c0"));
  expect(await contactsOf(number)).toMatchObject([{ phone: null }]);
  expect(await identitiesOf(number)).toMatchObject([{ external_id: "MX.1", username: "ana" }]);
  await say(number, hidden("MX.1", "wamid.c1", sharing(phone, "contact_request")));
  const [contact, ...others] = await contactsOf(number);
  expect([contact?.phone, others]).toEqual([phone, []]);
  const path = `/api/v1/contacts/${contact?.id}`;
  const view = await fixture.api.call("GET", path, { apiKey: number.account.apiKey });
  expect(view.json.data).toMatchObject({ phone, whatsapp_id: phone });
  const [row] = await fixture.query(
    "SELECT customer_external_id AS reached FROM conversations WHERE account_id = ?",
    [number.account.accountId],
  );
  expect(row).toEqual({ reached: phone });
});

test("a shared contact of somebody else changes no phone", async () => {
  const number = await fixture.addNumber();
  await say(number, hidden("MX.1", "wamid.o0"));
  await say(number, hidden("MX.1", "wamid.o1", sharing(phone)));
  expect(await contactsOf(number)).toMatchObject([{ phone: null }]);
});

test("a later phone is attached where it is free, in one contact.updated", async () => {
  const number = await fixture.addNumber();
  await say(number, hidden("MX.1", "wamid.p0"));
  const before = await fixture.eventsOf(number.account.accountId);
  await say(number, known(phone, "MX.1", "wamid.p1"));
  expect(await contactsOf(number)).toMatchObject([{ phone }]);
  const events = (await fixture.eventsOf(number.account.accountId)).slice(before.length);
  expect(events).toEqual(["contact.updated", "message.received"]);
});

test("a phone of another contact gets the message, nothing is merged, and both are hinted", async () => {
  const number = await fixture.addNumber();
  const { apiKey } = number.account;
  const made = await fixture.api.call("POST", "/api/v1/contacts", { apiKey, body: { phone } });
  const owner = Number(made.json.data.id);
  await say(number, hidden("MX.1", "wamid.t0"));
  const unknown = (await contactsOf(number)).find(({ id }) => id !== owner)?.id ?? 0;
  expect(await duplicatesOf(number)).toEqual([]);
  await say(number, known(phone, "MX.1", "wamid.t1"));
  await say(number, known(phone, "MX.1", "wamid.t2"));
  expect(await contactsOf(number)).toHaveLength(2);
  const messages = await fixture.query<{ contact_id: number }>(
    "SELECT contact_id FROM messages WHERE account_id = ? ORDER BY id",
    [number.account.accountId],
  );
  expect(messages.map(({ contact_id: id }) => id)).toEqual([unknown, owner, owner]);
  const pair = [owner, unknown].toSorted((one, other) => one - other);
  expect(await duplicatesOf(number)).toEqual([["identity", pair]]);
  const into = { into_contact_id: owner };
  await fixture.panel(number.account, "POST", `/contacts/${unknown}/merge`, into);
  expect(await duplicatesOf(number)).toEqual([]);
  await say(number, hidden("MX.1", "wamid.t3"));
  expect(await contactsOf(number)).toHaveLength(1);
});

test("the erasure of one of two hinted contacts ends the hint", async () => {
  const number = await fixture.addNumber();
  await say(number, hidden("MX.1", "wamid.x0"));
  await say(number, textFrom(phone, "wamid.x1"));
  await say(number, known(phone, "MX.1", "wamid.x2"));
  const [[, ids] = ["", []]] = await duplicatesOf(number);
  expect(ids).toHaveLength(2);
  await fixture.panel(number.account, "DELETE", `/contacts/${ids[1]}`);
  expect(await duplicatesOf(number)).toEqual([]);
  const [row] = await fixture.query(
    "SELECT COUNT(same_as_contact_id) AS named FROM contact_identities WHERE account_id = ?",
    [number.account.accountId],
  );
  expect(Number(row?.["named"])).toBe(0);
});

test("the id of a user is one contact on all numbers of a portfolio, and another one elsewhere", async () => {
  const first = await fixture.addNumber();
  const sibling = await fixture.addNumber({ account: first.account });
  const stranger = await fixture.addNumber({ account: first.account });
  await fixture.query("UPDATE channel_accounts SET portfolio_id = 'p1' WHERE id IN (?, ?)", [
    first.channelAccountId,
    sibling.channelAccountId,
  ]);
  await say(first, hidden("MX.1", "wamid.b0"));
  await say(sibling, hidden("MX.1", "wamid.b1"));
  expect(await contactsOf(first)).toHaveLength(1);
  await say(stranger, hidden("MX.1", "wamid.b2"));
  expect(await contactsOf(first)).toHaveLength(2);
  const rows = await fixture.query("SELECT id FROM conversations WHERE account_id = ?", [
    first.account.accountId,
  ]);
  expect(rows).toHaveLength(3);
});

const changed = (id: string, system: object, more: object = {}) =>
  textFrom(phone, id, { more: { type: "system", text: undefined, system, ...more } });

test("a change to a number of another contact leaves no phone, and hints at both", async () => {
  const number = await fixture.addNumber();
  const taken = "5215587654321";
  await say(number, textFrom(phone, "wamid.n0"));
  await say(number, textFrom(taken, "wamid.n1", { name: "Ben" }));
  const [mover, owner] = await contactsOf(number);
  const system = { type: "user_changed_number", wa_id: taken };
  await say(number, changed("wamid.n2", system));
  await say(number, changed("wamid.n2b", system));
  expect(await contactsOf(number)).toEqual([
    { id: mover?.id, phone: null },
    { id: owner?.id, phone: taken },
  ]);
  expect(await duplicatesOf(number)).toEqual([["identity", [mover?.id, owner?.id]]]);
  expect(await sourcesOf(fixture, number, "contact.updated")).toEqual(["conversation"]);
});

test("a change of number that is repeated when the old number has a new owner changes nothing", async () => {
  const number = await fixture.addNumber();
  const more = { from_user_id: "MX.1" };
  await say(number, textFrom(phone, "wamid.r0", { ago: 60, more }));
  const system = {
    type: "user_changed_number",
    wa_id: "5215587654321",
    user_id: "MX.2",
    previous_user_id: "MX.1",
  };
  const at = secondsAgo(30);
  await say(number, changed("wamid.r1", system, { timestamp: at }));
  const moved = await contactsOf(number);
  expect(moved).toMatchObject([{ phone: "5215587654321" }]);
  await say(number, textFrom(phone, "wamid.r2", { name: "Otra", ago: 10 }));
  const before = { contacts: await contactsOf(number), ids: await identitiesOf(number) };
  expect(before.contacts).toHaveLength(2);
  const events = await fixture.eventsOf(number.account.accountId);
  // The webhook comes again after its first item was purged.
  await fixture.query("DELETE FROM channel_items WHERE kind = 'number_change'");
  await say(number, changed("wamid.r1", system, { timestamp: at }));
  expect({ contacts: await contactsOf(number), ids: await identitiesOf(number) }).toEqual(before);
  expect(await fixture.eventsOf(number.account.accountId)).toEqual(events);
});

test("a merge keeps files, reactions, referral and choice of a conversation", async () => {
  const number = await fixture.addNumber();
  const { accountId, apiKey } = number.account;
  const image = { id: "7703", mime_type: "image/png" };
  const referral = { source_type: "ad", headline: "Whitening" };
  const more = { type: "image", text: undefined, image, referral };
  await say(number, textFrom(phone, "wamid.m0", { more }));
  const reaction = { message_id: "wamid.m0", emoji: "👍" };
  const react = { type: "reaction", text: undefined, reaction };
  await say(number, textFrom(phone, "wamid.m1", { more: react }));
  const [loser] = await contactsOf(number);
  const body = { email: "ana@example.org" };
  const made = await fixture.api.call("POST", "/api/v1/contacts", { apiKey, body });
  const winner = Number(made.json.data.id);
  const read = async () => {
    const [row] = await fixture.query<{ id: number; contact_id: number }>(
      "SELECT id, contact_id FROM conversations WHERE account_id = ?",
      [accountId],
    );
    const path = `/api/v1/conversations/${row?.id}`;
    const list = await fixture.api.call("GET", `${path}/messages`, { apiKey });
    const conversation = await fixture.api.call("GET", path, { apiKey });
    const { attachments, reactions, referral: origin } = list.json.data[0];
    return { attachments, reactions, origin, last: conversation.json.data.referral };
  };
  const before = await read();
  expect(before).toMatchObject({
    attachments: [{ kind: "image" }],
    reactions: [{ emoji: "👍" }],
    origin: { headline: "Whitening" },
    last: { headline: "Whitening" },
  });
  const into = { into_contact_id: winner };
  const merge = `/contacts/${loser?.id}/merge`;
  expect((await fixture.panel(number.account, "POST", merge, into)).status).toBe(200);
  expect(await read()).toEqual(before);
  const files = await fixture.query("SELECT contact_id FROM message_media WHERE account_id = ?", [
    accountId,
  ]);
  expect(files).toEqual([{ contact_id: winner }]);
});
