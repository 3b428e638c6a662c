import { beforeEach, expect, test } from "vitest";
import { placeStep } from "../../../../core/model/pipeline.ts";
import {
  chooseCardPlace,
  type Neighbour,
} from "../../../../core/services/pipelines/stage-places.ts";
import type { Tx } from "../../../../db/transaction.ts";
import { asSystem } from "../../../support/accounts.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const accountId = 1;
const stageId = 1;
/** Contacts of the column, each with its number as id. */
const column = 3_000;

/** Fills the column, the first contact at the bottom. Every tenth card is won. */
beforeEach(async () => {
  await database.dataSource.query("DELETE FROM contact_stages");
  await database.dataSource.query(
    `INSERT /*+ SET_VAR(cte_max_recursion_depth = 10000) */ INTO contact_stages
       (account_id, contact_id, pipeline_id, stage_id, conversation_id, place, moved_at, outcome)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${column})
     SELECT ?, i, 1, ?, i, i * ?, NOW(), IF(i % 10 = 0, 'won', 'open') FROM n`,
    [accountId, stageId, placeStep],
  );
});

async function inAccount<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return await asSystem(database.dataSource, accountId, work);
}

async function listCards() {
  return await database.dataSource.query<{ id: number; place: number; outcome: string }[]>(
    "SELECT contact_id AS id, place, outcome FROM contact_stages WHERE stage_id = ? ORDER BY place, id",
    [stageId],
  );
}

const openIds = async () =>
  (await listCards()).filter(({ outcome }) => outcome === "open").map(({ id }) => id);

/** Rows that the connection has read and written. */
async function countRows(tx: Tx): Promise<{ read: number; written: number }> {
  const rows = await tx.manager.query<{ Variable_name: string; Value: string }[]>(
    "SHOW SESSION STATUS WHERE Variable_name REGEXP '^Handler_(update|read_(key|next|prev|rnd))$'",
  );
  const sumOf = (isWanted: (name: string) => boolean) =>
    rows
      .filter(({ Variable_name: name }) => isWanted(name))
      .reduce((sum, { Value }) => sum + Number(Value), 0);
  const isUpdate = (name: string) => name === "Handler_update";
  return { read: sumOf((name) => !isUpdate(name)), written: sumOf(isUpdate) };
}

/** Puts a new card beside another. @returns the rows that this has read and written */
async function put(contactId: number, near: Neighbour): Promise<{ read: number; written: number }> {
  return await inAccount(async (tx) => {
    const before = await countRows(tx);
    const place = await chooseCardPlace(tx, stageId, contactId, near);
    const after = await countRows(tx);
    await tx.manager.query(
      `INSERT INTO contact_stages
         (account_id, contact_id, pipeline_id, stage_id, conversation_id, place, moved_at)
       VALUES (?, ?, 1, ?, 1, ?, NOW())`,
      [accountId, contactId, stageId, place],
    );
    return { read: after.read - before.read, written: after.written - before.written };
  });
}

test.each([
  ["in the middle", 1_501, "above"],
  ["in the middle", 1_502, "below"],
  ["at the bottom", 2, "below"],
  ["at the top", column - 1, "below"],
] as const)(
  "cards that are put into one gap %s (%i, %s) move few others, in any number",
  async (_, beside, side) => {
    const ids = await openIds();
    const cost = { read: 0, written: 0 };
    for (let count = 0; count < 100; count += 1) {
      const contactId = 10_000 + count;
      const { read, written } = await put(contactId, { contactId: beside, side });
      cost.read = Math.max(cost.read, read);
      cost.written = Math.max(cost.written, written);
      const at = ids.indexOf(beside);
      ids.splice(side === "above" ? at + 1 : at, 0, contactId);
    }
    expect(await openIds()).toEqual(ids);
    // A renumbering takes the cards that were put there, and 16 others.
    expect(cost.written).toBeGreaterThan(0);
    expect(cost.written).toBeLessThanOrEqual(128);
    expect(cost.read).toBeLessThanOrEqual(700);
    const won = (await listCards()).filter(({ outcome }) => outcome === "won");
    expect(won.map(({ place }) => place)).toEqual(won.map(({ id }) => id * placeStep));
  },
);

test("cards that came to one place at once get places of their own", async () => {
  await database.dataSource.query(
    "UPDATE contact_stages SET place = 1501 * ? WHERE contact_id BETWEEN 1501 AND 1540",
    [placeStep],
  );
  const ids = await openIds();
  const { written } = await put(10_000, { contactId: 1_521, side: "above" });
  ids.splice(ids.indexOf(1_521) + 1, 0, 10_000);
  expect(await openIds()).toEqual(ids);
  expect(written).toBeLessThanOrEqual(64);
});
