import { beforeEach, expect, test } from "vitest";
import { readTemplatePage } from "../../../../core/channels/meta/template-list.ts";
import {
  applyTemplateNews,
  beginTemplateSync,
  completeTemplateSync,
  failTemplateSync,
  requestDueSyncs,
  storeTemplates,
} from "../../../../core/services/templates/template-sync-runs.ts";
import {
  askTemplateSync,
  requestTemplateSync,
} from "../../../../core/services/templates/template-syncs.ts";
import { asSystem, createTestAccount } from "../../../support/accounts.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { ageList, insertNumber, storeList, takeRun } from "../../../support/templates.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { samples } from "../../channels/meta/template-samples.ts";

const fixture = useFixture(async () => {
  const database = await createTestDatabase();
  return { ...database, stop: () => database.stop() };
});
let accountId: number;
let channelId: number;

beforeEach(async () => {
  ({ accountId } = await createTestAccount(fixture.dataSource));
  channelId = await insertNumber(fixture.dataSource, accountId);
});

const run = <T>(work: Parameters<typeof asSystem<T>>[2]) =>
  asSystem(fixture.dataSource, accountId, work);

async function shown() {
  return await fixture.dataSource.query<object[]>(
    `SELECT name, language, status, quality, rejected_reason, gone_at IS NOT NULL AS gone
       FROM channel_templates WHERE account_id = ? ORDER BY name`,
    [accountId],
  );
}

async function sync() {
  const [row] = await fixture.dataSource.query<Record<string, unknown>[]>(
    "SELECT * FROM channel_template_syncs WHERE account_id = ?",
    [accountId],
  );
  return row;
}

async function commands() {
  const rows = await fixture.dataSource.query<{ command: Record<string, unknown> }[]>(
    "SELECT command FROM outbox WHERE account_id = ? ORDER BY id",
    [accountId],
  );
  return rows.map(({ command }) => command);
}

test("a read stores new templates, changes known ones, and marks those that are gone", async () => {
  const { dataSource } = fixture;
  await storeList(dataSource, accountId, channelId, [samples.reminder, samples.coupon]);
  expect(await shown()).toMatchObject([
    { name: "appointment_reminder", status: "approved", quality: "green", gone: 0 },
    { name: "sale", status: "paused", gone: 0 },
  ]);
  await ageList(dataSource, accountId, 2);
  const rejected = { ...samples.reminder, status: "REJECTED", rejected_reason: "SCAM" };
  await storeList(dataSource, accountId, channelId, [rejected, samples.named]);
  expect(await shown()).toMatchObject([
    { name: "appointment_reminder", status: "rejected", rejected_reason: "scam", gone: 0 },
    { name: "order_ready", gone: 0 },
    { name: "sale", gone: 1 },
  ]);
  await ageList(dataSource, accountId, 2);
  await storeList(dataSource, accountId, channelId, [samples.coupon]);
  expect(await shown()).toMatchObject([{ gone: 1 }, { gone: 1 }, { name: "sale", gone: 0 }]);
});

test("a read that fails half-way marks nothing as gone, and says why", async () => {
  const { dataSource } = fixture;
  await storeList(dataSource, accountId, channelId, [samples.reminder, samples.coupon]);
  await ageList(dataSource, accountId, 2);
  await run((tx) => requestTemplateSync(tx, channelId));
  const input = await takeRun(dataSource, accountId);
  const read = await run((tx) => beginTemplateSync(tx, input));
  if (read === null) throw new Error("nothing to read");
  const page = readTemplatePage({ data: [samples.named] });
  await run((tx) => storeTemplates(tx, input, read, page?.templates ?? []));
  await run((tx) => failTemplateSync(tx, input, "unreachable", { hasNextTry: true }));
  expect(await sync()).toMatchObject({ failure: "unreachable", due_at: null });
  expect((await sync())?.["requested_at"]).not.toBe(null);
  const ended = await run((tx) =>
    failTemplateSync(tx, input, "unreachable", { hasNextTry: false }),
  );
  expect(ended).toEqual({ state: "failed", code: "unreachable", again: false });
  expect(await sync()).toMatchObject({ failure: "unreachable", requested_at: null });
  expect((await shown()).map((one) => Reflect.get(one, "gone"))).toEqual([0, 0, 0]);
  // The run is over, so a late page of it changes nothing.
  expect(await run((tx) => storeTemplates(tx, input, read, []))).toBe(false);
  expect(await run((tx) => completeTemplateSync(tx, input, read))).toEqual({ state: "over" });
});

