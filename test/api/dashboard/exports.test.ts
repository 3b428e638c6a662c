import { parse } from "csv-parse/sync";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getFileNameLowLevel, openPromise } from "yauzl";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { ActivityDeps } from "../../../activities/deps.ts";
import { createExportFile } from "../../../activities/export-file.ts";
import { createPurgeMedia } from "../../../activities/purge-media.ts";
import { createLog } from "../../../core/log.ts";
import type { MediaStorage } from "../../../core/media/storage.ts";
import { upsertContact } from "../../../core/services/contacts/contact-upserts.ts";
import { eraseContact } from "../../../core/services/contact-lifecycle/contact-erasure.ts";
import { forgetExportFilters } from "../../../core/services/exports/exports.ts";
import { addColleague, asSystem, createTestAccount } from "../../support/accounts.ts";
import { createActivityEnvironment, runActivity } from "../../support/activity.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { receive } from "../../support/conversations.ts";
import { createMediaFolder, insertStoredMedia, tinyPng } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";

const fixture = useFixture(startApiFixture);
let cookie: string;
let accountId: number;

beforeEach(async () => {
  ({ cookie, accountId } = await createTestAccount(fixture.database.dataSource));
});

const call = async (method: string, path: string, body?: unknown, as = cookie) =>
  await fixture.api.call(method, `/dashboard/api${path}`, { cookie: as, body });

/** Writes the file of an export, as a worker does. */
async function write(
  exportId: number,
  put?: MediaStorage["put"],
  environment = createActivityEnvironment(),
): Promise<{ state: string }> {
  return await environment.run(() => steps(put).writeExport({ accountId, exportId }));
}

/** The steps of an export. @param put stores the file in place of the storage's own */
function steps(put?: MediaStorage["put"]) {
  const { media } = fixture.api.deps;
  const { dataSource } = fixture.database;
  return createExportFile({
    dataSource,
    media: put === undefined ? media : { ...media, storage: { ...media.storage, put } },
    log: createLog("test", "silent"),
    stopping: new AbortController().signal,
  });
}

/** Asks for an export, has it written, and reads its file. */
async function exported(body: object) {
  const asked = await call("POST", "/exports", body);
  expect([asked.status, asked.json.data.state]).toEqual([201, "queued"]);
  const { id } = asked.json.data;
  expect(await write(id)).toEqual({ state: "done" });
  const file = await fetch(`${fixture.api.url}/dashboard/api/exports/${id}/file`, {
    headers: { cookie },
  });
  expect(file.status).toBe(200);
  return { id, file, bytes: Buffer.from(await file.arrayBuffer()) };
}

const table = (bytes: Buffer): Record<string, string>[] =>
  parse(bytes.toString("utf8"), { columns: true, bom: true });

const inAccount = async <T>(work: Parameters<typeof asSystem<T>>[2]) =>
  await asSystem(fixture.database.dataSource, accountId, work);

test("contacts are exported with the filters of the list, in the order of their creation", async () => {
  for (const [name, tags] of [
    ["Ana", ["vip"]],
    ["Bea", []],
    ['Cris, "C"', ["VIP", "new"]],
  ] as const) {
    await inAccount((tx) => upsertContact(tx, { name, phone: freshPhone(), tags }));
  }
  const { id, file, bytes } = await exported({ kind: "contacts", filters: { tag: "vip" } });
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(table(bytes).map(({ name, tags }) => [name, tags])).toEqual([
    ["Ana", "vip"],
    ['Cris, "C"', "VIP;new"],
  ]);
  expect(file.headers.get("content-disposition")).toMatch(
    /^attachment; filename="contacts-.*\.csv"/u,
  );
  const read = await call("GET", `/exports/${id}`);
  expect(read.json.data).toMatchObject({ state: "done", rows: 2, size: bytes.length, error: null });
});

