import { expect, test } from "vitest";
import { AppError } from "../../../../core/errors.ts";
import { upsertContact } from "../../../../core/services/contacts/contact-upserts.ts";
import { asSystem, createTestAccount } from "../../../support/accounts.ts";
import { commitRows, createContactImport, planRows } from "../../../support/contact-imports.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

const people = 400;
const phoneOf = (index: number) => String(34_622_000_000 + index);
const emailOf = (index: number) => `p${index}@example.com`;

test("a commit beside live writers of the same people loses no change and makes no duplicate", async () => {
  const { accountId } = await createTestAccount(database.dataSource);
  const job = await createContactImport(database.dataSource, accountId);
  // Each person has two rows, so that a batch both creates and updates.
  const rows = Array.from({ length: people * 2 }, (_, index) => {
    const person = index % people;
    return [
      `Row ${index}`,
      phoneOf(person),
      index < people ? "" : emailOf(person),
      `tag${index % 3}`,
    ];
  });
  await planRows(database.dataSource, job, rows);

  let isOver = false;
  let refused = 0;
  const write = async (lane: number): Promise<void> => {
    for (let call = 0; !isOver; call += 1) {
      const person = (call * 7 + lane * 131) % people;
      const body =
        call % 3 === 0
          ? { email: emailOf(person), name: `Live ${lane} ${call}` }
          : { phone: phoneOf(person), name: `Live ${lane} ${call}`, tags: [`live${lane}`] };
      try {
        await asSystem(database.dataSource, accountId, (tx) => upsertContact(tx, body));
      } catch (error) {
        // A live call may have made a contact of the email alone: then both keys have an owner.
        if (!(error instanceof AppError) || error.code !== "contact_conflict") throw error;
        refused += 1;
      }
    }
  };
  const writers = Promise.all([0, 1, 2, 3].map(write));
  const done = await commitRows(database.dataSource, job, 100).finally(() => (isOver = true));
  await writers;

  const states = new Set(done.map(({ state }) => state));
  expect([...states].filter((state) => state === "pending" || state === "failed")).toEqual([]);
  expect(refused).toBe(0);
  const [keys] = await database.dataSource.query<{ phones: number; distinct_phones: number }[]>(
    `SELECT COUNT(phone_key) AS phones, COUNT(DISTINCT phone_key) AS distinct_phones
       FROM contacts WHERE account_id = ?`,
    [accountId],
  );
  expect([Number(keys?.phones), Number(keys?.distinct_phones)]).toEqual([people, people]);
  // Every change made a version: those of the live writers have an event, those of the rows a state.
  const versions = await database.dataSource.query<
    { id: number; version: number; changes: number }[]
  >(
    `SELECT c.id, c.version,
            (SELECT COUNT(*) FROM events e WHERE e.contact_id = c.id)
          + (SELECT COUNT(*) FROM import_rows r WHERE r.import_id = ? AND r.contact_id = c.id
                AND r.state IN ('created', 'updated')) AS changes
       FROM contacts c WHERE c.account_id = ? ORDER BY c.id`,
    [job.id, accountId],
  );
  expect(versions.filter(({ version, changes }) => version !== Number(changes))).toEqual([]);
});