test("requests while a read waits join it, and one during the read is read once more after a minute", async () => {
  const { dataSource } = fixture;
  await run((tx) => requestTemplateSync(tx, channelId));
  await run((tx) => requestTemplateSync(tx, channelId));
  expect(await commands()).toMatchObject([
    { workflow: "syncTemplates", taskQueue: "ops", input: { run: 1, waitMs: 0 } },
  ]);
  const input = await takeRun(dataSource, accountId);
  const read = await run((tx) => beginTemplateSync(tx, input));
  if (read === null) throw new Error("nothing to read");
  await new Promise((resolve) => setTimeout(resolve, 5));
  await run((tx) => requestTemplateSync(tx, channelId));
  expect(await commands()).toHaveLength(1);
  await run((tx) => completeTemplateSync(tx, input, read));
  const [, second] = await commands();
  const { waitMs } = Object(second?.["input"]) as { waitMs: number };
  expect(second).toMatchObject({ input: { run: 2 } });
  expect(waitMs).toBeGreaterThan(55_000);
  expect(waitMs).toBeLessThanOrEqual(60_000);
});

test("a person may ask once a minute, and is told when to ask again", async () => {
  const { dataSource } = fixture;
  await run((tx) => askTemplateSync(tx, channelId));
  await expect(run((tx) => askTemplateSync(tx, channelId))).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterSeconds: expect.closeTo(60, -1),
    message: expect.stringContaining("Ask again in"),
  });
  await ageList(dataSource, accountId, 1);
  await run((tx) => askTemplateSync(tx, channelId));
  // The first read has not begun, so the second request joins it.
  expect(await commands()).toHaveLength(1);
});

test("lists that are a day old are due, and numbers without a list get one", async () => {
  const { dataSource } = fixture;
  await storeList(dataSource, accountId, channelId, [samples.named]);
  const other = await createTestAccount(dataSource);
  await insertNumber(dataSource, other.accountId, { wabaId: "901", externalId: "107" });
  await insertNumber(dataSource, other.accountId, {
    wabaId: "902",
    externalId: "108",
    state: "disconnected",
  });
  const due = async () => await run((tx) => requestDueSyncs(tx, 100));
  await due();
  const owed = async () =>
    await dataSource.query<object[]>(
      "SELECT waba_id, run FROM channel_template_syncs WHERE account_id IN (?, ?) ORDER BY id",
      [accountId, other.accountId],
    );
  expect(await owed()).toEqual([
    { waba_id: "900", run: 1 },
    { waba_id: "901", run: 1 },
  ]);
  await ageList(dataSource, accountId, 24 * 60);
  await due();
  expect(await owed()).toMatchObject([{ run: 2 }, { run: 1 }]);
  await due();
  expect(await owed()).toMatchObject([{ run: 2 }, { run: 1 }]);
});

test("a webhook changes the status at once, and lets the list be read", async () => {
  const { dataSource } = fixture;
  await storeList(dataSource, accountId, channelId, [samples.reminder]);
  const other = await createTestAccount(dataSource);
  const otherNumber = await insertNumber(dataSource, other.accountId);
  await storeList(dataSource, other.accountId, otherNumber, [samples.reminder]);
  const news = {
    name: "appointment_reminder",
    language: "es_MX",
    status: "paused",
    quality: null,
    rejectedReason: null,
  };
  await run((tx) => applyTemplateNews(tx, "900", news));
  expect(await shown()).toMatchObject([{ status: "paused", quality: "green" }]);
  expect(await commands()).toHaveLength(2);
  const [untouched] = await dataSource.query<object[]>(
    "SELECT status FROM channel_templates WHERE account_id = ?",
    [other.accountId],
  );
  expect(untouched).toEqual({ status: "approved" });
  await run((tx) => applyTemplateNews(tx, "900", { ...news, status: null, quality: "red" }));
  expect(await shown()).toMatchObject([{ status: "paused", quality: "red" }]);
});

test("a list without a number that is connected is read no more", async () => {
  const { dataSource } = fixture;
  await run((tx) => requestTemplateSync(tx, channelId));
  await dataSource.query("UPDATE channel_accounts SET state = 'disconnected' WHERE id = ?", [
    channelId,
  ]);
  const input = await takeRun(dataSource, accountId);
  expect(await run((tx) => beginTemplateSync(tx, input))).toBe(null);
  expect(await sync()).toMatchObject({ requested_at: null, due_at: null });
});

test("a channel without templates requests nothing", async () => {
  const [sandbox] = await fixture.dataSource.query<{ id: number }[]>(
    "SELECT id FROM channel_accounts WHERE account_id = ? AND driver = 'sandbox' LIMIT 1",
    [accountId],
  );
  await run((tx) => requestTemplateSync(tx, sandbox?.id ?? 0));
  expect(await sync()).toBe(undefined);
  await expect(run((tx) => askTemplateSync(tx, sandbox?.id ?? 0))).rejects.toMatchObject({
    code: "template_unavailable",
  });
});