test("more rows than a page are exported once each", async () => {
  const columns = "account_id, name, phone, phone_key, source, created_at";
  const values = Array.from({ length: 2_500 }, (_, index) => {
    return [accountId, `N${index}`, `${index}`, `${index}`, "api", new Date(1_700_000_000_000)];
  });
  await fixture.query(
    `INSERT INTO contacts (${columns}) VALUES ${values.map(() => "(?, ?, ?, ?, ?, ?)").join(", ")}`,
    values.flat(),
  );
  const { bytes } = await exported({ kind: "contacts" });
  const names = table(bytes).map(({ name }) => name);
  expect(names).toHaveLength(2_500);
  expect(new Set(names).size).toBe(2_500);
});

test("a cell that a spreadsheet would run gets an apostrophe", async () => {
  for (const name of ["=1+1", "@x", "-2", " +3", "fine\n=4"]) {
    await inAccount((tx) => upsertContact(tx, { name, phone: freshPhone() }));
  }
  const { bytes } = await exported({ kind: "contacts" });
  for (const { name } of table(bytes)) expect(name).not.toMatch(/^[ \u00A0]*[=+\-@]/mu);
});

test("contacts of another account are not exported", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  await asSystem(fixture.database.dataSource, other.accountId, (tx) =>
    upsertContact(tx, { name: "Theirs", phone: freshPhone() }),
  );
  const { bytes } = await exported({ kind: "contacts" });
  expect(table(bytes)).toEqual([]);
});

test("the delivery log and appointments are exported", async () => {
  const deliveries = await exported({ kind: "deliveries", filters: { state: "delivered" } });
  expect(deliveries.bytes.toString("utf8")).toMatch(/^\uFEFFid,event_id,event_type/u);
  const filters = { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" };
  const appointments = await exported({ kind: "appointments", filters });
  expect(appointments.bytes.toString("utf8")).toMatch(/^\uFEFFid,status,title/u);
});

test("one contact is exported as JSON with the files of the conversations", async () => {
  const { row } = await receive(fixture.database.dataSource, accountId, {
    from: freshPhone(),
    content: "Hello",
  });
  const { storage } = fixture.api.deps.media;
  const { dataSource } = fixture.database;
  const picture = { bytes: tinyPng, mime: "image/png", filename: "../dog.png" };
  const mediaId = await insertStoredMedia({ dataSource, storage }, accountId, picture);
  await fixture.query("UPDATE message_media SET contact_id = ?, message_id = ? WHERE id = ?", [
    row.contactId,
    row.id,
    mediaId,
  ]);
  const { bytes } = await exported({ kind: "contact", contact_id: row.contactId });
  const files = await unzip(bytes);
  expect([...files.keys()]).toEqual(["contact.json", `media/${row.id}-${mediaId}-dog.png`]);
  expect(files.get(`media/${row.id}-${mediaId}-dog.png`)).toEqual(tinyPng);
  const json = JSON.parse(String(files.get("contact.json")));
  expect(json).toMatchObject({
    contact: { id: row.contactId },
    appointments: [],
    conversations: [
      { channel: "whatsapp", notes: [], messages: [{ id: row.id, content: "Hello" }] },
    ],
  });
});

/** Files of an archive by name, read by a library that has nothing to do with the writer. */
async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const { folder, stop } = await createMediaFolder();
  const path = join(folder, "contact.zip");
  await writeFile(path, bytes);
  const archive = await openPromise(path, { autoClose: false, decodeStrings: false });
  const files = new Map<string, Buffer>();
  for await (const entry of archive.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk);
    const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
    const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
    files.set(name, Buffer.concat(chunks));
  }
  archive.close();
  await stop();
  return files;
}

