import { beforeEach, expect, test } from "vitest";
import { openMediaWork } from "../../../activities/media/open-media-work.ts";
import { createPurgeMedia } from "../../../activities/purge-media.ts";
import { createRecoverRuns } from "../../../activities/recover-runs.ts";
import { dayMs, hourMs } from "../../../core/model/durations.ts";
import { runActivity } from "../../support/activity.ts";
import { createMediaFolder, insertMedia } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { createAttemptFixture } from "../attempt-fixture.ts";
import { importRow, insertInto } from "../purge-rows.ts";

const fixture = useFixture(createAttemptFixture);
const storage = useFixture(createMediaFolder);

beforeEach(async () => {
  for (const table of ["imports", "import_rows", "message_media", "outbox"]) {
    await query(`DELETE FROM ${table}`);
  }
});

async function query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return await fixture.database.dataSource.query<Row[]>(sql, values);
}

const insert = async (table: string, row: Record<string, unknown>): Promise<number> =>
  await insertInto(fixture.database.dataSource, table, row);

const ago = (ms: number): Date => new Date(Date.now() - ms);

/** A chat whose import ended so long ago, and whose upload is still there. @returns its id */
async function insertChat(endedMs: number, columns: Record<string, unknown> = {}): Promise<number> {
  const { accountId: account_id } = fixture.account;
  const row = {
    ...importRow({ rows_until: ago(endedMs - 30 * dayMs) }),
    account_id,
    kind: "chat",
    storage_key: "1/import-1-original",
    is_begun: 1,
    updated_at: ago(endedMs),
    file_until: ago(endedMs - dayMs),
  };
  return await insert("imports", Object.assign(row, columns));
}

/** A file of a chat that is not in the storage yet. */
async function insertWaitingFile(importId: number): Promise<void> {
  const { accountId: account_id } = fixture.account;
  const { dataSource } = fixture.database;
  const columns = { account_id, message_id: importId, state: "failed", reason: "not_stored" };
  await insertMedia(dataSource, columns);
  const place = { import_id: importId, number: 1, account_id, message_id: importId };
  await insert("import_rows", { ...place, plan: "create", state: "created" });
}

async function purge(): Promise<number> {
  const media = openMediaWork({
    media: { folder: storage.folder, s3: null, scanner: null, retentionDays: null },
    graphUrl: "http://127.0.0.1:9",
    policy: { allowPrivate: false, ownHosts: [] },
  });
  const steps = createPurgeMedia({ ...fixture.deps, media });
  return (await runActivity(() => steps.purgeMedia())).uploads;
}

const keptIds = async () => {
  const rows = await query<{ id: number }>(
    "SELECT id FROM imports WHERE storage_key IS NOT NULL ORDER BY id",
  );
  return rows.map(({ id }) => Number(id));
};

test("the upload of a chat stays for seven days while files of the chat are not stored", async () => {
  const waiting = await insertChat(25 * hourMs);
  await insertWaitingFile(waiting);
  await insertChat(25 * hourMs);
  expect(await purge()).toBe(1);
  expect(await keptIds()).toEqual([waiting]);
  await query("UPDATE message_media SET state = 'ready', reason = NULL");
  expect(await purge()).toBe(1);
  expect(await keptIds()).toEqual([]);
});

test.each([
  ["after seven days", 7 * dayMs + hourMs, {}],
  ["once the person of the chat is erased", hourMs, { file_until: ago(0), rows_until: ago(0) }],
])("the upload of a chat with waiting files goes %s", async (_when, endedMs, columns) => {
  await insertWaitingFile(await insertChat(endedMs, columns));
  expect(await purge()).toBe(1);
  expect(await keptIds()).toEqual([]);
});

test("a lost run of a chat that has ended is requested again while its upload is there", async () => {
  const endedMs = 11 * 60_000;
  const done = await insertChat(endedMs);
  const cancelled = await insertChat(endedMs, { state: "cancelled" });
  await insertChat(endedMs, { storage_key: null, file_until: null });
  await insertChat(endedMs, { state: "cancelled", is_begun: 0 });
  await insertChat(endedMs, { state: "undone" });
  await insertChat(0);
  const steps = createRecoverRuns({
    ...fixture.deps,
    runStates: async (ids) =>
      await Promise.resolve(new Map(ids.map((id) => [id, "missing"] as const))),
  });
  const found = await runActivity(() => steps.recoverRuns({ kind: "import", after: 0 }));
  expect(found).toEqual({ restarted: 2, next: { kind: "import", after: cancelled } });
  const requests = await query<{ command: { workflowId: string } }>("SELECT command FROM outbox");
  expect(requests.map(({ command }) => command.workflowId)).toEqual([
    `import-${done}`,
    `import-${cancelled}`,
  ]);
});
