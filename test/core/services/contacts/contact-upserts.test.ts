import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { AppError } from "../../../../core/errors.ts";
import {
  upsertContact,
  upsertContacts,
  type ContactUpsert,
  type UpsertOutcome,
} from "../../../../core/services/contacts/contact-upserts.ts";
import type { Tx } from "../../../../db/transaction.ts";
import { asSystem, createTestAccount, createTestSubscription } from "../../../support/accounts.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

async function subscribedAccount(): Promise<number> {
  const { accountId } = await createTestAccount(database.dataSource);
  for (const path of ["a", "b"]) {
    await createTestSubscription(database.dataSource, accountId, {
      url: `https://r.example/${path}`,
    });
  }
  return accountId;
}

const inAccount = async <T>(accountId: number, work: (tx: Tx) => Promise<T>) =>
  await asSystem(database.dataSource, accountId, work);

/** Contacts of an account by their identifiers, with the events of each and their deliveries. */
async function tablesOf(accountId: number) {
  return await database.dataSource.query<object[]>(
    `SELECT c.name, c.phone, c.phone_key, c.email, c.version,
            (SELECT JSON_ARRAYAGG(tag) FROM (SELECT tag FROM contact_tags t
              WHERE t.contact_id = c.id ORDER BY tag) AS tags) AS tags,
            (SELECT GROUP_CONCAT(e.type ORDER BY e.id) FROM events e WHERE e.contact_id = c.id) AS events,
            (SELECT COUNT(DISTINCT d.subscription_id, d.event_id) FROM events e
               JOIN deliveries d ON d.event_id = e.id JOIN outbox o ON o.delivery_id = d.id
              WHERE e.contact_id = c.id) AS deliveries,
            (SELECT COUNT(*) FROM changes v WHERE v.contact_id = c.id) AS changes
       FROM contacts c WHERE c.account_id = ? ORDER BY c.phone_key, c.email`,
    [accountId],
  );
}

/** Few values, so that calls often meet; two phones are spellings of one number. */
const call = fc.record(
  {
    name: fc.constantFrom("Ana", "Bea"),
    phone: fc.constantFrom("5215512345678", "525512345678", "34600111222", "34600111223"),
    email: fc.constantFrom("a@example.com", "b@example.com", "c@example.com"),
    tags: fc.constantFrom(["vip"], ["VIP", "lead"]),
  },
  { requiredKeys: [] },
);
const calls = fc.array(
  call.filter(({ phone, email }) => phone !== undefined || email !== undefined),
  { maxLength: 12 },
) as fc.Arbitrary<ContactUpsert[]>;

const summaryOf = (outcome: UpsertOutcome) =>
  outcome instanceof AppError
    ? outcome.code
    : outcome && [
        outcome.created,
        outcome.changed,
        outcome.record.row.phone,
        outcome.record.row.email,
        outcome.record.tags,
      ];

/** One call in a transaction of its own. */
async function upsertAlone(accountId: number, body: ContactUpsert): Promise<UpsertOutcome> {
  return await inAccount(accountId, (tx) => upsertContact(tx, body)).catch((error: unknown) => {
    if (error instanceof AppError) return error;
    throw error;
  });
}

test("upserts in one transaction have the outcome that each has in its own", async () => {
  await fc.assert(
    fc.asyncProperty(calls, calls, async (before, together) => {
      const shared = await subscribedAccount();
      const single = await subscribedAccount();
      for (const body of before) {
        await upsertAlone(shared, body);
        await upsertAlone(single, body);
      }
      const outcomes = await inAccount(shared, (tx) => upsertContacts(tx, together));
      // No other transaction holds a lock, so the first call is never left out.
      expect(outcomes.findIndex((outcome) => outcome === null)).not.toBe(0);
      for (const leftOut of [false, true]) {
        for (const [index, body] of together.entries()) {
          if ((outcomes[index] === null) !== leftOut) continue;
          const alone = summaryOf(await upsertAlone(single, body));
          const outcome = leftOut ? await upsertAlone(shared, body) : (outcomes[index] ?? null);
          expect(summaryOf(outcome)).toEqual(alone);
        }
      }
      expect(await tablesOf(shared)).toEqual(await tablesOf(single));
    }),
    { numRuns: 40 },
  );
});

test("a contact that another transaction has locked is left out, and the others are not", async () => {
  const accountId = await subscribedAccount();
  const ana = { phone: "34600111222", name: "Ana" };
  await upsertAlone(accountId, ana);
  await inAccount(accountId, async (tx) => {
    await tx.manager.query("SELECT id FROM contacts WHERE account_id = ? FOR UPDATE", [accountId]);
    const outcomes = await inAccount(accountId, (other) =>
      upsertContacts(other, [
        { phone: ana.phone, name: "Ann" },
        { phone: "34600111223", name: "Bea" },
      ]),
    );
    expect(outcomes.map(summaryOf)).toEqual([null, [true, true, "34600111223", null, []]]);
  });
  expect(await tablesOf(accountId)).toMatchObject([{ name: "Ana" }, { name: "Bea" }]);
});

test("updates that take long leave the rest out, before they have written anything", async ({
  onTestFinished,
}) => {
  const accountId = await subscribedAccount();
  const phones = ["34600300001", "34600300002", "34600300003"];
  for (const phone of phones) await upsertAlone(accountId, { phone, name: "Before" });
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 100));
  onTestFinished(() => clock.mockRestore());
  const outcomes = await inAccount(accountId, (tx) =>
    upsertContacts(
      tx,
      phones.map((phone) => ({ phone, name: "After" })),
    ),
  );
  expect(outcomes.map((outcome) => outcome !== null)).toEqual([true, false, false]);
  expect(await tablesOf(accountId)).toMatchObject([
    { name: "After", version: 2 },
    { name: "Before", version: 1 },
    { name: "Before", version: 1 },
  ]);
});

test("new contacts take eight statements together, however many they are", async ({
  onTestFinished,
}) => {
  const accountId = await subscribedAccount();
  await upsertAlone(accountId, { phone: "34600999999" });
  const { dataSource } = database;
  const query = vi.spyOn(
    Object.getPrototypeOf(dataSource.createQueryRunner()) as { query: () => unknown },
    "query",
  );
  onTestFinished(() => query.mockRestore());
  const bodies = Array.from({ length: 30 }, (_, index) => ({
    phone: String(34_600_200_000 + index),
  }));
  const outcomes = await inAccount(accountId, (tx) => upsertContacts(tx, bodies));
  expect(query).toHaveBeenCalledTimes(8);
  // Each caller gets its own contact.
  expect(outcomes.map(summaryOf)).toEqual(bodies.map(({ phone }) => [true, true, phone, null, []]));
});
