import { expect, test } from "vitest";
import { mergeContacts } from "../../../core/services/contact-lifecycle/contact-merge.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { connectWhatsApp, receive } from "../../support/conversations.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);

type Account = Pick<TestAccount, "accountId" | "apiKey">;

const call = async (method: string, path: string, body: object, { apiKey }: Account) =>
  await fixture.api.call(method, `/api/v1${path}`, { apiKey, body });
const open = async (body: object, account: Account) =>
  await call("POST", "/conversations", body, account);

/** An account whose WhatsApp number has a window. */
async function accountWithWindow(): Promise<TestAccount> {
  const account = await createTestAccount(fixture.database.dataSource);
  await connectWhatsApp(fixture.database.dataSource, account.accountId);
  return account;
}

/** Connects one more WhatsApp number. @returns its id. */
async function addNumber(accountId: number, externalId: string): Promise<number> {
  const { insertId } = await fixture.database.dataSource.query<{ insertId: number }>(
    `INSERT INTO channel_accounts SET account_id = ?, channel = 'whatsapp', external_id = ?,
        name = 'Another number', driver = 'whatsapp'`,
    [accountId, externalId],
  );
  return insertId;
}

/** The number of a conversation. */
async function numberOf(conversationId: number): Promise<number> {
  const [row] = await fixture.query("SELECT channel_account_id FROM conversations WHERE id = ?", [
    conversationId,
  ]);
  return Number(row?.["channel_account_id"]);
}

test("of several numbers the one with the newest conversation is used, a new phone gets the first", async () => {
  const account = await accountWithWindow();
  const first = (await open({ phone: freshPhone() }, account)).json.data;
  const second = await addNumber(account.accountId, "15550002222");
  const phone = freshPhone();
  const { row } = await receive(fixture.database.dataSource, account.accountId, { from: phone });
  const again = await open({ phone, initial_message: "Hola" }, account);
  expect([again.status, again.json.data.id]).toEqual([200, row.conversationId]);
  expect(again.json.data).toMatchObject({ created: false, messaging_window: { open: true } });
  expect(again.json.data.initial_message).toMatchObject({ status: "queued", error: null });
  expect(await numberOf(row.conversationId)).toBe(second);

  const other = (await open({ phone: freshPhone() }, account)).json.data;
  expect(await numberOf(other.id)).toBe(await numberOf(first.id));
});

test("a conversation on a disconnected number is not used while another number is connected", async () => {
  const account = await accountWithWindow();
  const second = await addNumber(account.accountId, "15550004444");
  const phone = freshPhone();
  const { row } = await receive(fixture.database.dataSource, account.accountId, { from: phone });
  await fixture.query("UPDATE channel_accounts SET state = 'disconnected' WHERE id = ?", [second]);
  const opened = await open({ phone }, account);
  expect(opened.status).toBe(201);
  expect(opened.json.data.contact_id).toBe(row.contactId);
  expect(await numberOf(opened.json.data.id)).not.toBe(second);
});

test("a caller who names a number gets the conversation there", async () => {
  const account = await accountWithWindow();
  const second = await addNumber(account.accountId, "15550005555");
  const phone = freshPhone();
  const first = (await open({ phone }, account)).json.data;
  const on = async (id: number) => await open({ phone, channel_account_id: id }, account);
  const there = await on(second);
  expect([there.status, await numberOf(there.json.data.id)]).toEqual([201, second]);
  expect(there.json.data.contact_id).toBe(first.contact_id);
  const again = await on(await numberOf(first.id));
  expect([again.status, again.json.data.id]).toEqual([200, first.id]);
  const newest = await open({ phone }, account);
  expect([newest.status, newest.json.data.id]).toEqual([200, there.json.data.id]);
});

test("a number that is unknown, of another account or no WhatsApp is 404, a disconnected one 422", async () => {
  const account = await accountWithWindow();
  const number = await addNumber(account.accountId, "15550006666");
  const web = await receive(fixture.database.dataSource, fixture.account.accountId, {
    channel: "web",
    from: "visitor-of-number",
  });
  await fixture.query("UPDATE channel_accounts SET state = 'disconnected' WHERE id = ?", [number]);
  const phone = freshPhone();
  const codeOf = async (id: number, of: Account) => {
    const { status, json } = await open({ phone, channel_account_id: id }, of);
    return [status, json.error.code];
  };
  const unknown = [404, "channel_account_not_found"];
  expect(await codeOf(999_999, account)).toEqual(unknown);
  expect(await codeOf(number, fixture.account)).toEqual(unknown);
  expect(await codeOf(web.row.channelAccountId, fixture.account)).toEqual(unknown);
  expect(await codeOf(number, account)).toEqual([422, "channel_not_connected"]);
  const { json } = await open({ phone, channel_account_id: number }, account);
  expect(json.error.message).toMatch(/number is disconnected/u);
});

test("a number that knows another contact by the phone is left alone", async () => {
  const account = await accountWithWindow();
  const { dataSource } = fixture.database;
  const phone = freshPhone();
  const first = await receive(dataSource, account.accountId, { from: phone });
  await call("PATCH", `/contacts/${first.row.contactId}`, { phone: freshPhone() }, account);
  await addNumber(account.accountId, "15550003333");
  const other = await receive(dataSource, account.accountId, { from: phone });
  expect(other.row.contactId).not.toBe(first.row.contactId);
  const opened = await open({ phone }, account);
  expect([opened.status, opened.json.data.id]).toEqual([200, first.row.conversationId]);
});

test("a merged contact's phone stays with its conversation, also where the other phone wrote later", async () => {
  const { dataSource } = fixture.database;
  const account = await accountWithWindow();
  const [older, newer] = [freshPhone(), freshPhone()];
  const first = (await open({ phone: older }, account)).json.data;
  const second = (await open({ phone: newer }, account)).json.data;
  await asSystem(dataSource, account.accountId, (tx) =>
    mergeContacts(tx, first.contact_id, second.contact_id),
  );
  const placeOf = async (from: string) =>
    (await receive(dataSource, account.accountId, { from })).row.conversationId;
  expect(await placeOf(older)).toBe(first.id);
  expect(await placeOf(newer)).toBe(second.id);
  const { json } = await open({ phone: older, initial_message: "Hola" }, account);
  expect(json.data).toMatchObject({
    id: first.id,
    messaging_window: { open: true },
    initial_message: { status: "queued", error: null },
  });
});
