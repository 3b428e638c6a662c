import { expect, test } from "vitest";
import { agentSettings } from "../../../core/model/agent.ts";
import { insertRow } from "../../../core/services/sql.ts";
import { AgentProfile, AgentVersion } from "../../../db/entities/agent.ts";
import { asSystem } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { sourcesOf, startChannelFixture } from "./channel-fixture.ts";
import { addPage, echoTo, fromCustomer, type TestPage } from "./page-fixture.ts";

const fixture = useFixture(startChannelFixture);
const psid = "6001";

async function messagesOf({ number }: TestPage) {
  return await fixture.query<{ id: number; content: string; status: string; sender_type: string }>(
    "SELECT id, content, status, sender_type FROM messages WHERE account_id = ? ORDER BY id",
    [number.account.accountId],
  );
}

/** A Page with a customer, and a message of ours whose call is under way. */
async function sending() {
  const page = await addPage(fixture);
  await page.happen(fromCustomer(page, psid, { message: { mid: "m_0", text: "Hola" } }));
  const { apiKey, accountId } = page.number.account;
  const [row] = await fixture.query<{ id: number }>(
    "SELECT id FROM conversations WHERE account_id = ?",
    [accountId],
  );
  const path = `/api/v1/conversations/${row?.id}/messages`;
  const sent = await fixture.api.call("POST", path, { apiKey, body: { content: "At ten?" } });
  const id = Number(sent.json.data.id);
  await fixture.query(
    "UPDATE messages SET status = 'sending', in_flight_since = NOW(3), tries = 1 WHERE id = ?",
    [id],
  );
  return { page, id };
}

async function due({ number }: TestPage, seconds: number): Promise<void> {
  await fixture.query(
    `UPDATE channel_items SET due_at = created_at, created_at = created_at - INTERVAL ? SECOND
      WHERE state = 'waiting' AND account_id = ?`,
    [seconds, number.account.accountId],
  );
  await fixture.drain();
}

test("the echo of our own message settles it, once, and is no second message", async () => {
  const { page, id } = await sending();
  const message = { mid: "m_1", text: "At ten?", metadata: String(id), app_id: page.metaAppId };
  await page.happen(echoTo(page, psid, message));
  await page.happen(echoTo(page, psid, message));
  expect((await messagesOf(page)).slice(1)).toEqual([
    { id, content: "At ten?", status: "sent", sender_type: "api" },
  ]);
  const ids = await fixture.query(
    "SELECT provider_id FROM message_provider_ids WHERE message_id = ?",
    [id],
  );
  expect(ids).toEqual([{ provider_id: "m_1" }]);
  const events = await fixture.eventsOf(page.number.account.accountId);
  expect(events.filter((type) => type === "message.sent")).toHaveLength(1);
  expect(events).not.toContain("conversation.bot.disabled");
});

/** As after the wait for an answer that never came. */
async function endUnknown(id: number): Promise<void> {
  const error = { code: "outcome_unknown", message: "Nobody knows.", provider_code: null };
  await fixture.query(
    "UPDATE messages SET status = 'failed', in_flight_since = NULL, error = ? WHERE id = ?",
    [JSON.stringify(error), id],
  );
}

test("an echo that comes after the wait settles a message of unknown outcome", async () => {
  const { page, id } = await sending();
  await endUnknown(id);
  const message = { mid: "m_late", text: "At ten?", metadata: String(id), app_id: page.metaAppId };
  await page.happen(echoTo(page, psid, message));
  const [row] = await fixture.query<{ status: string; error: unknown; sent: number }>(
    "SELECT status, error, sent_at IS NOT NULL AS sent FROM messages WHERE id = ?",
    [id],
  );
  expect(row).toEqual({ status: "sent", error: null, sent: 1 });
  expect(await messagesOf(page)).toHaveLength(2);
  const events = await fixture.eventsOf(page.number.account.accountId);
  expect(events.filter((type) => type === "message.sent")).toHaveLength(1);
  // A message that the network has refused stays refused.
  const refused = await sending();
  await fixture.query("UPDATE messages SET status = 'failed', error = ? WHERE id = ?", [
    JSON.stringify({ code: "not_delivered", message: "No.", provider_code: "131026" }),
    refused.id,
  ]);
  const other = { mid: "m_no", text: "At ten?", metadata: String(refused.id) };
  await refused.page.happen(
    echoTo(refused.page, psid, { ...other, app_id: refused.page.metaAppId }),
  );
  expect((await messagesOf(refused.page)).at(-1)).toMatchObject({ status: "failed" });
});

