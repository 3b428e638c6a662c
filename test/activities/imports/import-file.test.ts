import { beforeEach, expect, test } from "vitest";
import { mysqlError, WriteConflict } from "../../../core/errors.ts";
import { failNextRow } from "../../../core/services/imports/import-steps.ts";
import { asSystem } from "../../support/accounts.ts";
import { listFiles } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startImportWork } from "./import-work-fixture.ts";

const fixture = useFixture(startImportWork);
let first = 5_215_500_000_000;

beforeEach(async () => {
  fixture.faults.onCommit = () => undefined;
  fixture.faults.onRead = () => undefined;
  fixture.stopping = new AbortController();
  for (const table of ["contacts", "import_turns", "outbox"]) {
    await fixture.query(`DELETE FROM ${table}`);
  }
});

/** Phones that no earlier test has. */
function phones(count: number): string[] {
  first += 1_000;
  return Array.from({ length: count }, (_, at) => String(first + at));
}

async function read(id: number) {
  return (await fixture.dashboard("GET", `/imports/${id}`)).json.data;
}

const call = async (id: number, step: string) =>
  (await fixture.dashboard("POST", `/imports/${id}/${step}`)).json.data.state;

/** Plans and begins the commit. */
async function begin(rows: string[]): Promise<number> {
  const id = await fixture.uploadRows(rows);
  await call(id, "plan");
  expect((await fixture.settle(id)).state).toBe("planned");
  expect(await call(id, "commit")).toBe("committing");
  return id;
}

const countContacts = async () => (await fixture.count("contacts"))["contacts"];

test("a plan changes no contact, a commit applies each row once, and both are counted", async () => {
  const id = await fixture.uploadRows([...phones(3), "-"]);
  expect(await fixture.settle(id)).toMatchObject({ next: "idle", state: "mapping" });
  await call(id, "plan");
  expect(await fixture.settle(id)).toMatchObject({ next: "idle", state: "planned" });
  expect(await countContacts()).toBe(0);
  const plan = await read(id);
  expect(plan.counts).toMatchObject({ rows: 4, planned: { create: 3, skip: 1, update: 0 } });
  expect(plan.reasons).toEqual([{ plan: "skip", state: null, reason: "no_identifier", count: 1 }]);
  await call(id, "commit");
  expect(await fixture.settle(id)).toMatchObject({ next: "ended", state: "done" });
  expect(await countContacts()).toBe(3);
  const done = await read(id);
  expect(done.counts.done).toMatchObject({ created: 3, skipped: 1, updated: 0, failed: 0 });
  expect(done).toMatchObject({ state: "done", differing: 0, can_undo: true });
  expect(await fixture.count("events", "deliveries")).toEqual({ events: 0, deliveries: 0 });
});

test("the upload is gone from the storage once the import has ended", async () => {
  const id = await begin(phones(1));
  const key = `${fixture.account.accountId}/import-${id}-original`;
  expect(await listFiles(fixture.folder)).toContain(key);
  await fixture.settle(id);
  expect(await listFiles(fixture.folder)).not.toContain(key);
});

test("a commit that dies after a batch goes on behind it, and applies no row again", async () => {
  const id = await begin(phones(3));
  await fixture.query("UPDATE imports SET cursor_row = 0 WHERE id = ?", [id]);
  fixture.faults.onCommit = () => {
    throw new Error("the process dies");
  };
  await expect(fixture.step(id)).rejects.toThrow("the process dies");
  expect(await countContacts()).toBe(0);
  fixture.faults.onCommit = () => undefined;
  await fixture.settle(id);
  await fixture.settle(id);
  expect([await countContacts(), (await read(id)).counts.done.created]).toEqual([3, 3]);
});