test("a link opens for nobody but the person who asked, and not after a day", async () => {
  const { id } = await exported({ kind: "contacts" });
  const other = await addColleague(fixture.database.dataSource, accountId, "Other");
  await fixture.query("UPDATE memberships SET role = 'admin' WHERE user_id = ?", [other.userId]);
  const stranger = await createTestAccount(fixture.database.dataSource);
  for (const as of [other.cookie, stranger.cookie]) {
    expect((await call("GET", `/exports/${id}`, undefined, as)).status).toBe(404);
    expect((await call("GET", `/exports/${id}/file`, undefined, as)).status).toBe(404);
  }
  const nobody = await fetch(`${fixture.api.url}/dashboard/api/exports/${id}/file`);
  expect(nobody.status).toBe(401);
  await fixture.query("UPDATE exports SET expires_at = UTC_TIMESTAMP(3) WHERE id = ?", [id]);
  expect((await call("GET", `/exports/${id}`)).json.data.state).toBe("expired");
  expect((await call("GET", `/exports/${id}/file`)).status).toBe(404);
});

test("an agent may not export", async () => {
  const agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  expect((await call("POST", "/exports", { kind: "contacts" }, agent.cookie)).status).toBe(403);
});

test("an erasure ends the links of the account, and the purge deletes the files", async () => {
  const { record } = await inAccount((tx) => upsertContact(tx, { phone: freshPhone() }));
  const { id } = await exported({ kind: "contacts" });
  const running = await call("POST", "/exports", { kind: "contacts" });
  await inAccount((tx) => eraseContact(tx, record.row.id));
  expect((await call("GET", `/exports/${id}/file`)).status).toBe(404);
  expect(await write(running.json.data.id)).toEqual({ state: "ended" });
  const { media } = fixture.api.deps;
  const key = `${accountId}/export-${id}-original`;
  expect(await media.storage.stat(key)).not.toBeNull();
  const { dataSource } = fixture.database;
  const deps = {
    dataSource,
    log: createLog("test", "silent"),
    media: { ...media, retentionDays: null },
  };
  const purge = async () =>
    await runActivity(() => createPurgeMedia(deps as ActivityDeps).purgeMedia());
  await purge();
  expect(await media.storage.stat(key)).toBeNull();
  await fixture.query("UPDATE exports SET created_at = '2020-01-01' WHERE id = ?", [id]);
  await purge();
  expect(await fixture.query("SELECT 1 FROM exports WHERE id = ?", [id])).toEqual([]);
});

test("an export that ran twice has one file", async () => {
  const { id, bytes } = await exported({ kind: "contacts" });
  await fixture.query("UPDATE exports SET state = 'running' WHERE id = ?", [id]);
  expect(await write(id)).toEqual({ state: "done" });
  expect(await write(id)).toEqual({ state: "ended" });
  const { storage } = fixture.api.deps.media;
  expect(await storage.stat(`${accountId}/export-${id}-original`)).toEqual({ size: bytes.length });
});

test("a run that another one has overtaken leaves the file of the export", async () => {
  await inAccount((tx) => upsertContact(tx, { name: "Ana", phone: freshPhone() }));
  const { id } = (await call("POST", "/exports", { kind: "contacts" })).json.data;
  const { storage } = fixture.api.deps.media;
  const overtaken = await write(id, async (key, bytes, size) => {
    expect(await write(id)).toEqual({ state: "done" });
    await storage.put(key, bytes, size);
  });
  expect(overtaken).toEqual({ state: "done" });
  const file = await fetch(`${fixture.api.url}/dashboard/api/exports/${id}/file`, {
    headers: { cookie },
  });
  expect([file.status, await file.text()]).toEqual([200, expect.stringContaining("Ana")]);
});

test("a run that ends after an erasure gives its export no link back", async () => {
  const { record } = await inAccount((tx) => upsertContact(tx, { phone: freshPhone() }));
  const { id } = (await call("POST", "/exports", { kind: "contacts" })).json.data;
  const { storage } = fixture.api.deps.media;
  const overtaken = await write(id, async (key, bytes, size) => {
    expect(await write(id)).toEqual({ state: "done" });
    await inAccount((tx) => eraseContact(tx, record.row.id));
    await storage.put(key, bytes, size);
  });
  expect(overtaken).toEqual({ state: "ended" });
  expect(await storage.stat(`${accountId}/export-${id}-original`)).toBeNull();
  expect((await call("GET", `/exports/${id}/file`)).status).toBe(404);
});