test("metadata of another app, of another customer or of another account settles nothing", async () => {
  const { page, id } = await sending();
  const foreign = await addPage(fixture);
  const message = { text: "x", metadata: String(id) };
  await page.happen(echoTo(page, psid, { ...message, mid: "m_a", app_id: "1234" }));
  await page.happen(echoTo(page, "6002", { ...message, mid: "m_b", app_id: page.metaAppId }));
  await foreign.happen(
    echoTo(foreign, psid, { ...message, mid: "m_c", app_id: foreign.metaAppId }),
  );
  expect((await messagesOf(page)).find((row) => row.id === id)).toMatchObject({
    status: "sending",
  });
  expect(await messagesOf(foreign)).toMatchObject([{ content: "x", sender_type: "api" }]);
});

test("an unknown echo waits for the answer to a call under way, and is dropped if it is ours", async () => {
  const { page, id } = await sending();
  await page.happen(echoTo(page, psid, { mid: "m_2", text: "At ten?" }));
  expect(await messagesOf(page)).toHaveLength(2);
  // The answer to our call comes.
  await fixture.query(
    `INSERT INTO message_provider_ids (account_id, channel_account_id, provider_id, message_id,
         conversation_id)
     SELECT account_id, channel_account_id, 'm_2', id, conversation_id FROM messages WHERE id = ?`,
    [id],
  );
  await fixture.query("UPDATE messages SET status = 'sent', in_flight_since = NULL WHERE id = ?", [
    id,
  ]);
  await due(page, 1);
  expect(await messagesOf(page)).toHaveLength(2);
  expect(await fixture.eventsOf(page.number.account.accountId)).not.toContain(
    "conversation.bot.disabled",
  );
});

test("an unknown echo is a person's message after the answer to our call, or after a minute", async () => {
  for (const answer of [true, false]) {
    const { page, id } = await sending();
    await page.happen(echoTo(page, psid, { mid: "m_3", text: "I am Eva" }));
    await due(page, 30);
    expect(await messagesOf(page)).toHaveLength(2);
    if (answer) {
      const sent = "UPDATE messages SET status = 'sent', in_flight_since = NULL WHERE id = ?";
      await fixture.query(sent, [id]);
    }
    await due(page, answer ? 1 : 31);
    expect((await messagesOf(page)).at(-1)).toMatchObject({
      content: "I am Eva",
      sender_type: "user",
    });
    expect(await fixture.eventsOf(page.number.account.accountId)).toContain(
      "conversation.bot.disabled",
    );
  }
});

test("a message from the Page's inbox, or to somebody else, does not wait", async () => {
  const { page } = await sending();
  await page.happen(echoTo(page, psid, { mid: "m_4", text: "Eva", app_id: "263902037430900" }));
  await page.happen(echoTo(page, "6003", { mid: "m_5", text: "Hi there" }));
  expect((await messagesOf(page)).slice(2)).toMatchObject([
    { content: "Eva", sender_type: "user" },
    { content: "Hi there", sender_type: "user" },
  ]);
});

test("a person's first message to somebody makes a contact of the conversation", async () => {
  const page = await addPage(fixture);
  await page.happen(echoTo(page, "6009", { mid: "m_first", text: "Hi there" }));
  expect(await sourcesOf(fixture, page.number, "contact.created")).toEqual(["conversation"]);
});

async function flagOf({ number }: TestPage): Promise<unknown> {
  const [row] = await fixture.query(
    "SELECT other_app_answers AS flag FROM conversations WHERE account_id = ?",
    [number.account.accountId],
  );
  return row?.["flag"];
}

