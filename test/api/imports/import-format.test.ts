import { beforeEach, expect, test } from "vitest";
import { importStates, importTransitions } from "../../../core/model/workflow/importing.ts";
import type { TestAnswer } from "../../support/api.ts";
import { listFiles } from "../../support/media.ts";
import { xlsx } from "../../support/spreadsheet.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startImportFixture, threeContacts } from "./import-fixture.ts";

const fixture = useFixture(startImportFixture);
let id: number;

beforeEach(async () => {
  id = (await fixture.upload(threeContacts)).json.data.id;
});

const patch = async (body: object): Promise<TestAnswer> =>
  await fixture.dashboard("PATCH", `/imports/${id}`, body);
const read = async () => (await fixture.dashboard("GET", `/imports/${id}`)).json.data;

async function expectNoCopies(): Promise<void> {
  const files = await listFiles(fixture.folder);
  expect(files.filter((name) => name.startsWith(".spool/"))).toEqual([]);
}

test("another delimiter has the file read again, and null has it detected again", async () => {
  const before = await read();
  const wrong = await patch({ delimiter: "," });
  expect([wrong.status, wrong.json.data.state]).toEqual([200, "mapping"]);
  expect(wrong.json.data.detected).toMatchObject({
    delimiter: ",",
    charset: "utf-8",
    has_header: false,
    columns: [{ index: 0, title: "", field: null }],
  });
  // No column holds a phone or an email alone, so the person has to map one.
  expect(wrong.json.data.mapping).toBe(null);
  expect(await read()).toMatchObject({ detected: wrong.json.data.detected, mapping: null });
  const right = await patch({ delimiter: null });
  expect(right.json.data).toMatchObject({ detected: before.detected, mapping: before.mapping });
  await expectNoCopies();
});

test("another charset changes the texts of the sample, and the delimiter stays", async () => {
  const { sample } = (await patch({ delimiter: ";", charset: "windows-1252" })).json.data.detected;
  expect(sample[3][0]).toBe("ZoÃ«");
  const { detected } = (await patch({ charset: null })).json.data;
  expect([detected.charset, detected.delimiter, detected.sample[3][0]]).toEqual([
    "utf-8",
    ";",
    "Zoë",
  ]);
});

test("a sign that is never detected can be named", async () => {
  id = (await fixture.upload(threeContacts.replaceAll(";", "^"))).json.data.id;
  const { detected, mapping } = (await patch({ delimiter: "^" })).json.data;
  expect(detected.columns.map(({ title }: { title: string }) => title)).toEqual([
    "Name",
    "Phone",
    "Email",
  ]);
  expect(mapping.columns[1]).toEqual({ index: 1, field: "phone" });
});

test("a saved mapping stays while the titles stay, and is proposed anew with other titles", async () => {
  const columns = [
    { index: 0, field: null },
    { index: 1, field: "phone" },
    { index: 2, field: null },
  ];
  await patch({ mapping: { columns } });
  expect((await patch({ charset: "windows-1252" })).json.data.mapping.columns).toEqual(columns);
  expect((await patch({ delimiter: "|" })).json.data.mapping).toBe(null);
});

test("a mapping beside the delimiter is saved for the new columns", async () => {
  await patch({ delimiter: "," });
  const columns = [{ index: 2, field: "email" }];
  const { json } = await patch({ delimiter: ";", mapping: { columns } });
  expect(json.data).toMatchObject({ detected: { delimiter: ";" }, mapping: { columns } });
});

test("a plan is void once the file was read again", async () => {
  await fixture.query(
    `UPDATE imports SET state = 'planned', planned_at = UTC_TIMESTAMP(3),
            counts = JSON_SET(counts, '$.rows', 3, '$.planned.create', 3) WHERE id = ?`,
    [id],
  );
  const { json } = await patch({ charset: "windows-1252" });
  expect(json.data).toMatchObject({ state: "mapping", planned_at: null, counts: { rows: 0 } });
});

