import { expect, test, vi } from "vitest";
import { exportPageSize, exportTables } from "../../../../core/services/exports/export-tables.ts";
import type { Tx } from "../../../../db/transaction.ts";
import { createTestAgenda } from "../../../support/appointments.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

/** An account with one appointment an hour, one more than a page holds. Titles count from 0. */
async function fillAgenda() {
  const agenda = await createTestAgenda(database.dataSource);
  const { account, resourceId } = agenda;
  const first = new Date("2027-03-01T00:00:00Z").getTime();
  const rows = Array.from({ length: exportPageSize + 1 }, (_, index) => {
    const start = new Date(first + index * 3_600_000);
    const place = [account.accountId, resourceId, 1, "confirmed", `${index}`, "Ana"];
    return [...place, start, start, start, start];
  });
  await database.dataSource.query(
    `INSERT INTO appointments (account_id, resource_id, contact_id, status, title, customer_name,
            start_time, end_time, blocked_from, blocked_until)
     VALUES ${rows.map((row) => `(${row.map(() => "?").join(", ")})`).join(", ")}`,
    rows.flat(),
  );
  const move = async (title: string, to: string) => {
    await database.dataSource.query(
      "UPDATE appointments SET start_time = ? WHERE account_id = ? AND title = ?",
      [new Date(to), account.accountId, title],
    );
  };
  return { ...agenda, move };
}

/** Does something else between the two queries of one page. */
function betweenQueries(tx: Tx, work: () => Promise<unknown>): void {
  const find = vi.spyOn(tx.manager, "findBy");
  const readRows = tx.manager.findBy.bind(tx.manager);
  find.mockImplementationOnce(async (...query) => {
    await work();
    find.mockRestore();
    return await readRows(...query);
  });
}

test("an appointment that moves while its page is read hides no later appointment", async () => {
  const { run, move } = await fillAgenda();
  const { appointments } = exportTables;
  const title = appointments.columns.indexOf("title");
  const page = await run(async (tx) => {
    // The last appointment of the page moves right after the page was found.
    betweenQueries(tx, () => move(`${exportPageSize - 1}`, "2028-01-01T00:00:00Z"));
    return await appointments.readPage(tx, null, null);
  });
  expect(page.rows).toHaveLength(exportPageSize);
  const next = await run((tx) => appointments.readPage(tx, null, page.next));
  expect(next.rows.map((row) => row[title])).toEqual([`${exportPageSize}`]);
  expect(next.next).toBe(null);
});

test("appointments that move between two pages are exported once each", async () => {
  const { run, move } = await fillAgenda();
  const { appointments } = exportTables;
  const title = appointments.columns.indexOf("title");
  const page = await run((tx) => appointments.readPage(tx, null, null));
  // The read one moves behind all others, and the unread one moves before them.
  await move("0", "2028-01-01T00:00:00Z");
  await move(`${exportPageSize}`, "2026-01-01T00:00:00Z");
  const next = await run((tx) => appointments.readPage(tx, null, page.next));
  const titles = [...page.rows, ...next.rows].map((row) => Number(row[title]));
  expect(titles).toEqual(Array.from({ length: exportPageSize + 1 }, (_, index) => index));
});

test("contacts that are deleted while their page is read hide no later contact", async () => {
  const { account, run } = await createTestAgenda(database.dataSource);
  const rows = Array.from({ length: exportPageSize + 1 }, (_, index) => `${index}`);
  await database.dataSource.query(
    `INSERT INTO contacts (account_id, name, source)
     VALUES ${rows.map(() => "(?, ?, 'import')").join(", ")}`,
    rows.flatMap((name) => [account.accountId, name]),
  );
  const { contacts } = exportTables;
  const last = `${exportPageSize}`;
  const page = await run(async (tx) => {
    betweenQueries(tx, () =>
      database.dataSource.query("DELETE FROM contacts WHERE account_id = ? AND name <> ?", [
        account.accountId,
        last,
      ]),
    );
    return await contacts.readPage(tx, null, null);
  });
  expect(page.rows).toEqual([]);
  expect(page.next).not.toBe(null);
  const next = await run((tx) => contacts.readPage(tx, null, page.next));
  expect(next.rows.map((row) => row[contacts.columns.indexOf("name")])).toEqual([last]);
});
