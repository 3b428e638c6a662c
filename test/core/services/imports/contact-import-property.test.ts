import fc from "fast-check";
import { expect, test } from "vitest";
import { AppError } from "../../../../core/errors.ts";
import { judgeContactRow } from "../../../../core/imports/contact-row.ts";
import { upsertContact } from "../../../../core/services/contacts/contact-upserts.ts";
import { mappingOf } from "../../../../core/services/imports/contact-rows.ts";
import { createTestAccount } from "../../../support/accounts.ts";
import {
  asImport,
  commitRows,
  createContactImport,
  planRows,
} from "../../../support/contact-imports.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

/** Few values, so that rows often meet; several are spellings of one number or of one tag. */
const cells = {
  name: ["", "Ana", "ana", "Bea", "Ñandú 🦤"],
  phone: [
    "",
    "",
    "5215512345678",
    "525512345678",
    "5491145678901",
    "+54 11 4567 8901",
    "34600111222",
    "34600111223",
    "34600111224",
  ],
  email: [
    "",
    "",
    "a@example.com",
    "A@Example.com",
    "b@example.com",
    "c@example.com",
    "d@example.com",
  ],
  tags: ["", "", "vip", "VIP;lead", "ＶＩＰ", "éa;ea", "lead|new;NEW", "x;y;z"],
};
const row = fc.tuple(
  fc.constantFrom(...cells.name),
  fc.constantFrom(...cells.phone),
  fc.constantFrom(...cells.email),
  fc.constantFrom(...cells.tags),
);

/** Contacts of an account with their tags, in the order of their creation. */
async function tablesOf(accountId: number) {
  const contacts = await database.dataSource.query<{ id: number; version: number }[]>(
    `SELECT id, name, phone, phone_key, email, merged_into_id, created_by_user_id, version
       FROM contacts WHERE account_id = ? ORDER BY id`,
    [accountId],
  );
  const tags = await database.dataSource.query<{ contact_id: number; tag: string }[]>(
    "SELECT contact_id, tag FROM contact_tags WHERE account_id = ? ORDER BY created_at, tag",
    [accountId],
  );
  return contacts.map(({ id, ...contact }) => ({
    ...contact,
    // Tags of two calls in one millisecond stand in the order of their letters.
    tags: tags
      .filter((tag) => tag.contact_id === id)
      .map(({ tag }) => tag)
      .toSorted(),
  }));
}

/** The rows as calls of `upsertContact`, one transaction each. A refused row is left out. */
async function upsertRows(rows: string[][]): Promise<number> {
  const { accountId } = await createTestAccount(database.dataSource);
  const mapping = mappingOf(await createContactImport(database.dataSource, accountId));
  for (const raw of rows) {
    const judged = judgeContactRow(raw, mapping);
    if ("reason" in judged) continue;
    const { name, phone, email, tags } = judged;
    const body = {
      ...(name === null ? {} : { name }),
      ...(phone === null ? {} : { phone }),
      ...(email === null ? {} : { email }),
      ...(tags.length === 0 ? {} : { tags }),
    };
    await asImport(database.dataSource, accountId, (tx) => upsertContact(tx, body)).catch(
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      },
    );
  }
  return accountId;
}

test("batches leave the tables that the same rows leave through upsertContact", async () => {
  const batchSizes = fc.constantFrom(1, 3, 500);
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 14 }), batchSizes, async (rows, batchSize) => {
      const single = await upsertRows(rows);
      const { accountId } = await createTestAccount(database.dataSource);
      const job = await createContactImport(database.dataSource, accountId);
      await planRows(database.dataSource, job, rows, batchSize);
      const done = await commitRows(database.dataSource, job, batchSize);
      expect(await tablesOf(accountId)).toEqual(await tablesOf(single));
      // The contacts stayed the same between plan and commit, so each outcome is the planned one.
      const outcomes = { create: "created", update: "updated", skip: "pending" };
      for (const { plan, state } of done) {
        expect(state).toBe(Reflect.get(outcomes, plan) ?? plan);
      }
    }),
    { numRuns: 40 },
  );
});