async function turnsOf({ number }: TestPage): Promise<number> {
  const rows = await fixture.query(
    "SELECT id FROM outbox WHERE account_id = ? AND command->>'$.workflow' = 'agentTurn'",
    [number.account.accountId],
  );
  return rows.length;
}

/** Switches the agent of the Page's account on, for Messenger. */
async function switchOn({ number }: TestPage): Promise<void> {
  await asSystem(fixture.database.dataSource, number.account.accountId, async (tx) => {
    const draft = agentSettings.parse({ modes: { facebook: "auto" } });
    const profile = { accountId: tx.actor.accountId, enabled: true, draft, publishedNumber: 1 };
    await insertRow(tx, AgentProfile, profile);
    const version = { accountId: tx.actor.accountId, number: 1, settings: draft };
    await insertRow(tx, AgentVersion, version);
  });
}

test("while another app answers, messages are stored with their events and the agent is silent", async () => {
  const page = await addPage(fixture);
  await switchOn(page);
  await page.happen(fromCustomer(page, psid, { message: { mid: "m_n0", text: "Hola" } }));
  const turns = await turnsOf(page);
  expect(turns).toBe(1);
  await page.overhear(
    fromCustomer(page, psid, { message: { mid: "m_n1", text: "Are you there?" } }),
  );
  expect(await flagOf(page)).toBe(1);
  expect(await turnsOf(page)).toBe(turns);
  expect(await messagesOf(page)).toHaveLength(2);
  const events = await fixture.eventsOf(page.number.account.accountId);
  expect(events.filter((type) => type === "message.received")).toHaveLength(2);
});

test("the agent answers what another app leaves unanswered when it gives the conversation back", async () => {
  const page = await addPage(fixture);
  await switchOn(page);
  let at = Date.now();
  const happen = async (part: object) => {
    await page.happen(fromCustomer(page, psid, part, (at += 1_000)));
    return await turnsOf(page);
  };
  const to = (id: string) => ({ new_owner_app_id: id });
  expect(await happen({ message: { mid: "m_g0", text: "Hola" } })).toBe(1);
  expect(await happen({ pass_thread_control: to("1234") })).toBe(1);
  await page.overhear(fromCustomer(page, psid, { message: { mid: "m_g1", text: "Price?" } }));
  expect(await turnsOf(page)).toBe(1);
  expect(await happen({ pass_thread_control: to(page.metaAppId) })).toBe(2);
  expect(await happen({ pass_thread_control: to(page.metaAppId) })).toBe(2);
  // The other app answers, so that nothing is owed.
  expect(await happen({ pass_thread_control: to("1234") })).toBe(2);
  await page.happen(echoTo(page, psid, { mid: "m_g2", text: "9 USD", app_id: "1234" }));
  expect(await happen({ pass_thread_control: to(page.metaAppId) })).toBe(2);
});

test("a handover is ours only where the new owner is our app, whoever is told", async () => {
  const page = await addPage(fixture);
  await page.happen(fromCustomer(page, psid, { message: { mid: "m_h", text: "Hola" } }));
  let at = Date.now();
  const hand = async (part: object) => {
    await page.happen(fromCustomer(page, psid, part, (at += 1_000)));
    return await flagOf(page);
  };
  const to = (id: string) => ({ new_owner_app_id: id });
  expect(await hand({ pass_thread_control: to("1234") })).toBe(1);
  expect(await hand({ pass_thread_control: to(page.metaAppId) })).toBe(0);
  expect(await hand({ take_thread_control: to("1234") })).toBe(1);
  expect(await hand({ take_thread_control: to(page.metaAppId) })).toBe(0);
  expect(await hand({ take_thread_control: { previous_owner_app_id: page.metaAppId } })).toBe(1);
  expect(await hand({ pass_thread_control: {} })).toBe(0);
});

