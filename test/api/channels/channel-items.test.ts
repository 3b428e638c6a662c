import { expect, test } from "vitest";
import {
  claimPartitions,
  createPartitionPlace,
} from "../../../core/services/channels/claim-partitions.ts";
import { splitWebhooks } from "../../../core/services/channels/channel-webhooks.ts";
import { asSystem } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import {
  startChannelFixture,
  statusOf,
  textFrom,
  whatsapp,
  type TestNumber,
} from "./channel-fixture.ts";

const fixture = useFixture(startChannelFixture);
const customer = "5215512345678";

async function messagesOf(number: TestNumber) {
  return await fixture.query<{
    id: number;
    content: string | null;
    status: string;
    sender_type: string;
  }>("SELECT id, content, status, sender_type FROM messages WHERE account_id = ? ORDER BY id", [
    number.account.accountId,
  ]);
}

async function itemsOf(number: TestNumber) {
  return await fixture.query<{ id: number; kind: string; state: string; reason: string | null }>(
    "SELECT id, kind, state, reason FROM channel_items WHERE account_id = ? ORDER BY id",
    [number.account.accountId],
  );
}

async function say(number: TestNumber, ...values: object[]): Promise<void> {
  await number.send(whatsapp(number.numberId, "messages", ...values));
  await fixture.drain();
}

test("one webhook 50 times in parallel is one contact, one message and one event of each type", async () => {
  const number = await fixture.addNumber();
  const webhook = whatsapp(number.numberId, "messages", textFrom(customer, "wamid.1"));
  const drains = Promise.all([fixture.drain(), fixture.drain()]);
  const answers = await Promise.all(Array.from({ length: 50 }, () => number.send(webhook)));
  await drains;
  await Promise.all([fixture.drain(), fixture.drain(), fixture.drain()]);
  expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
  expect(await fixture.eventsOf(number.account.accountId)).toEqual([
    "contact.created",
    "conversation.created",
    "message.received",
  ]);
  expect(await messagesOf(number)).toMatchObject([{ content: "Hola", sender_type: "contact" }]);
  const [stored] = await fixture.query(
    "SELECT payload, contact_id > 0 AS known, purge_at > created_at AS aged FROM channel_items WHERE account_id = ?",
    [number.account.accountId],
  );
  expect(stored).toMatchObject({ payload: null, known: 1, aged: 1 });
});

test("a webhook that names a message twice is split, and the message is stored once", async () => {
  const number = await fixture.addNumber();
  const twice = [textFrom(customer, "wamid.t1"), textFrom(customer, "wamid.t1")];
  await say(number, ...twice, textFrom(customer, "wamid.t2", { body: "Segundo" }));
  expect(await messagesOf(number)).toMatchObject([{ content: "Hola" }, { content: "Segundo" }]);
  expect(await itemsOf(number)).toMatchObject([{ state: "done" }, { state: "done" }]);
});

test("a poisoned item is parked after five tries, its neighbours go on, and an admin retries it", async () => {
  const number = await fixture.addNumber();
  await fixture.query(
    `CREATE TRIGGER poison BEFORE INSERT ON messages FOR EACH ROW
       IF NEW.content = 'poison' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'poison'; END IF`,
  );
  try {
    const values = [
      textFrom("5215500000001", "wamid.p1", { body: "before" }),
      textFrom("5215500000002", "wamid.p2", { body: "poison" }),
      textFrom("5215500000003", "wamid.p3", { body: "after" }),
    ];
    await say(number, ...values);
    const stored = (await messagesOf(number)).map(({ content }) => String(content));
    expect(stored.toSorted()).toEqual(["after", "before"]);
    // A second message of the same partition waits for the first one.
    await say(number, textFrom("5215500000002", "wamid.p4", { body: "behind" }));
    expect(await messagesOf(number)).toHaveLength(2);
    await tryFiveTimes(number);
    const parked = (await itemsOf(number)).filter(({ state }) => state === "parked");
    expect(parked).toMatchObject([{ kind: "message", reason: "mysql_1644" }]);
    expect((await messagesOf(number)).map(({ content }) => content)).toContain("behind");
  } finally {
    await fixture.query("DROP TRIGGER poison");
  }
  const { account } = number;
  const list = await fixture.panel(account, "GET", "/channel-items");
  const [shown] = list.json.data;
  expect(shown).toMatchObject({ state: "parked", attempts: 5, reason: "mysql_1644" });
  const other = await fixture.addNumber();
  const retry = `/channel-items/${shown.id}/retry`;
  expect((await fixture.panel(other.account, "POST", retry)).status).toBe(404);
  expect((await fixture.panel(account, "POST", retry)).status).toBe(200);
  await fixture.drain();
  expect((await messagesOf(number)).map(({ content }) => content)).toContain("poison");
  const again = await fixture.panel(account, "POST", retry);
  expect([again.status, again.json.error.code]).toEqual([409, "channel_item_not_parked"]);
});