test("an export that is given up keeps a file that was stored late", async () => {
  const giveUp = async (exportId: number) =>
    await runActivity(() => steps().giveUpExport({ accountId, exportId }));
  const { id } = await exported({ kind: "contacts" });
  expect(await giveUp(id)).toEqual({ state: "done" });
  const { storage } = fixture.api.deps.media;
  expect(await storage.stat(`${accountId}/export-${id}-original`)).not.toBeNull();
  const unwritten = (await call("POST", "/exports", { kind: "contacts" })).json.data.id;
  expect(await giveUp(unwritten)).toEqual({ state: "failed" });
});

test("an export sends heartbeats while its file is being stored", async () => {
  const { id } = (await call("POST", "/exports", { kind: "contacts" })).json.data;
  const { storage } = fixture.api.deps.media;
  const environment = createActivityEnvironment();
  let beats = 0;
  environment.on("heartbeat", () => (beats += 1));
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const put: MediaStorage["put"] = async (key, bytes, size) => {
    beats = 0;
    vi.advanceTimersByTime(60_000);
    await storage.put(key, bytes, size);
  };
  expect(await write(id, put, environment)).toEqual({ state: "done" });
  expect(beats).toBeGreaterThan(5);
});

test("an account has at most five unfinished exports", async () => {
  for (let index = 0; index < 5; index += 1) await call("POST", "/exports", { kind: "contacts" });
  const refused = await call("POST", "/exports", { kind: "contacts" });
  expect([refused.status, refused.json.error.details]).toEqual([
    400,
    [expect.objectContaining({ code: "too_many_exports" })],
  ]);
});

test("an unknown contact cannot be exported", async () => {
  const answer = await call("POST", "/exports", { kind: "contact", contact_id: 999_999 });
  expect([answer.status, answer.json.error.code]).toEqual([404, "contact_not_found"]);
});

/** A colleague who may export, too. */
async function addAdmin(name: string): Promise<string> {
  const { userId, cookie: theirs } = await addColleague(
    fixture.database.dataSource,
    accountId,
    name,
  );
  await fixture.query("UPDATE memberships SET role = 'admin' WHERE user_id = ?", [userId]);
  return theirs;
}

test("the list has the exports of the account, the newest first, with state, size and maker", async () => {
  const { id, bytes } = await exported({ kind: "contacts" });
  const colleague = await addAdmin("Luis Soto");
  const theirs = await call("POST", "/exports", { kind: "deliveries" }, colleague);
  const stranger = await createTestAccount(fixture.database.dataSource);
  await call("POST", "/exports", { kind: "contacts" }, stranger.cookie);
  const { json } = await call("GET", "/exports");
  expect(json.data).toMatchObject([
    { id: theirs.json.data.id, state: "queued", created_by_name: "Luis Soto", is_mine: false },
    { id, kind: "contacts", state: "done", size: bytes.length, is_mine: true },
  ]);
  expect(json.meta).toMatchObject({ total: 2, offset: 0 });
  const second = await call("GET", "/exports?limit=1&offset=1");
  expect(second.json.data).toMatchObject([{ id }]);
  const agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  expect((await call("GET", "/exports", undefined, agent.cookie)).status).toBe(403);
});

