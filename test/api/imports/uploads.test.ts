import { request } from "node:http";
import { beforeEach, expect, test, vi } from "vitest";
import { addColleague, createTestAccount } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { listFiles } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { rawCall } from "../api-fixture.ts";
import { startImportFixture, threeContacts } from "./import-fixture.ts";

const maxBytes = 4_096;
const fixture = useFixture(
  async () => await startImportFixture({ IMPORT_MAX_BYTES: String(maxBytes) }),
);

let filesBefore: string[];

beforeEach(async () => {
  filesBefore = await listFiles(fixture.folder);
  for (const table of ["imports", "outbox", "audit_log"])
    await fixture.query(`DELETE FROM ${table}`);
});

async function expectNothing(): Promise<void> {
  const left = await fixture.query("SELECT id FROM imports");
  expect([left, await fixture.count("outbox")]).toEqual([[], { outbox: 0 }]);
  expect(await listFiles(fixture.folder)).toEqual(filesBefore);
}

test("an upload is read by its content, stored, and its run is requested", async () => {
  const { status, json } = await fixture.upload(threeContacts);
  expect(status).toBe(201);
  const { id, state, detected, mapping } = json.data;
  expect(state).toBe("mapping");
  expect(detected).toMatchObject({ format: "csv", delimiter: ";", has_header: true, rows: 3 });
  expect(mapping.columns).toEqual([
    { index: 0, field: "name" },
    { index: 1, field: "phone" },
    { index: 2, field: "email" },
  ]);
  const { accountId } = fixture.account;
  expect(await listFiles(fixture.folder)).toContain(`${accountId}/import-${id}-original`);
  const commands = await fixture.query<{ command: object }>("SELECT command FROM outbox");
  expect(commands.map(({ command }) => command)).toEqual([
    {
      op: "signal",
      signal: "changed",
      workflow: "importFile",
      workflowId: `import-${id}`,
      taskQueue: "ops",
      input: { accountId, importId: id },
      again: true,
      summary: `import ${id}`,
    },
  ]);
  const list = await fixture.dashboard("GET", "/imports");
  expect(list.json.data).toMatchObject([
    { id, kind: "contacts", name: "people.csv", state: "mapping", size: threeContacts.length + 1 },
  ]);
  const read = await fixture.dashboard("GET", `/imports/${id}`);
  expect(read.json.data).toMatchObject({ id, detected, mapping, created_by_name: "Admin" });
});

test("a mapping that a person saved is proposed for the next file with the same header", async () => {
  const { json } = await fixture.upload(threeContacts);
  const columns = [
    { index: 0, field: null },
    { index: 1, field: "phone" },
    { index: 2, field: null },
  ];
  const mapping = { columns, has_header: true, overwrite: true, country: "MX", pipeline_id: null };
  const saved = await fixture.dashboard("PATCH", `/imports/${json.data.id}`, { mapping });
  expect([saved.status, saved.json.data.mapping]).toEqual([200, mapping]);
  expect((await fixture.upload(threeContacts)).json.data.mapping).toEqual(mapping);
  const other = threeContacts.replace("Name;Phone", "Full name;Phone");
  expect((await fixture.upload(other)).json.data.mapping).toMatchObject({ overwrite: false });
});

test.each([
  ["kind=contacts", 0, "media_empty", 422],
  ["kind=people", 10, "validation_error", 400],
  ["name=x.csv", 10, "validation_error", 400],
])("an upload with %s and %i bytes is refused as %s and leaves nothing", async (...row) => {
  const [query, bytes, code, status] = row;
  const answer = await fixture.upload(Buffer.alloc(bytes, "a"), { query });
  expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  await expectNothing();
});

