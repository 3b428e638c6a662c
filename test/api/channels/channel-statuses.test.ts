import { expect, test } from "vitest";
import {
  claimPartitions,
  createPartitionPlace,
} from "../../../core/services/channels/claim-partitions.ts";
import { splitWebhooks } from "../../../core/services/channels/channel-webhooks.ts";
import type { Tx } from "../../../db/transaction.ts";
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

const customerOf = (index: number): string => String(5_215_500_000_000 + index);
const sentId = (index: number): string => `wamid.sent-${index}`;

/** A number with customers, each of whom was sent one message. */
async function withSent(customers: number): Promise<TestNumber> {
  const number = await fixture.addNumber();
  const all = Array.from({ length: customers }, (_, index) => index);
  const texts = all.map((index) => textFrom(customerOf(index), `wamid.in-${index}`));
  await number.send(whatsapp(number.numberId, "messages", ...texts));
  const echoes = all.map((index) => ({
    message_echoes: [
      {
        from: "15550001111",
        to: customerOf(index),
        id: sentId(index),
        timestamp: String(Math.floor(Date.now() / 1_000)),
        type: "text",
        text: { body: String(index) },
      },
    ],
  }));
  await number.send(whatsapp(number.numberId, "smb_message_echoes", ...echoes));
  await fixture.drain();
  return number;
}

async function report(number: TestNumber, statuses: object[]): Promise<void> {
  await number.send(whatsapp(number.numberId, "messages", ...statuses));
  await fixture.drain();
}

async function statusesOf({ account }: TestNumber): Promise<string[]> {
  const rows = await fixture.query<{ status: string }>(
    "SELECT status FROM messages WHERE account_id = ? AND direction = 'outbound' ORDER BY content + 0",
    [account.accountId],
  );
  return rows.map(({ status }) => status);
}

async function itemStates({ account }: TestNumber): Promise<Record<string, number>> {
  const rows = await fixture.query<{ state: string; n: number }>(
    "SELECT state, COUNT(*) AS n FROM channel_items WHERE account_id = ? AND kind = 'status' GROUP BY state",
    [account.accountId],
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, Number(n)]));
}

test("statuses of many customers share a transaction, each with its time, change and contact", async () => {
  const number = await withSent(40);
  const { accountId } = number.account;
  const delivered = Array.from({ length: 40 }, (_, index) => {
    const timestamp = String(1_790_000_000 + index);
    return statusOf(sentId(index), "delivered", customerOf(index), { timestamp });
  });
  await number.send(whatsapp(number.numberId, "messages", ...delivered));
  await fixture.drain();
  // A transaction reads the clock once.
  const times = await fixture.query(
    "SELECT DISTINCT updated_at FROM messages WHERE account_id = ? AND direction = 'outbound'",
    [accountId],
  );
  expect(times).toHaveLength(1);
  expect(new Set(await statusesOf(number))).toEqual(new Set(["delivered"]));
  expect(await itemStates(number)).toEqual({ done: 40 });
  const rows = await fixture.query<{ at: number; own: number; changes: number }>(
    `SELECT UNIX_TIMESTAMP(m.delivered_at) - 1790000000 - m.content AS at,
            i.contact_id = m.contact_id AS own,
            (SELECT COUNT(*) FROM changes c
              WHERE c.message_id = m.id AND c.kind = 'message.updated') AS changes
       FROM messages m JOIN channel_items i ON i.account_id = m.account_id AND i.kind = 'status'
            AND i.contact_id = m.contact_id
      WHERE m.account_id = ? AND m.direction = 'outbound'`,
    [accountId],
  );
  expect(rows).toHaveLength(40);
  for (const row of rows) {
    expect([Number(row.at), Number(row.own), Number(row.changes)]).toEqual([0, 1, 1]);
  }
});

test("a status that fails is tried alone, parked after five tries, and stops no neighbour", async () => {
  const number = await withSent(6);
  await fixture.query(
    `CREATE TRIGGER poison BEFORE UPDATE ON messages FOR EACH ROW
       IF NEW.content = '3' AND NEW.delivered_at = '2026-01-02 03:04:05' THEN
         SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'poison'; END IF`,
  );
  try {
    const all = [0, 1, 2, 3, 4, 5].map((index) =>
      statusOf(sentId(index), "delivered", customerOf(index), { timestamp: "1767323045" }),
    );
    // In the same partition, behind the status that fails.
    const behind = statusOf(sentId(3), "read", customerOf(3));
    await report(number, [...all, behind]);
    const others = ["delivered", "delivered", "delivered"];
    expect(await statusesOf(number)).toEqual([...others, "sent", "delivered", "delivered"]);
    expect(await itemStates(number)).toEqual({ done: 5, pending: 2 });
    for (let n = 0; n < 5; n += 1) {
      await fixture.query(
        "UPDATE channel_items SET due_at = created_at WHERE state = 'pending' AND account_id = ?",
        [number.account.accountId],
      );
      await fixture.drain();
    }
    expect(await itemStates(number)).toEqual({ done: 6, parked: 1 });
    expect((await statusesOf(number))[3]).toBe("read");
  } finally {
    await fixture.query("DROP TRIGGER poison");
  }
});

