import { beforeEach, expect, test } from "vitest";
import { retentionMs } from "../../../core/model/workflow/retention.ts";
import { runActivity } from "../../support/activity.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { createAttemptFixture } from "../attempt-fixture.ts";
import { importRow, insertInto } from "../purge-rows.ts";

const fixture = useFixture(createAttemptFixture);
const minuteMs = 60_000;

beforeEach(async () => {
  for (const table of ["imports", "import_turns"]) await query(`DELETE FROM ${table}`);
});

async function query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return await fixture.database.dataSource.query<Row[]>(sql, values);
}

const insert = async (table: string, row: Record<string, unknown>): Promise<number> =>
  await insertInto(fixture.database.dataSource, table, row);

const ago = (ms: number): Date => new Date(Date.now() - ms);

async function purgeImports(): Promise<number> {
  const input = { kind: "imports", after: null } as const;
  return (await runActivity(() => fixture.activities.purgeOld(input))).deleted;
}

test("an old import stays while it is open, has a file, or has rows", async () => {
  const created_at = ago(retentionMs.imports + minuteMs);
  const rows = [
    { state: "paused" },
    { storage_key: "1/import-1-original" },
    { rows_until: ago(-minuteMs) },
  ];
  for (const row of rows) await insert("imports", Object.assign(importRow({ created_at }), row));
  expect(await purgeImports()).toBe(0);
  await query("UPDATE imports SET state = 'done', storage_key = NULL, rows_until = NULL");
  expect(await purgeImports()).toBe(3);
});

test("the turn of an import that works no more is swept", async () => {
  for (const [account_id, state] of [
    [1, "committing"],
    [2, "done"],
  ] as const) {
    const row = Object.assign(importRow({ created_at: new Date() }), { account_id, state });
    await insert("import_turns", { account_id, import_id: await insert("imports", row) });
  }
  await insert("import_turns", { account_id: 3, import_id: 999_999 });
  await purgeImports();
  expect(await query("SELECT account_id FROM import_turns")).toEqual([{ account_id: 1 }]);
});
