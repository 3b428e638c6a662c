import { beforeAll, expect, test, vi } from "vitest";
import type { Tx } from "../../../db/transaction.ts";
import { asSystem, createTestAccount, createTestSubscription } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);

beforeAll(async () => {
  const { accountId } = fixture.account;
  await createTestSubscription(fixture.database.dataSource, accountId, {
    url: "http://127.0.0.1:9/",
  });
});

const upsert = async (body: object, { apiKey } = fixture.account, headers = {}) =>
  await fixture.api.call("POST", "/api/v1/contacts", { apiKey, headers, body });

let phone = 34_700_000_000;
const freshPhones = (count: number) => Array.from({ length: count }, () => String((phone += 1)));

/** Inserts a contact, so that an insert with the same phone waits until the transaction ends. */
async function takePhone(tx: Tx, taken: string | undefined): Promise<void> {
  await tx.manager.query(
    "INSERT INTO contacts SET account_id = ?, phone = ?, phone_key = ?, source = 'api'",
    [tx.actor.accountId, taken, taken],
  );
}

/** Counts the transactions that begin while `work` runs. */
async function transactionsOf(work: () => Promise<void>): Promise<number> {
  const runner = fixture.database.dataSource.createQueryRunner();
  const start = vi.spyOn(
    Object.getPrototypeOf(runner) as { startTransaction: () => unknown },
    "startTransaction",
  );
  try {
    await work();
    return start.mock.calls.length;
  } finally {
    start.mockRestore();
  }
}

test("calls that come together share transactions, and each has its own contact and event", async () => {
  const phones = freshPhones(60);
  const began = await transactionsOf(async () => {
    const answers = await Promise.all(
      phones.map((one) => upsert({ phone: one, name: `Name of ${one}` })),
    );
    for (const [index, { status, json }] of answers.entries()) {
      const own = { phone: phones[index], name: `Name of ${phones[index]}` };
      expect([status, json.data]).toMatchObject([201, own]);
    }
    const stored = await fixture.query<{ id: number; phone: string; data: object; rows: number }>(
      `SELECT c.id, c.phone, CAST(CONVERT(e.body USING utf8mb4) AS JSON) AS data, COUNT(o.id) AS 'rows'
         FROM contacts c JOIN events e ON e.contact_id = c.id
         JOIN deliveries d ON d.event_id = e.id JOIN outbox o ON o.delivery_id = d.id
        WHERE c.phone IN (?) GROUP BY c.id, c.phone, e.id`,
      [phones],
    );
    expect(stored).toHaveLength(60);
    const ids = new Map(answers.map(({ json }) => [json.data.phone, json.data.id]));
    for (const { id, phone: own, data, rows } of stored) {
      expect([ids.get(own), Number(rows)]).toEqual([id, 1]);
      expect(data).toMatchObject({ data: { contact_id: id, phone: own } });
    }
  });
  expect(began).toBeLessThan(20);
});

