import { noCounts } from "../../core/model/import.ts";
import type { BenchStack } from "./stack.ts";

const titles = ["Name", "Phone", "Email"] as const;
const fields = ["name", "phone", "email"] as const;

/** Stores a planned import with so many rows, each with another plan than the one before. @returns its id */
export async function fillImport(
  { dataSource, accountId }: BenchStack,
  rows: number,
): Promise<number> {
  const columns = titles.map((title, index) => ({ index, title, field: fields[index] }));
  const detected = {
    format: "csv",
    charset: "utf-8",
    delimiter: ",",
    has_header: true,
    columns,
    sample: [titles],
    rows,
  };
  const mapping = {
    columns: columns.map(({ index, field }) => ({ index, field })),
    has_header: true,
    overwrite: false,
    country: null,
    pipeline_id: null,
  };
  const share = rows / 5;
  const planned = {
    create: share,
    update: share,
    unchanged: share,
    skip: share,
    conflict: share,
  };
  const counts = Object.assign(noCounts(), { rows, planned });
  return await dataSource.transaction(async (manager) => {
    const { insertId } = await manager.query<{ insertId: number }>(
      `INSERT INTO imports (account_id, kind, state, name, size, sha256, detected, mapping, is_mapped,
                            counts, reasons, planned_at)
       VALUES (?, 'contacts', 'planned', 'bench.csv', 1, REPEAT('a', 32), ?, ?, 1, ?, '[]', NOW())`,
      [accountId, ...[detected, mapping, counts].map((value) => JSON.stringify(value))],
    );
    await manager.query("SET SESSION cte_max_recursion_depth = 1000000");
    await manager.query(
      `INSERT INTO import_rows (import_id, number, account_id, raw, plan, reason)
       WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT ?, i + 1, ?,
              JSON_ARRAY(CONCAT('Customer ', i), CONCAT('+34 ', 700000000 + i), CONCAT('c', i, '@example.com')),
              ELT(1 + i % 5, 'create', 'update', 'unchanged', 'skip', 'conflict'),
              IF(i % 5 = 3, 'no_identifier', NULL)
         FROM n`,
      [rows, insertId, accountId],
    );
    await manager.query("ANALYZE TABLE imports, import_rows");
    return insertId;
  });
}
