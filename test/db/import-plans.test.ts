import type { DataSource } from "typeorm";
import { expect, test } from "vitest";
import {
  listNextRows,
  listPreviousRows,
  listRows,
} from "../../core/services/imports/import-rows.ts";
import { listOldFilesOfImports } from "../../core/services/imports/import-files.ts";
import { listExports } from "../../core/services/exports/export-list.ts";
import { listImports } from "../../core/services/imports/imports.ts";
import { usePlans } from "../support/query-plans.ts";

const rows = 20_000;

/** Imports and exports of ten accounts; the first import of account 2 has many rows. */
async function fill(dataSource: DataSource): Promise<void> {
  await dataSource.query("SET SESSION cte_max_recursion_depth = 1000000");
  const numbers = (count: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  await dataSource.query(
    `INSERT INTO imports (id, account_id, kind, state, size, sha256, counts, reasons, file_until)
     ${numbers(2_000)} SELECT i, 1 + i % 10, 'contacts', 'done', 1, REPEAT('a', 32), '{}', '[]',
                              NOW() + INTERVAL i SECOND FROM n`,
  );
  await dataSource.query(
    `INSERT INTO import_rows (import_id, number, account_id, plan, differs)
     ${numbers(rows)} SELECT 1, i, 2, ELT(1 + i % 5, 'create', 'update', 'unchanged', 'skip', 'conflict'),
                             i % 100 = 0 FROM n`,
  );
  await dataSource.query(
    `INSERT INTO exports (account_id, kind, state, created_by_user_id)
     ${numbers(2_000)} SELECT 1 + i % 10, 'contacts', 'failed', 1 FROM n`,
  );
  await dataSource.query("ANALYZE TABLE imports, import_rows, exports");
}

const { plansOf } = usePlans(fill);
const page = { after: 10_000, limit: 50 };

test.each([
  ["imports", "Import", listImports],
  ["exports", "export", listExports],
] as const)("the list of %s is read from its index, newest first", async (_name, table, list) => {
  const steps = await plansOf(async (tx) => await list(tx, { limit: 50, offset: 0 }));
  const own = steps.filter((step) => step.table === table);
  expect(own).not.toEqual([]);
  expect(own.map(({ key }) => key)).not.toContain(null);
  expect(own.map(({ Extra }) => Extra ?? "").join()).not.toContain("filesort");
});

test.each([
  [{}, "PRIMARY"],
  [{ plan: "skip" }, "import_rows_plan"],
  [{ differs: true }, "import_rows_differs"],
] as const)(
  "rows with the filter %j are read from %s, in the order of the file",
  async (...row) => {
    const [filter, key] = row;
    const steps = await plansOf((tx) => listRows(tx, 1, Object.assign({}, filter, page)));
    const [own] = steps.filter(({ table }) => table === "import_rows");
    expect(own).toMatchObject({ key, type: "range" });
    expect(own?.Extra ?? "").not.toContain("filesort");
  },
);

test("a commit and an undo read their next rows by the key", async () => {
  const at = { id: 1, cursorRow: 10_000 };
  const steps = [
    ...(await plansOf((tx) => listNextRows(tx, at, 500))),
    ...(await plansOf((tx) => listPreviousRows(tx, at, 500))),
  ];
  for (const step of steps) {
    expect(step).toMatchObject({ key: "PRIMARY", type: "range" });
    expect(step.Extra ?? "").not.toContain("filesort");
  }
});

test("files that are due are found by an index", async () => {
  const steps = await plansOf((tx) => listOldFilesOfImports(tx, 100));
  const keys = steps.filter(({ table }) => table === "imports").map(({ key }) => key);
  expect(new Set(keys)).toEqual(new Set(["imports_file", "imports_state"]));
});