const wrongBodies: [object, string][] = [
  [{ charset: "latin1" }, "body.charset"],
  [{ charset: "" }, "body.charset"],
  [{ charset: 1 }, "body.charset"],
  [{ delimiter: "" }, "body.delimiter"],
  [{ delimiter: ";;" }, "body.delimiter"],
  [{ delimiter: "a" }, "body.delimiter"],
  [{ delimiter: "7" }, "body.delimiter"],
  [{ delimiter: '"' }, "body.delimiter"],
  [{ delimiter: "\n" }, "body.delimiter"],
  [{ delimiter: "ñ" }, "body.delimiter"],
  [{ encoding: "utf-8" }, "body.encoding"],
  [{}, "body"],
];

test("a wrong value is 400 and names its field", async () => {
  for (const [body, path] of wrongBodies) {
    const { status, json } = await patch(body);
    expect([body, status, json.error.code]).toEqual([body, 400, "validation_error"]);
    expect(json.error.details).toContainEqual(expect.objectContaining({ path }));
  }
});

test("a wrong mapping beside a charset is 400, and nothing changes", async () => {
  const before = await read();
  const { status, json } = await patch({ charset: "windows-1252", mapping: { columns: [] } });
  expect([status, json.error.details[0].path]).toEqual([400, "body.mapping.columns"]);
  expect(await read()).toEqual(before);
});

test("charset and delimiter are 409 in each state that no mapping applies to", async () => {
  const { from } = importTransitions.map;
  for (const state of importStates.filter((one) => one !== "uploaded")) {
    await fixture.query("UPDATE imports SET state = ? WHERE id = ?", [state, id]);
    const { status, json } = await patch({ delimiter: ";" });
    const isAllowed = from.some((one) => one === state);
    const expected = isAllowed ? [200, "mapping"] : [409, "import_state"];
    expect([state, status, json.data?.state ?? json.error.code]).toEqual([state, ...expected]);
  }
});

test("an import that failed can be read again, and its error goes", async () => {
  await fixture.query(
    "UPDATE imports SET state = 'failed', error_code = 'record_too_long', error_line = 2 WHERE id = ?",
    [id],
  );
  const { json } = await patch({ delimiter: ";" });
  expect(json.data).toMatchObject({ state: "mapping", error: null });
});

test("a file that cannot be read so is 422 with its fault, and nothing changes", async () => {
  const bytes = Buffer.from("Name;Phone\nMuñoz;5215512345678\n", "latin1");
  id = (await fixture.upload(bytes)).json.data.id;
  const before = await read();
  expect(before.detected.charset).toBe("windows-1252");
  const answer = await patch({ charset: "utf-8" });
  expect([answer.status, answer.json.error.code]).toEqual([422, "import_file_invalid"]);
  expect(answer.json.error.details).toEqual({ code: "file_unreadable", line: null });
  expect(await read()).toEqual(before);
  await expectNoCopies();
});

test("a file that is gone is 422", async () => {
  const [row] = await fixture.query<{ key: string }>(
    "SELECT storage_key AS `key` FROM imports WHERE id = ?",
    [id],
  );
  await fixture.api.deps.media.storage.delete(row?.key ?? "");
  const { status, json } = await patch({ delimiter: ";" });
  expect([status, json.error.details]).toEqual([422, { code: "file_missing", line: null }]);
});

test("a spreadsheet and a chat have neither charset nor delimiter", async () => {
  const rows = [
    ["Name", "Phone"],
    ["Ana", "5215512345678"],
  ];
  const sheet = xlsx([{ name: "People", rows }]);
  const chat = "24/11/26, 09:02 - Ana: Hola\n24/11/26, 09:03 - Us: Sí, el jueves\n";
  for (const [bytes, query] of [
    [sheet, "kind=contacts"],
    [chat, "kind=chat"],
  ] as const) {
    id = (await fixture.upload(bytes, { query })).json.data.id;
    for (const [body, path] of [
      [{ charset: "utf-8" }, "body.charset"],
      [{ delimiter: null }, "body.delimiter"],
    ] as const) {
      const { status, json } = await patch(body);
      expect([status, json.error.details]).toEqual([
        400,
        [expect.objectContaining({ path, code: "not_a_csv_file" })],
      ]);
    }
  }
});