test("an item whose channel is gone stays parked at a retry, and says why", async () => {
  const number = await fixture.addNumber();
  await say(number, textFrom(customer, "wamid.gone", { body: "hola" }));
  const [item] = await itemsOf(number);
  await fixture.query(
    "UPDATE channel_items SET state = 'parked', reason = 'mysql_1644', attempts = 5, channel_account_id = NULL WHERE id = ?",
    [item?.id],
  );
  const retry = `/channel-items/${item?.id}/retry`;
  const answer = await fixture.panel(number.account, "POST", retry);
  expect(answer.json.data).toMatchObject({ state: "parked", reason: "no_channel" });
  await fixture.drain();
  expect(await itemsOf(number)).toMatchObject([{ state: "parked", reason: "no_channel" }]);
  expect(await messagesOf(number)).toHaveLength(1);
});

async function tryFiveTimes({ account }: TestNumber): Promise<void> {
  for (let n = 0; n < 6; n += 1) {
    await fixture.query("UPDATE channel_items SET due_at = created_at WHERE account_id = ?", [
      account.accountId,
    ]);
    await fixture.drain();
  }
}

test("messages of a customer keep their order, and customers do not wait for each other", async () => {
  const number = await fixture.addNumber();
  for (let n = 1; n <= 12; n += 1) {
    const from = n % 2 === 0 ? customer : "5215500000009";
    const value = textFrom(from, `wamid.o${n}`, { body: String(n) });
    await number.send(whatsapp(number.numberId, "messages", value));
  }
  await Promise.all([fixture.drain(), fixture.drain(), fixture.drain()]);
  await fixture.drain();
  const rows = await fixture.query<{ texts: string }>(
    `SELECT GROUP_CONCAT(content ORDER BY id) AS texts FROM messages WHERE account_id = ?
      GROUP BY conversation_id ORDER BY texts`,
    [number.account.accountId],
  );
  expect(rows.map(({ texts }) => texts)).toEqual(["1,3,5,7,9,11", "2,4,6,8,10,12"]);
});

test("an unknown number is unrouted, and replayed once when the number is connected", async () => {
  const number = await fixture.addNumber({ connected: false });
  await say(number, textFrom(customer, "wamid.u1"));
  await say(number, textFrom(customer, "wamid.u1"));
  expect(await itemsOf(number)).toMatchObject([{ state: "unrouted" }]);
  expect((await number.connect()).status).toBe(201);
  await fixture.drain();
  expect(await itemsOf(number)).toMatchObject([{ state: "done" }]);
  expect(await messagesOf(number)).toHaveLength(1);
});

test("a slug reaches the numbers of its own app alone", async () => {
  const number = await fixture.addNumber();
  const forger = await fixture.addNumber();
  await forger.send(whatsapp(number.numberId, "messages", textFrom(customer, "wamid.f1")));
  await fixture.drain();
  expect(await messagesOf(number)).toEqual([]);
  expect(await messagesOf(forger)).toEqual([]);
  expect(await itemsOf(forger)).toMatchObject([{ state: "unrouted" }]);
});

test("the items of a killed worker are taken over after its lease, and applied once", async () => {
  const number = await fixture.addNumber();
  // The worker splits, claims, and dies.
  await number.send(whatsapp(number.numberId, "messages", textFrom(customer, "wamid.k1")));
  const { dataSource } = fixture.database;
  await asSystem(dataSource, 0, async (tx) => await splitWebhooks(tx, number.appId));
  const claimed = await asSystem(
    dataSource,
    0,
    async (tx) => await claimPartitions(tx, createPartitionPlace()),
  );
  expect(claimed.flatMap(({ ids }) => ids)).toHaveLength(1);
  await fixture.drain();
  expect(await messagesOf(number)).toEqual([]);
  await fixture.query("UPDATE channel_items SET due_at = due_at - INTERVAL 30 SECOND");
  await Promise.all([fixture.drain(), fixture.drain()]);
  expect(await messagesOf(number)).toHaveLength(1);
});

/** Every order of some words. */
function ordersOf(words: readonly string[]): string[][] {
  if (words.length < 2) return [[...words]];
  return words.flatMap((word) =>
    ordersOf(words.filter((one) => one !== word)).map((rest) => [word, ...rest]),
  );
}