test("an export is asked for again with its filters, by the person who asked first", async () => {
  for (const name of ["Ana", "Bea"]) {
    await inAccount((tx) => upsertContact(tx, { name, phone: freshPhone() }));
  }
  const { id } = await exported({ kind: "contacts", filters: { search: "ana" } });
  const again = await call("POST", `/exports/${id}/repeat`);
  expect([again.status, again.json.data.state]).toEqual([201, "queued"]);
  expect(again.json.data.id).not.toBe(id);
  await write(again.json.data.id);
  const { json } = await call("GET", `/exports/${again.json.data.id}`);
  expect(json.data).toMatchObject({ kind: "contacts", state: "done", rows: 1 });
  const colleague = await addAdmin("Luis Soto");
  expect((await call("POST", `/exports/${id}/repeat`, undefined, colleague)).status).toBe(404);
});

test("an erasure takes filters of exports that name the person, and those exports have no repeat", async () => {
  const { record } = await inAccount((tx) =>
    upsertContact(tx, { name: "Ana", email: "ana@example.com", phone: "5215512345678" }),
  );
  const ask = async (filters: object): Promise<number> => {
    const { id } = (await call("POST", "/exports", { kind: "contacts", filters })).json.data;
    await write(id);
    return id;
  };
  const searches = ["ANA", "ana@example.com", "+52 55 1234 5678"];
  const named: number[] = [];
  for (const search of searches) named.push(await ask({ search }));
  named.push(await ask({ tag: "ana", channel: "web" }));
  const waiting = await call("POST", "/exports", {
    kind: "deliveries",
    filters: { search: "ana" },
  });
  named.push(waiting.json.data.id);
  const other = await ask({ search: "mañana" });
  await inAccount((tx) => eraseContact(tx, record.row.id));
  const rows = await fixture.query(
    "SELECT id, filters, error_code FROM exports WHERE account_id = ? ORDER BY id",
    [accountId],
  );
  expect(rows).toEqual([
    ...named.map((id) => Object.assign({ id }, { filters: {}, error_code: "person_erased" })),
    { id: other, filters: { search: "mañana" }, error_code: null },
  ]);
  const refused = await call("POST", `/exports/${named[0]}/repeat`);
  expect([refused.status, refused.json.error.details]).toEqual([
    400,
    [expect.objectContaining({ code: "export_filters_erased" })],
  ]);
  expect((await call("GET", `/exports/${named[0]}`)).json.data).toMatchObject({
    state: "expired",
    error: "person_erased",
  });
  expect((await call("POST", `/exports/${other}/repeat`)).status).toBe(201);
});

test("an export that is asked for beside an erasure fails where its filters name the person", async () => {
  const filters = { search: "ana" };
  const { id } = (await call("POST", "/exports", { kind: "contacts", filters })).json.data;
  await inAccount((tx) =>
    forgetExportFilters(tx, { names: ["Ana"], emails: [], phoneEndings: [] }),
  );
  await write(id);
  expect((await call("GET", `/exports/${id}`)).json.data).toMatchObject({
    state: "failed",
    rows: 0,
    size: null,
    error: "person_erased",
  });
  const rows = await fixture.query("SELECT finished_at FROM exports WHERE id = ?", [id]);
  expect(rows).toEqual([{ finished_at: expect.any(Date) }]);
});

test("live views hear of the start, the progress, the end and the erasure of an export", async () => {
  const changes = async (): Promise<number> => {
    const sql =
      "SELECT COUNT(*) AS count FROM changes WHERE account_id = ? AND kind = 'export.updated'";
    const [row] = await fixture.query<{ count: number }>(sql, [accountId]);
    return Number(row?.count);
  };
  const { record } = await inAccount((tx) => upsertContact(tx, { phone: freshPhone() }));
  const { id } = (await call("POST", "/exports", { kind: "contacts" })).json.data;
  expect(await changes()).toBe(1);
  // The write begins, notes its first page, and ends.
  await write(id);
  expect(await changes()).toBe(4);
  await write(id);
  expect(await changes()).toBe(4);
  await inAccount((tx) => eraseContact(tx, record.row.id));
  expect(await changes()).toBe(5);
});
