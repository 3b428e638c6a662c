import { beforeEach, expect, test } from "vitest";
import { createImportPace, type BatchTime } from "../../../activities/imports/pace.ts";
import { createRequestCount } from "../../../api/busy-reports.ts";
import { rowsAtOnce } from "../../../core/services/imports/import-steps.ts";
import { purgeBusy, reportBusy } from "../../../core/services/operations/busy-processes.ts";
import { createTestDatabase } from "../../support/database.ts";
import { useFixture } from "../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const long: BatchTime = { rows: rowsAtOnce, ms: 600_000 };

beforeEach(async () => {
  await database.dataSource.query("DELETE FROM busy_processes");
});

const report = async () => await reportBusy(database.dataSource.manager, "api-1");
const age = async (seconds: number) =>
  await database.dataSource.query(
    "UPDATE busy_processes SET busy_until = NOW(3) - INTERVAL ? SECOND",
    [seconds],
  );
const rest = async (batch: BatchTime | null) =>
  await createImportPace(database.dataSource).rest(batch, new AbortController().signal);

test("an import does not rest while no process of the API is busy, and its batches are large", async () => {
  expect(await rest(long)).toBe(rowsAtOnce);
  await report();
  await age(1);
  expect(await rest(long)).toBe(rowsAtOnce);
  expect(await rest(null)).toBe(rowsAtOnce);
});

test("an import rests while a process of the API is busy, and a stop ends the rest", async () => {
  await report();
  await report();
  const stopping = new AbortController();
  let ended = false;
  const resting = createImportPace(database.dataSource)
    .rest(long, stopping.signal)
    .then(() => (ended = true));
  // The look at the table comes before the rest, so one that does not rest has ended by now.
  await rest({ rows: 1, ms: 1 });
  expect(ended).toBe(false);
  stopping.abort();
  expect(await resting).toBe(true);
});

test("beside a busy API a slow batch is followed by a smaller one, and a fast one by a larger one", async () => {
  await report();
  const first = await rest(null);
  expect(first).toBeLessThan(rowsAtOnce);
  const slower = await rest({ rows: first, ms: 60 });
  const faster = await rest({ rows: first, ms: 10 });
  expect(slower).toBeLessThan(first);
  expect(faster).toBeGreaterThan(first);
  expect(await rest({ rows: rowsAtOnce, ms: 1 })).toBe(rowsAtOnce);
  // However slow the database is, an import goes on.
  expect(await rest({ rows: 1, ms: 200 })).toBeGreaterThan(1);
});

test("processes that were busy an hour ago are forgotten", async () => {
  await report();
  await purgeBusy(database.dataSource.manager);
  expect(await database.dataSource.query("SELECT 1 FROM busy_processes")).toHaveLength(1);
  await age(3_601);
  await purgeBusy(database.dataSource.manager);
  expect(await database.dataSource.query("SELECT 1 FROM busy_processes")).toEqual([]);
});

test("the count of requests begins anew with each look", () => {
  const count = createRequestCount();
  count.add();
  count.add();
  expect([count.take(), count.take()]).toEqual([2, 0]);
});