test.each(ordersOf(["sent", "delivered", "read", "failed"]))(
  "statuses in the order %s %s %s %s end as read",
  async (...order) => {
    const number = await fixture.addNumber();
    await say(number, textFrom(customer, "wamid.s0"));
    await echo(number, "wamid.s1");
    for (const status of order) {
      const errors = status === "failed" ? { errors: [{ code: 131_026, title: "No" }] } : {};
      await say(number, statusOf("wamid.s1", status, customer, errors));
    }
    const [, sent] = await messagesOf(number);
    expect(sent).toMatchObject({ status: "read" });
    const events = await fixture.eventsOf(number.account.accountId);
    expect(events.filter((type) => type === "message.sent")).toHaveLength(1);
  },
);

async function echo(number: TestNumber, id: string, body = "Dígame"): Promise<void> {
  const one = {
    from: "15550001111",
    to: customer,
    id,
    timestamp: String(Math.floor(Date.now() / 1000)),
    type: "text",
    text: { body },
  };
  await number.send(whatsapp(number.numberId, "smb_message_echoes", { message_echoes: [one] }));
  await fixture.drain();
}

test("a failure without a delivery stays a failure, with the provider's code", async () => {
  const number = await fixture.addNumber();
  await say(number, textFrom(customer, "wamid.x0"));
  await echo(number, "wamid.x1");
  const errors = [{ code: 131_026, title: "Message undeliverable" }];
  await say(number, statusOf("wamid.x1", "failed", customer, { errors }));
  await say(number, statusOf("wamid.x1", "sent", customer));
  const [row] = await fixture.query<{ status: string; error: { provider_code: string } }>(
    "SELECT status, error FROM messages WHERE account_id = ? AND direction = 'outbound'",
    [number.account.accountId],
  );
  expect(row).toMatchObject({ status: "failed", error: { provider_code: "131026" } });
});

test("a status before its message waits, and is applied once the message is there", async () => {
  const number = await fixture.addNumber();
  await say(number, textFrom(customer, "wamid.w0"));
  await say(number, statusOf("wamid.w1", "delivered", customer));
  expect((await itemsOf(number)).at(-1)).toMatchObject({ kind: "status", state: "waiting" });
  await echo(number, "wamid.w1");
  await fixture.query("UPDATE channel_items SET due_at = created_at WHERE state = 'waiting'");
  await fixture.drain();
  expect((await messagesOf(number)).at(-1)).toMatchObject({ status: "delivered" });
  await say(number, statusOf("wamid.never", "delivered", customer));
  await fixture.query(
    "UPDATE channel_items SET due_at = created_at, created_at = created_at - INTERVAL 11 MINUTE WHERE state = 'waiting'",
  );
  await fixture.drain();
  expect((await itemsOf(number)).at(-1)).toMatchObject({ state: "done", reason: "unmatched" });
});

test("an echo is a person's message: it pauses the agent, and opens no window", async () => {
  const number = await fixture.addNumber();
  await say(number, textFrom(customer, "wamid.e0", { ago: 20 * 3_600 }));
  const window = async () =>
    await fixture.query(
      `SELECT last_customer_message_at AS at, bot_enabled AS bot, status, customer_waits_since AS waits
         FROM conversations WHERE account_id = ?`,
      [number.account.accountId],
    );
  const [before] = await window();
  expect(before).toMatchObject({ bot: 1, status: "active" });
  expect(Date.now() - Number(before?.["at"])).toBeGreaterThan(20 * 3_600_000 - 5_000);
  await echo(number, "wamid.e1");
  await echo(number, "wamid.e1");
  const [after] = await window();
  expect(after).toEqual({ at: before?.["at"], bot: 0, status: "handed_off", waits: null });
  const [, row] = await messagesOf(number);
  expect(row).toMatchObject({ content: "Dígame", sender_type: "user", status: "sent" });
  expect(await fixture.eventsOf(number.account.accountId)).toEqual([
    "contact.created",
    "conversation.created",
    "message.received",
    "message.sent",
    "conversation.bot.disabled",
    "conversation.updated",
  ]);
});

test("a reaction is set, replaced and removed, and publishes nothing", async () => {
  const number = await fixture.addNumber();
  await say(number, textFrom(customer, "wamid.r0"));
  const events = await fixture.eventsOf(number.account.accountId);
  const react = async (id: string, emoji: string) => {
    const reaction = { message_id: "wamid.r0", emoji };
    const more = { type: "reaction", text: undefined, reaction };
    await say(number, textFrom(customer, id, { more }));
    return await fixture.query("SELECT emoji FROM message_reactions WHERE account_id = ?", [
      number.account.accountId,
    ]);
  };
  expect(await react("wamid.r1", "👍")).toEqual([{ emoji: "👍" }]);
  expect(await react("wamid.r2", "❤️")).toEqual([{ emoji: "❤️" }]);
  expect(await react("wamid.r3", "")).toEqual([{ emoji: null }]);
  expect(await fixture.eventsOf(number.account.accountId)).toEqual(events);
  expect(await messagesOf(number)).toHaveLength(1);
});