test("a handover of a customer who has not written yet is no conversation", async () => {
  const page = await addPage(fixture);
  const part = { pass_thread_control: { new_owner_app_id: "1234" } };
  await page.happen(fromCustomer(page, "6404", part));
  expect(await flagOf(page)).toBeUndefined();
  expect(await fixture.eventsOf(page.number.account.accountId)).toEqual([]);
});

test("a watermark moves older messages of this customer alone, forward only", async () => {
  const page = await addPage(fixture);
  const start = Date.now() - 60_000;
  await page.happen(
    fromCustomer(page, psid, { message: { mid: "m_w0", text: "Hola" } }, start),
    echoTo(page, psid, { mid: "m_w1", text: "one" }, start + 1_000),
    echoTo(page, psid, { mid: "m_w2", text: "two" }, start + 2_000),
    echoTo(page, psid, { mid: "m_w3", text: "three" }, start + 9_000),
  );
  await page.happen(echoTo(page, "6002", { mid: "m_w4", text: "other" }, start + 1_000));
  const watermark = start + 5_000;
  const statuses = async () =>
    (await messagesOf(page)).slice(1).map(({ content, status }) => `${content} ${status}`);
  await page.happen(fromCustomer(page, psid, { read: { watermark } }));
  expect(await statuses()).toEqual(["one read", "two read", "three sent", "other sent"]);
  await page.happen(fromCustomer(page, psid, { delivery: { watermark, mids: ["m_w1"] } }));
  expect(await statuses()).toEqual(["one read", "two read", "three sent", "other sent"]);
});

test("a watermark reaches its own message, whose answer came after Meta's time, and no younger one", async () => {
  const { page, id } = await sending();
  const { apiKey } = page.number.account;
  const [row] = await fixture.query<{ conversation_id: number }>(
    "SELECT conversation_id FROM messages WHERE id = ?",
    [id],
  );
  const path = `/api/v1/conversations/${row?.conversation_id}/messages`;
  const next = await fixture.api.call("POST", path, { apiKey, body: { content: "Or at noon?" } });
  const watermark = Date.now() - 60_000;
  const accept = async (messageId: number, createdMs: number, sentMs: number) =>
    await fixture.query(
      `UPDATE messages SET status = 'sent', in_flight_since = NULL, created_at = ?, sent_at = ?
        WHERE id = ?`,
      [new Date(watermark + createdMs), new Date(watermark + sentMs), messageId],
    );
  await accept(id, -500, 11_000);
  // Written before the watermark too, and gone after the first one.
  await accept(Number(next.json.data.id), -200, 12_000);
  for (let n = 0; n < 2; n += 1) {
    await page.happen(fromCustomer(page, psid, { read: { watermark } }));
  }
  expect((await messagesOf(page)).slice(1).map(({ status }) => status)).toEqual(["read", "sent"]);
});

test("Instagram names the last message that was read, and older ones of this customer are read too", async () => {
  const page = await addPage(fixture, { driver: "instagram_page", channel: "instagram" });
  const start = Date.now() - 60_000;
  await page.happen(
    fromCustomer(page, psid, { message: { mid: "m_r0", text: "Hola" } }, start),
    echoTo(page, psid, { mid: "m_r1", text: "one" }, start + 1_000),
    echoTo(page, psid, { mid: "m_r2", text: "two" }, start + 2_000),
    echoTo(page, psid, { mid: "m_r3", text: "three" }, start + 9_000),
  );
  await page.happen(echoTo(page, "6003", { mid: "m_r4", text: "other" }, start + 1_000));
  await page.happen(fromCustomer(page, psid, { read: { mid: "m_r2" } }, start + 10_000));
  const statuses = (await messagesOf(page)).slice(1);
  expect(statuses.map(({ content, status }) => `${content} ${status}`)).toEqual([
    "one read",
    "two read",
    "three sent",
    "other sent",
  ]);
  const rows = await fixture.query<{ read_at: Date }>(
    "SELECT DISTINCT read_at FROM messages WHERE account_id = ? AND status = 'read'",
    [page.number.account.accountId],
  );
  expect(rows).toEqual([{ read_at: new Date(start + 10_000) }]);
});
