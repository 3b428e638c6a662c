import { expect, test, vi } from "vitest";
import { exportPageSize, exportTables } from "../../../../core/services/exports/export-tables.ts";
import { createTestAgenda } from "../../../support/appointments.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

test("an appointment that moves while its page is read hides no later appointment", async () => {
  const { account, resourceId, run } = await createTestAgenda(database.dataSource);
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
  const { appointments } = exportTables;
  const title = appointments.columns.indexOf("title");
  const page = await run(async (tx) => {
    // The last appointment of the page moves right after the page was found.
    const find = vi.spyOn(tx.manager, "findBy");
    const readRows = tx.manager.findBy.bind(tx.manager);
    find.mockImplementationOnce(async (...query) => {
      await database.dataSource.query(
        "UPDATE appointments SET start_time = ? WHERE account_id = ? AND title = ?",
        [new Date("2028-01-01T00:00:00Z"), account.accountId, `${exportPageSize - 1}`],
      );
      find.mockRestore();
      return await readRows(...query);
    });
    return await appointments.readPage(tx, null, null);
  });
  expect(page.rows).toHaveLength(exportPageSize);
  const next = await run((tx) => appointments.readPage(tx, null, page.next));
  const titles = next.rows.map((row) => row[title]);
  // The moved one follows once more, at its new time.
  expect(titles).toEqual([`${exportPageSize}`, `${exportPageSize - 1}`]);
  expect(next.next).toBe(null);
});