test("planning that dies goes on behind the rows that it has stored", async () => {
  const id = await fixture.uploadRows(phones(3));
  await call(id, "plan");
  await fixture.query("UPDATE imports SET cursor_row = 2 WHERE id = ?", [id]);
  await fixture.query(
    "INSERT INTO import_rows SET import_id = ?, number = 4, account_id = ?, plan = 'skip'",
    [id, fixture.account.accountId],
  );
  await fixture.settle(id);
  const rows = await fixture.query<{ number: number; plan: string }>(
    "SELECT number, plan FROM import_rows WHERE import_id = ? ORDER BY number",
    [id],
  );
  expect(rows).toEqual([
    { number: 3, plan: "create" },
    { number: 4, plan: "create" },
  ]);
});

test("a batch that keeps failing is tried row by row, and a row that fails alone is recorded", async () => {
  const rows = phones(3);
  const id = await begin(rows);
  fixture.faults.onCommit = (batch) => {
    if (batch.some(({ phoneKey }) => phoneKey === rows[1])) throw new WriteConflict();
  };
  await fixture.settle(id);
  expect(await countContacts()).toBe(2);
  const { counts, reasons, differing } = await read(id);
  expect(counts.done).toMatchObject({ created: 2, failed: 1 });
  expect(reasons).toEqual([{ plan: null, state: "failed", reason: "row_failed", count: 1 }]);
  expect(differing).toBe(1);
});

test.each(["lockWaitTimeout", "deadlock"] as const)(
  "a row that another transaction holds is no failed row: %s repeats the step",
  async (name) => {
    const rows = phones(3);
    const id = await begin(rows);
    fixture.faults.onCommit = (batch) => {
      if (!batch.some(({ phoneKey }) => phoneKey === rows[1])) return;
      throw Object.assign(new Error("locked"), { errno: mysqlError[name] });
    };
    await expect(fixture.step(id)).rejects.toThrow("locked");
    expect(await countContacts()).toBe(1);
    fixture.faults.onCommit = () => undefined;
    expect(await fixture.settle(id)).toMatchObject({ next: "ended", state: "done" });
    expect((await read(id)).counts.done).toMatchObject({ created: 3, failed: 0 });
  },
);

test("a row whose values fail alone is recorded, and the others go on", async () => {
  const rows = phones(3);
  const id = await begin(rows);
  fixture.faults.onCommit = (batch) => {
    if (!batch.some(({ phoneKey }) => phoneKey === rows[1])) return;
    throw Object.assign(new Error("there"), { errno: mysqlError.duplicateKey });
  };
  await fixture.settle(id);
  expect((await read(id)).counts.done).toMatchObject({ created: 2, failed: 1 });
});

test("a row fails only where no other run has gone on from it", async () => {
  const id = await begin(phones(2));
  await fixture.query("UPDATE imports SET cursor_row = 1 WHERE id = ?", [id]);
  const { dataSource } = fixture.database;
  const fail = async (cursorRow: number) =>
    await asSystem(dataSource, fixture.account.accountId, (tx) => failNextRow(tx, id, cursorRow));
  expect(await fail(0)).toMatchObject({ handled: 0, done: false });
  expect((await read(id)).counts.done).not.toMatchObject({ failed: 1 });
  expect(await fail(1)).toMatchObject({ handled: 1 });
  await fixture.settle(id);
});

test("a pause holds between batches and gives the turn back; a resumption goes on", async () => {
  const id = await begin(phones(2));
  expect(await call(id, "pause")).toBe("paused");
  expect(await fixture.step(id)).toMatchObject({ next: "idle", state: "paused" });
  expect(await countContacts()).toBe(0);
  expect(await fixture.count("import_turns")).toEqual({ import_turns: 0 });
  expect(await call(id, "resume")).toBe("committing");
  expect((await fixture.settle(id)).state).toBe("done");
  expect(await countContacts()).toBe(2);
});