test("a call that is refused refuses no other one", async () => {
  const [one = "", two = "", fresh = ""] = freshPhones(3);
  await upsert({ phone: one });
  await upsert({ phone: two, email: "two@x.co" });
  const answers = await Promise.all([
    upsert({ phone: fresh }),
    upsert({ phone: one, email: "two@x.co" }),
    upsert({ phone: two, name: "Two" }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([201, 409, 200]);
});

test("calls of two accounts never share, and each finds its own contact", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const phones = freshPhones(20);
  const both = phones.flatMap((one) => [
    upsert({ phone: one, name: "Mine" }),
    upsert({ phone: one, name: "Theirs" }, other),
  ]);
  expect(new Set((await Promise.all(both)).map(({ status }) => status))).toEqual(new Set([201]));
  const names = await fixture.query(
    "SELECT account_id, name, COUNT(*) AS n FROM contacts WHERE phone IN (?) GROUP BY account_id, name ORDER BY account_id",
    [phones],
  );
  expect(names).toEqual([
    { account_id: fixture.account.accountId, name: "Mine", n: 20 },
    { account_id: other.accountId, name: "Theirs", n: 20 },
  ]);
});

test("a contact that stays locked holds up its own call alone", async () => {
  const { accountId } = fixture.account;
  const [known = "", ...others] = freshPhones(30);
  const { json } = await upsert({ phone: known });
  const { waiting } = await asSystem(fixture.database.dataSource, accountId, async (tx) => {
    await tx.manager.query("SELECT id FROM contacts WHERE id = ? FOR UPDATE", [json.data.id]);
    const held = upsert({ phone: known, name: "Known" });
    const answers = await Promise.all(others.map((one) => upsert({ phone: one })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    return { waiting: held };
  });
  expect(await waiting).toMatchObject({ status: 200, json: { data: { name: "Known" } } });
});

test("a phone that another transaction is about to take holds up one transaction, not the next", async () => {
  const { accountId } = fixture.account;
  const [taken = "", ...others] = freshPhones(30);
  const { waiting } = await asSystem(fixture.database.dataSource, accountId, async (tx) => {
    await takePhone(tx, taken);
    const held = upsert({ phone: taken, name: "Late" });
    await eventually(async () => {
      const inserts = await fixture.query(
        `SELECT 1 FROM information_schema.processlist
          WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE 'INSERT INTO \`contacts\`%'`,
      );
      expect(inserts).toHaveLength(1);
    });
    const answers = await Promise.all(others.map((one) => upsert({ phone: one })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    return { waiting: held };
  });
  expect(await waiting).toMatchObject({ status: 200, json: { data: { name: "Late" } } });
});

test("calls that share a transaction with one that waits too long for a phone are answered all the same", async () => {
  const { accountId } = fixture.account;
  const phones = freshPhones(12);
  const { waiting } = await asSystem(fixture.database.dataSource, accountId, async (tx) => {
    await takePhone(tx, phones[5]);
    const held = Promise.all(phones.map((one) => upsert({ phone: one, name: "Late" })));
    await eventually(async () => {
      // The other eleven are stored once the lock of the twelfth has been waited for.
      const stored = await fixture.query("SELECT 1 FROM contacts WHERE phone IN (?)", [phones]);
      expect(stored).toHaveLength(11);
    });
    return { waiting: held };
  });
  const statuses = (await waiting).map(({ status }) => status);
  // The phone is free by then, but the call may have waited for as long as a call may.
  expect([200, 503]).toContain(statuses[5]);
  expect(statuses.toSpliced(5, 1)).toEqual(Array(11).fill(201));
});

test("updates that come together all take effect, once each", async () => {
  const phones = freshPhones(40);
  await Promise.all(phones.map((one) => upsert({ phone: one, name: "Before" })));
  const answers = await Promise.all(phones.map((one) => upsert({ phone: one, name: "After" })));
  expect(answers.map(({ status, json }) => [status, json.data.name])).toEqual(
    phones.map(() => [200, "After"]),
  );
  const events = await fixture.query(
    `SELECT e.type, COUNT(*) AS n FROM events e JOIN contacts c ON c.id = e.contact_id
      WHERE c.phone IN (?) GROUP BY e.type ORDER BY e.type`,
    [phones],
  );
  expect(events).toEqual([
    { type: "contact.created", n: 40 },
    { type: "contact.updated", n: 40 },
  ]);
});

test("calls with an Idempotency-Key have transactions of their own, and are repeatable", async () => {
  const phones = freshPhones(10);
  const keyed = async () =>
    await Promise.all(
      phones.map((one) =>
        upsert({ phone: one }, fixture.account, { "idempotency-key": `shared-${one}` }),
      ),
    );
  const first = await keyed();
  const again = await keyed();
  expect(first.map(({ status }) => status)).toEqual(phones.map(() => 201));
  expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
});
