import { expect, test } from "vitest";
import { countList } from "../../../core/services/sql.ts";
import { snapshot, systemOf } from "../../../db/transaction.ts";
import { createTestDatabase, whileLocked } from "../../support/database.ts";
import { useFixture } from "../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

test.each([
  { offset: 0, rows: 50, total: 50 },
  { offset: 100, rows: 50, total: 150 },
  { offset: 100, rows: 0, total: 0 },
])("a count that takes too long tells of the page's rows, %j", async ({ total, ...page }) => {
  const { dataSource } = database;
  const count = await whileLocked(dataSource, "contacts", () =>
    snapshot(dataSource, systemOf(), (tx) =>
      countList(tx, { sql: "FROM contacts", values: [] }, { ...page, cap: 10_000 }),
    ),
  );
  expect(count).toEqual({ total, totalAtLeast: true });
});