test("a batch with failures and unknown messages applies the rest", async () => {
  const number = await withSent(4);
  const errors = [{ code: 131_026, title: "No" }];
  await report(number, [
    statusOf(sentId(0), "read", customerOf(0)),
    statusOf(sentId(0), "delivered", customerOf(0)),
    statusOf(sentId(1), "failed", customerOf(1), { errors }),
    statusOf("wamid.unknown", "read", customerOf(2)),
    statusOf(sentId(3), "delivered", customerOf(3)),
    statusOf(sentId(3), "read", customerOf(3)),
  ]);
  expect(await statusesOf(number)).toEqual(["read", "failed", "sent", "read"]);
  expect(await itemStates(number)).toEqual({ done: 5, waiting: 1 });
  // A delivery after the failure wins, with the next batch.
  await report(number, [statusOf(sentId(1), "delivered", customerOf(1))]);
  expect((await statusesOf(number))[1]).toBe("delivered");
});

test("reports in a batch on a file move nothing before its caption has left", async () => {
  const number = await withSent(3);
  const { accountId } = number.account;
  const sending =
    "UPDATE messages SET status = 'sending', part = 1, sent_at = NULL WHERE account_id = ? AND content = '1'";
  await fixture.query(sending, [accountId]);
  const all = (status: string) =>
    [0, 1, 2].map((index) => statusOf(sentId(index), status, customerOf(index)));
  const told = (await fixture.eventsOf(accountId)).length;
  await report(number, all("delivered"));
  expect(await statusesOf(number)).toEqual(["delivered", "sending", "delivered"]);
  expect(await itemStates(number)).toEqual({ done: 3 });
  const [open] = await fixture.query<{ part: number; sent_at: Date | null }>(
    "SELECT part, sent_at FROM messages WHERE account_id = ? AND content = '1'",
    [accountId],
  );
  expect(open).toEqual({ part: 1, sent_at: null });
  expect(await fixture.eventsOf(accountId)).toHaveLength(told);
  await fixture.query(
    "UPDATE messages SET status = 'sent', part = NULL, sent_at = NOW() WHERE account_id = ? AND part = 1",
    [accountId],
  );
  await report(number, all("read"));
  expect(await statusesOf(number)).toEqual(["read", "read", "read"]);
});

/** Every order of some words. */
function ordersOf(words: readonly string[]): string[][] {
  if (words.length < 2) return [[...words]];
  return words.flatMap((word) =>
    ordersOf(words.filter((one) => one !== word)).map((rest) => [word, ...rest]),
  );
}

test("every order of sent, delivered, read or played, and failed ends as read, in one webhook too", async () => {
  const orders = ["read", "played"].flatMap((last) =>
    ordersOf(["sent", "delivered", "failed", last]),
  );
  const number = await withSent(orders.length);
  const errors = [{ code: 131_026, title: "No" }];
  // Each status comes twice, as Meta may send it, and all of all customers in one webhook.
  const statuses = orders.flatMap((order, index) =>
    [...order, ...order].map((status) =>
      statusOf(sentId(index), status, customerOf(index), status === "failed" ? { errors } : {}),
    ),
  );
  await report(number, statuses);
  await fixture.drain();
  expect(await statusesOf(number)).toEqual(orders.map(() => "read"));
  expect(await itemStates(number)).toEqual({ done: orders.length * 4 });
  const rows = await fixture.query(
    "SELECT error FROM messages WHERE account_id = ? AND direction = 'outbound' AND error IS NOT NULL",
    [number.account.accountId],
  );
  expect(rows).toEqual([]);
  const types = await fixture.eventsOf(number.account.accountId);
  expect(types.filter((type) => type === "message.sent")).toHaveLength(orders.length);
});

test("statuses that come after the wait settle a message of unknown outcome by our id", async () => {
  for (const status of ["sent", "delivered"]) {
    const number = await withSent(1);
    const [row] = await fixture.query<{ id: number }>(
      "SELECT id FROM messages WHERE account_id = ? AND direction = 'outbound'",
      [number.account.accountId],
    );
    const error = { code: "outcome_unknown", message: "Nobody knows.", provider_code: null };
    await fixture.query("DELETE FROM message_provider_ids WHERE message_id = ?", [row?.id]);
    await fixture.query(
      "UPDATE messages SET status = 'failed', sent_at = NULL, error = ? WHERE id = ?",
      [JSON.stringify(error), row?.id],
    );
    const more = { biz_opaque_callback_data: String(row?.id) };
    await report(number, [statusOf("wamid.late", status, customerOf(0), more)]);
    const [after] = await fixture.query(
      `SELECT m.status, m.error, p.provider_id FROM messages m
         JOIN message_provider_ids p ON p.message_id = m.id WHERE m.id = ?`,
      [row?.id],
    );
    expect(after).toEqual({ status, error: null, provider_id: "wamid.late" });
  }
});