test("a file over the limit is refused with 413, with and without its length, and leaves nothing", async () => {
  const big = `${threeContacts}\n${"x".repeat(maxBytes)}`;
  const declared = await fixture.upload(big);
  expect([declared.status, declared.json.error.code]).toEqual([413, "payload_too_large"]);
  const path = "/dashboard/api/imports?kind=contacts";
  const { cookie } = fixture.account;
  const chunks = [big.slice(0, 2_000), big.slice(2_000)];
  const counted = await rawCall(fixture.api.url, "POST", path, { headers: { cookie }, chunks });
  expect([counted.status, counted.json.error.code]).toEqual([413, "payload_too_large"]);
  await expectNothing();
});

test("an upload that breaks off leaves nothing", async () => {
  const { port } = new URL(fixture.api.url);
  const path = "/dashboard/api/imports?kind=contacts";
  const headers = { cookie: fixture.account.cookie, "content-length": "2000" };
  const outgoing = request({ host: "127.0.0.1", port, method: "POST", path, headers });
  outgoing.on("error", () => undefined);
  outgoing.write(threeContacts);
  await eventually(async () =>
    expect(await listFiles(fixture.folder)).toContainEqual(
      expect.stringMatching(/^\.spool\/upload-/u),
    ),
  );
  outgoing.destroy();
  await eventually(async () => {
    const files = await listFiles(fixture.folder);
    expect(files.filter((name) => name.startsWith(".spool/"))).toEqual([]);
  });
  await expectNothing();
});

test("a file that cannot be imported is refused with its code and line, and leaves nothing", async () => {
  const answer = await fixture.upload('Name,Phone\nAna,"5215512345678\n');
  expect([answer.status, answer.json.error.code]).toEqual([422, "import_file_invalid"]);
  expect(answer.json.error.details).toMatchObject({ code: "quote_unclosed", line: 2 });
  await expectNothing();
});

test("a file that the storage does not take leaves nothing", async () => {
  const away = vi
    .spyOn(fixture.api.deps.media.storage, "put")
    .mockRejectedValueOnce(new Error("The storage is away."));
  expect((await fixture.upload(threeContacts)).status).toBe(500);
  away.mockRestore();
  await expectNothing();
});

test("only admins of the account upload, from the Dashboard itself", async () => {
  const { dataSource } = fixture.database;
  const agent = await addColleague(dataSource, fixture.account.accountId, "Ben");
  const refused = await fixture.upload(threeContacts, { cookie: agent.cookie });
  expect([refused.status, refused.json.error.code]).toEqual([403, "forbidden_role"]);
  const nobody = await fixture.upload(threeContacts, { cookie: "parley_session=none" });
  expect([nobody.status, nobody.json.error.code]).toEqual([401, "session_required"]);
  const headers = { origin: "https://evil.example" };
  const foreign = await fixture.upload(threeContacts, { headers });
  expect([foreign.status, foreign.json.error.code]).toEqual([403, "csrf_rejected"]);
  await expectNothing();
});

test("an import of another account is unknown to every call", async () => {
  const { id } = (await fixture.upload(threeContacts)).json.data;
  const { cookie } = await createTestAccount(fixture.database.dataSource);
  const mapping = { columns: [{ index: 1, field: "phone" }] };
  const calls: [string, string, unknown?][] = [
    ["GET", ""],
    ["PATCH", "", { mapping }],
    ["PATCH", "", { delimiter: ";" }],
    ["GET", "/rows"],
    ["GET", "/errors.csv"],
    ...["plan", "commit", "pause", "resume", "cancel", "undo"].map((step): [string, string] => [
      "POST",
      `/${step}`,
    ]),
  ];
  for (const [method, path, body] of calls) {
    const answer = await fixture.dashboard(method, `/imports/${id}${path}`, body, cookie);
    expect([method, path, answer.status, answer.json.error.code]).toEqual([
      method,
      path,
      404,
      "import_not_found",
    ]);
  }
  const list = await fixture.dashboard("GET", "/imports", undefined, cookie);
  expect([list.json.data, list.json.meta.total]).toEqual([[], 0]);
});