test("a cancellation keeps the rows that are done", async () => {
  const id = await begin(phones(2));
  await fixture.step(id);
  await fixture.query("UPDATE imports SET state = 'paused' WHERE id = ?", [id]);
  expect(await call(id, "cancel")).toBe("cancelled");
  expect(await fixture.settle(id)).toMatchObject({ next: "ended", state: "cancelled" });
  expect(await countContacts()).toBe(2);
  expect((await read(id)).can_undo).toBe(true);
});

test("one import of an account commits at a time; its end wakes the one that waits", async () => {
  const one = await begin(phones(1));
  const two = await begin(phones(1));
  await fixture.query("INSERT INTO import_turns SET account_id = ?, import_id = ?", [
    fixture.account.accountId,
    one,
  ]);
  await fixture.query("DELETE FROM outbox");
  expect(await fixture.step(two)).toMatchObject({ next: "idle", state: "committing" });
  expect([(await read(two)).is_waiting, (await read(one)).is_waiting]).toEqual([true, false]);
  await fixture.settle(one);
  const woken = await fixture.query<{ command: { workflowId: string } }>(
    "SELECT command FROM outbox",
  );
  expect(woken.map(({ command }) => command.workflowId)).toEqual([`import-${two}`]);
  expect((await fixture.settle(two)).state).toBe("done");
  expect(await countContacts()).toBe(2);
});

test("the turn of an import that works no more blocks nobody", async () => {
  const lost = await fixture.uploadRows(phones(1));
  await fixture.query("INSERT INTO import_turns SET account_id = ?, import_id = ?", [
    fixture.account.accountId,
    lost,
  ]);
  const id = await begin(phones(1));
  expect((await fixture.settle(id)).state).toBe("done");
});

test("an undo takes rows back, keeps those that changed since, and counts both", async () => {
  const id = await begin(phones(3));
  await fixture.settle(id);
  const [changed] = await fixture.query<{ id: number }>("SELECT id FROM contacts LIMIT 1");
  await fixture.query("UPDATE contacts SET version = 2 WHERE id = ?", [changed?.id]);
  expect(await call(id, "undo")).toBe("undoing");
  expect(await fixture.settle(id)).toMatchObject({ next: "ended", state: "undone" });
  const { counts, reasons, differing, can_undo } = await read(id);
  expect(counts.done).toMatchObject({ created: 3, undone: 2, kept: 1 });
  expect(reasons).toEqual([{ plan: null, state: "kept", reason: "changed_since", count: 1 }]);
  expect([differing, can_undo, await countContacts()]).toEqual([1, false, 1]);
});

test("a file that is missing ends the planning as failed, and a person may plan again", async () => {
  const id = await fixture.uploadRows(phones(1));
  await fixture.query("UPDATE imports SET storage_key = '1/none' WHERE id = ?", [id]);
  await call(id, "plan");
  expect(await fixture.settle(id)).toMatchObject({ next: "idle", state: "failed" });
  expect((await read(id)).error).toEqual({ code: "file_missing", line: null });
  expect(await call(id, "plan")).toBe("planning");
});

test("an import that nobody goes on with for seven days is closed, and its file goes", async () => {
  const id = await fixture.uploadRows(phones(1));
  const waiting = await fixture.step(id);
  expect(waiting.next === "idle" && waiting.waitMs).toBeGreaterThan(6.9 * 86_400_000);
  await fixture.query(
    "UPDATE imports SET updated_at = UTC_TIMESTAMP(3) - INTERVAL 7 DAY WHERE id = ?",
    [id],
  );
  expect(await fixture.settle(id)).toMatchObject({ next: "ended", state: "cancelled" });
  expect((await read(id)).error).toEqual({ code: "import_expired", line: null });
  const key = `${fixture.account.accountId}/import-${id}-original`;
  expect(await listFiles(fixture.folder)).not.toContain(key);
});

test("a process that stops hands the import on between two batches", async () => {
  const id = await begin(phones(1));
  fixture.stopping.abort();
  await expect(fixture.step(id)).rejects.toThrow("stop");
});