test("a new number moves with its customer, once, and the old one is free", async () => {
  const number = await fixture.addNumber();
  await say(number, textFrom(customer, "wamid.n0"));
  const system = { body: "changed", type: "user_changed_number", wa_id: "5215587654321" };
  const more = { type: "system", text: undefined, system };
  await say(number, textFrom(customer, "wamid.n1", { more }));
  await say(number, textFrom(customer, "wamid.n1", { more }));
  const [contact] = await fixture.query(
    "SELECT phone FROM contacts WHERE account_id = ? AND merged_into_id IS NULL",
    [number.account.accountId],
  );
  expect(contact).toEqual({ phone: "5215587654321" });
  const events = await fixture.eventsOf(number.account.accountId);
  expect(events.slice(3)).toEqual(["contact.updated"]);
  await say(number, textFrom("5215587654321", "wamid.n2"));
  expect(await fixture.count("contacts")).toEqual({ contacts: expect.any(Number) });
  const rows = await fixture.query("SELECT id FROM contacts WHERE account_id = ?", [
    number.account.accountId,
  ]);
  expect(rows).toHaveLength(1);
  await say(number, textFrom(customer, "wamid.n3", { name: "Otra" }));
  const both = await fixture.query("SELECT name FROM contacts WHERE account_id = ? ORDER BY id", [
    number.account.accountId,
  ]);
  expect(both).toEqual([{ name: "Ana" }, { name: "Otra" }]);
});

test("a new id of a user is recorded, and the phone stays", async () => {
  const number = await fixture.addNumber();
  await say(number, textFrom(customer, "wamid.u0", { more: { from_user_id: "MX.1" } }));
  const system = { type: "user_changed_user_id", user_id: "MX.2", previous_user_id: "MX.1" };
  const more = { type: "system", text: undefined, system, from_user_id: "MX.2" };
  await say(number, textFrom(customer, "wamid.u1", { more }));
  const of = [number.account.accountId];
  const contacts = "SELECT phone FROM contacts WHERE account_id = ?";
  expect(await fixture.query(contacts, of)).toEqual([{ phone: customer }]);
  const ids = await fixture.query<{ external_id: string }>(
    "SELECT external_id FROM contact_identities WHERE account_id = ? ORDER BY external_id",
    of,
  );
  expect(ids.map(({ external_id }) => external_id)).toEqual([customer, "MX.2"]);
  const without = { from: undefined, from_user_id: "MX.2" };
  await say(number, textFrom(customer, "wamid.u2", { more: without }));
  expect(await fixture.query(contacts, of)).toHaveLength(1);
});

test("a piece that MySQL could not store costs its neighbours nothing", async () => {
  const number = await fixture.addNumber();
  const deep: unknown = JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`);
  await say(
    number,
    textFrom("521é", "wamid.h0"),
    textFrom("5".repeat(300), "wamid.h1"),
    textFrom(customer, "wamid.h2", { more: { type: "hologram", hologram: deep } }),
    textFrom(customer, "wamid.h3"),
  );
  const stored = await messagesOf(number);
  expect(stored.map(({ content }) => content)).toEqual([null, "Hola"]);
  const parked = (await itemsOf(number)).filter(({ state }) => state === "parked");
  expect(parked.map(({ reason }) => reason)).toEqual(["no_sender", "no_sender"]);
});

test("a new conversation uses the number, and the sandbox once the number is disconnected", async () => {
  const number = await fixture.addNumber();
  const { apiKey } = number.account;
  const open = async (phone: string) => {
    const body = { phone, initial_message: "Hello" };
    const opened = await fixture.api.call("POST", "/api/v1/conversations", { apiKey, body });
    const [row] = await fixture.query<{ driver: string }>(
      `SELECT a.driver FROM conversations c JOIN channel_accounts a ON a.id = c.channel_account_id
        WHERE c.id = ?`,
      [opened.json.data.id],
    );
    return row?.driver;
  };
  expect(await open("5215512345601")).toBe("whatsapp_cloud");
  await fixture.query("UPDATE channel_accounts SET state = 'disconnected' WHERE id = ?", [
    number.channelAccountId,
  ]);
  expect(await open("5215512345602")).toBe("sandbox");
});
