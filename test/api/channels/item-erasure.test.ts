import { expect, test } from "vitest";
import { useFixture } from "../../support/use-fixture.ts";
import { insertRow } from "../api-fixture.ts";
import { startChannelFixture, type TestNumber } from "./channel-fixture.ts";

const fixture = useFixture(startChannelFixture);
let count = 0;

interface KeptItem {
  customer: string;
  channelAccountId?: number;
  network?: string;
  externalId?: string;
  state?: string;
}

/** An item that was kept for a person. @returns its id */
async function keepItem({ account, appId }: TestNumber, kept: KeptItem): Promise<number> {
  const ids = { account_id: account.accountId, channel_app_id: appId };
  const body = JSON.stringify({ from: kept.customer });
  return await insertRow(fixture, "channel_items", {
    ...ids,
    webhook_id: await insertRow(fixture, "channel_webhooks", { ...ids, body, state: "done" }),
    channel_account_id: kept.channelAccountId ?? null,
    network: kept.network ?? "whatsapp",
    external_id: kept.externalId ?? "1",
    customer: kept.customer,
    kind: "message",
    key_hash: Buffer.alloc(32, (count += 1)),
    payload: body,
    state: kept.state ?? "unrouted",
  });
}

async function addContact({ account }: TestNumber, phone: string): Promise<number> {
  const { apiKey } = account;
  const answer = await fixture.api.call("POST", "/api/v1/contacts", { apiKey, body: { phone } });
  return answer.json.data.id;
}

/** A contact's id under a channel account. */
async function addIdentity(
  { account }: TestNumber,
  contactId: number,
  identity: { channelAccountId: number; channel: string; externalId: string; kind: string },
): Promise<void> {
  await insertRow(fixture, "contact_identities", {
    account_id: account.accountId,
    contact_id: contactId,
    channel_account_id: identity.channelAccountId,
    channel: identity.channel,
    external_id: identity.externalId,
    kind: identity.kind,
  });
}

/** Erases a contact. @returns ids of the items that the erasure has found */
async function erase(number: TestNumber, contactId: number): Promise<number[]> {
  const erased = await fixture.panel(number.account, "DELETE", `/contacts/${contactId}`);
  expect(erased.status).toBe(200);
  const rows = await fixture.query<{ id: number }>(
    "SELECT id FROM channel_items WHERE contact_id = ? ORDER BY id",
    [contactId],
  );
  return rows.map(({ id }) => id);
}

test("an erasure finds kept items by the phone of a contact that never wrote", async () => {
  const number = await fixture.addNumber();
  const other = await fixture.addNumber();
  const contactId = await addContact(number, "525512340001");
  const { channelAccountId } = number;
  const found = [
    await keepItem(number, { customer: "5215512340001", channelAccountId, state: "parked" }),
    await keepItem(number, { customer: "525512340001" }),
  ];
  await keepItem(number, { customer: "5215512340002" });
  await keepItem(number, { customer: "5215512340001", network: "messenger" });
  await keepItem(other, { customer: "5215512340001" });
  const theirs = { channelAccountId: other.channelAccountId, state: "parked" };
  await keepItem(other, { customer: "5215512340001", ...theirs });
  expect(await erase(number, contactId)).toEqual(found);
});

/** Makes two contacts with phones, and merges the second one into the first. @returns the first */
async function mergeTwo(number: TestNumber, phone: string, loserPhone: string): Promise<number> {
  const contactId = await addContact(number, phone);
  const loserId = await addContact(number, loserPhone);
  const path = `/contacts/${loserId}/merge`;
  const body = { into_contact_id: contactId };
  expect((await fixture.panel(number.account, "POST", path, body)).status).toBe(200);
  return contactId;
}

test("an erasure finds kept items by the phone of a merged contact", async () => {
  const number = await fixture.addNumber();
  const contactId = await mergeTwo(number, "525512340011", "525512340012");
  const found = await keepItem(number, { customer: "5215512340012" });
  expect(await erase(number, contactId)).toEqual([found]);
});

test("an erasure spares a phone of a merged contact that another contact writes from", async () => {
  const number = await fixture.addNumber();
  const { accountId } = number.account;
  const contactId = await mergeTwo(number, "525512340013", "525512340014");
  const writer = await addContact(number, "525512340015");
  const identity = { channel: "whatsapp", externalId: "5215512340014", kind: "phone" };
  await addIdentity(number, writer, { channelAccountId: number.channelAccountId, ...identity });
  const planned = { plan: "create", raw: "[]", phone_key: "525512340014" };
  const row = { import_id: 1, number: 1, account_id: accountId };
  await insertRow(fixture, "import_rows", Object.assign(row, planned));
  await erase(number, contactId);
  const rows = await fixture.query("SELECT state FROM import_rows WHERE account_id = ?", [
    accountId,
  ]);
  expect(rows).toEqual([{ state: "pending" }]);
});

test("an erasure leaves items of a number that another contact writes from", async () => {
  const number = await fixture.addNumber();
  const { channelAccountId } = number;
  const phone = "5215512340003";
  const writer = await addContact(number, "5215512340004");
  const identity = { channelAccountId, channel: "whatsapp", externalId: phone, kind: "phone" };
  await addIdentity(number, writer, identity);
  const contactId = await addContact(number, phone);
  const kept = await keepItem(number, { customer: phone, channelAccountId, state: "parked" });
  expect(await erase(number, contactId)).toEqual([]);
  expect(await erase(number, writer)).toEqual([kept]);
});

test("an erasure leaves items without a channel of a number that another contact writes from", async () => {
  const number = await fixture.addNumber();
  const { channelAccountId } = number;
  const [channel] = await fixture.query<{ external_id: string }>(
    "SELECT external_id FROM channel_accounts WHERE id = ?",
    [channelAccountId],
  );
  const phone = "5215512340006";
  const writer = await addContact(number, "5215512340007");
  const identity = { channelAccountId, channel: "whatsapp", externalId: phone, kind: "phone" };
  await addIdentity(number, writer, identity);
  const contactId = await addContact(number, phone);
  const externalId = channel?.external_id ?? "";
  const theirs = await keepItem(number, { customer: phone, externalId });
  const unknown = await keepItem(number, { customer: phone, externalId: "another-number" });
  expect(await erase(number, contactId)).toEqual([unknown]);
  expect(await erase(number, writer)).toEqual([theirs]);
});

test("an erasure finds items that came while the Page of the contact was disconnected", async () => {
  const number = await fixture.addNumber();
  const { accountId } = number.account;
  const channelAccountId = await insertRow(fixture, "channel_accounts", {
    account_id: accountId,
    channel: "facebook",
    external_id: "page-1",
    name: "Page",
    state: "disconnected",
  });
  const contactId = await addContact(number, "5215512340005");
  const identity = { channel: "facebook", externalId: "psid-1", kind: "page_scoped" };
  await addIdentity(number, contactId, { channelAccountId, ...identity });
  const item = { customer: "psid-1", network: "messenger", externalId: "page-1" };
  const found = await keepItem(number, item);
  await keepItem(number, { ...item, externalId: "page-2" });
  await keepItem(await fixture.addNumber(), item);
  expect(await erase(number, contactId)).toEqual([found]);
});
