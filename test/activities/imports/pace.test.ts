import { beforeEach, expect, test } from "vitest";
import { createImportPace } from "../../../activities/imports/pace.ts";
import { createRequestCount } from "../../../api/busy-reports.ts";
import { purgeBusy, reportBusy } from "../../../core/services/operations/busy-processes.ts";
import { createTestDatabase } from "../../support/database.ts";
import { useFixture } from "../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const longMs = 600_000;

beforeEach(async () => {
  await database.dataSource.query("DELETE FROM busy_processes");
});

const report = async () => await reportBusy(database.dataSource.manager, "api-1");
const age = async (seconds: number) =>
  await database.dataSource.query(
    "UPDATE busy_processes SET busy_until = NOW(3) - INTERVAL ? SECOND",
    [seconds],
  );

test("an import does not rest while no process of the API is busy", async () => {
  const { signal } = new AbortController();
  const rest = async () => {
    await createImportPace(database.dataSource).rest(longMs, signal);
    return "went on";
  };
  expect(await rest()).toBe("went on");
  await report();
  await age(1);
  expect(await rest()).toBe("went on");
});

test("an import rests while a process of the API is busy, and a stop ends the rest", async () => {
  await report();
  await report();
  const stopping = new AbortController();
  let ended = false;
  const resting = createImportPace(database.dataSource)
    .rest(longMs, stopping.signal)
    .then(() => (ended = true));
  // The look at the table comes before the rest, so one that does not rest has ended by now.
  await createImportPace(database.dataSource).rest(1, new AbortController().signal);
  expect(ended).toBe(false);
  stopping.abort();
  expect(await resting).toBe(true);
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