test("a status of another program changes no message, though its own id is the id of one", async () => {
  const number = await withSent(2);
  const [first] = await fixture.query<{ id: number }>(
    "SELECT id FROM messages WHERE account_id = ? AND direction = 'outbound' AND content = '0'",
    [number.account.accountId],
  );
  const more = {
    biz_opaque_callback_data: String(first?.id),
    errors: [{ code: 131_026, title: "Message undeliverable" }],
  };
  await report(number, [statusOf("wamid.foreign", "failed", customerOf(1), more)]);
  expect(await statusesOf(number)).toEqual(["sent", "sent"]);
  expect(await itemStates(number)).toEqual({ waiting: 1 });
  const names = await fixture.query("SELECT 1 FROM message_provider_ids WHERE message_id = ?", [
    first?.id,
  ]);
  expect(names).toHaveLength(1);
});

async function rowsRead(tx: Tx): Promise<number> {
  const rows = await tx.manager.query<{ Value: string }[]>(
    "SHOW SESSION STATUS LIKE 'Handler_read%'",
  );
  return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
}

test("a flood of one customer costs a claim no more rows, and other customers do not wait", async () => {
  const number = await fixture.addNumber();
  const flood = Array.from({ length: 1_500 }, (_, index) =>
    textFrom(customerOf(1), `wamid.flood-${index}`),
  );
  await number.send(whatsapp(number.numberId, "messages", ...flood));
  await number.send(
    whatsapp(number.numberId, "messages", textFrom(customerOf(2), "wamid.calm", { body: "Calm" })),
  );
  const { dataSource } = fixture.database;
  await asSystem(dataSource, 0, async (tx) => await splitWebhooks(tx, number.appId));
  await fixture.query("ANALYZE TABLE channel_items");
  await asSystem(dataSource, 0, async (tx) => {
    const before = await rowsRead(tx);
    const claimed = await claimPartitions(tx, createPartitionPlace());
    const read = (await rowsRead(tx)) - before;
    expect(read).toBeLessThan(1_000);
    const partitions = claimed.filter(({ accountId }) => accountId === number.account.accountId);
    expect(partitions.map(({ ids }) => ids.length).toSorted((one, other) => one - other)).toEqual([
      1, 20,
    ]);
  });
});

test("a claim takes few messages of a flood, and claim after claim takes each once", async () => {
  const number = await fixture.addNumber();
  const many = Array.from({ length: 150 }, (_, index) =>
    textFrom(customerOf(index % 60), `wamid.flood-${index}`),
  );
  await number.send(whatsapp(number.numberId, "messages", ...many));
  const { dataSource } = fixture.database;
  await asSystem(dataSource, 0, async (tx) => await splitWebhooks(tx, number.appId));
  const place = createPartitionPlace();
  const taken: number[] = [];
  for (let claims = 0; claims < 20 && taken.length < many.length; claims += 1) {
    const partitions = await asSystem(
      dataSource,
      0,
      async (tx) => await claimPartitions(tx, place),
    );
    const ids = partitions
      .filter(({ accountId }) => accountId === number.account.accountId)
      .flatMap((partition) => partition.ids);
    // A look ends with the customer that fills it, who may have twenty messages.
    expect(ids.length).toBeLessThanOrEqual(48 + 20);
    taken.push(...ids);
    // Else a later claim finds each customer's oldest message leased.
    if (ids.length > 0)
      await fixture.query("UPDATE channel_items SET state = 'done' WHERE id IN (?)", [ids]);
  }
  expect(new Set(taken).size).toBe(many.length);
  expect(taken).toHaveLength(many.length);
});

test("channel accounts take turns, however many customers one of them has", async () => {
  const busy = await fixture.addNumber();
  const calm = await fixture.addNumber();
  const many = Array.from({ length: 1_000 }, (_, index) =>
    textFrom(customerOf(index), `wamid.busy-${index}`),
  );
  await busy.send(whatsapp(busy.numberId, "messages", ...many));
  await calm.send(whatsapp(calm.numberId, "messages", textFrom(customerOf(1), "wamid.calm-2")));
  const { dataSource } = fixture.database;
  for (const { appId } of [busy, calm])
    await asSystem(dataSource, 0, async (tx) => await splitWebhooks(tx, appId));
  const place = createPartitionPlace();
  place.channelAccountId = busy.channelAccountId - 1;
  const claimed: number[][] = [];
  for (let claims = 0; claims < 2; claims += 1) {
    const partitions = await asSystem(
      dataSource,
      0,
      async (tx) => await claimPartitions(tx, place),
    );
    claimed.push([...new Set(partitions.map(({ accountId }) => accountId))]);
  }
  expect(claimed.flat()).toContain(calm.account.accountId);
});
