import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { detectContent } from "../../../core/imports/detect-content.ts";
import { readTable } from "../../../core/imports/read-table.ts";
import type { DetectedTable } from "../../../core/model/import.ts";
import { expectedOf, importFile, listOf, withFile } from "../../support/import-files.ts";
import { xlsx } from "../../support/spreadsheet.ts";

interface ExpectedTable {
  charset: string;
  delimiter: string;
  has_header: boolean;
  fields: (string | null)[];
  rows: { number: number; cells: string[] }[];
}

async function detectTable(path: string): Promise<DetectedTable> {
  return (await detectContent(path, "contacts", {})) as DetectedTable;
}

const names = readdirSync(importFile("csv"))
  .filter((name) => name.endsWith(".csv"))
  .map((name) => name.slice(0, -4));

test("there are twelve tables", () => expect(names).toHaveLength(12));

test.each(names)("the table %s reads as the file beside it says", async (name) => {
  const path = importFile(`csv/${name}.csv`);
  const expected = await expectedOf<ExpectedTable>(`csv/${name}.json`);
  const detected = await detectTable(path);
  const rows = await listOf(readTable(path, detected));
  expect({
    charset: detected.charset,
    delimiter: detected.delimiter,
    has_header: detected.has_header,
    fields: detected.columns.map(({ field }) => field),
    rows,
  }).toEqual(expected);
  expect(detected.rows).toBe(rows.length);
});

test("the sample has the header and 50 records at most", async () => {
  const lines = Array.from(
    { length: 80 },
    (_, index) => `Person ${index},52155123456${10 + index}`,
  );
  await withFile(["name,phone", ...lines].join("\n"), async (path) => {
    const detected = await detectTable(path);
    expect(detected.rows).toBe(80);
    expect(detected.sample).toHaveLength(50);
    expect(detected.sample[0]).toEqual(["name", "phone"]);
  });
});

test("a column of days is no phone", async () => {
  const lines = [
    "cliente,alta,baja,valor,contacto 2",
    "Ana,2026-03-06,6.3.2026,31-12-2025,55-12-345678",
    "Bob,2026-03-31,16.3.2026,01-02-2026,12-34-5678",
  ];
  await withFile(lines.join("\n"), async (path) => {
    const { columns } = await detectTable(path);
    expect(columns.map(({ field }) => field)).toEqual(["name", null, null, null, "phone"]);
  });
});

test("a person chooses another charset and delimiter", async () => {
  await withFile(Buffer.from("nombre;teléfono\nAna;5215512345678\n", "latin1"), async (path) => {
    const chosen = { charset: "windows-1252", delimiter: "|" } as const;
    const detected = (await detectContent(path, "contacts", chosen)) as DetectedTable;
    expect(detected).toMatchObject({ charset: "windows-1252", delimiter: "|" });
    expect(detected.sample[0]).toEqual(["nombre;teléfono"]);
  });
});

test("the euro sign of windows-1252 survives", async () => {
  await withFile(Buffer.from([0x61, 0x3b, 0x62, 0x0a, 0x80, 0x3b, 0x9c, 0x0a]), async (path) => {
    const detected = await detectTable(path);
    expect(detected.sample.at(-1)).toEqual(["€", "œ"]);
  });
});

test("a table reads to its end, although nobody takes its rows for a while", async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `a${index},b`);
  await withFile(lines.join("\n"), async (path) => {
    const rows = readTable(path, {
      format: "csv",
      charset: "utf-8",
      delimiter: ",",
      has_header: false,
    });
    await rows.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await listOf(rows)).toHaveLength(19_999);
  });
});

test("the first visible sheet of a spreadsheet is read, and its numbers are whole digits", async () => {
  const file = xlsx([
    { name: "Old", rows: [["secret"]], state: "hidden" },
    {
      name: "Clientes & más",
      rows: [
        ["Nombre", "Teléfono", "Saldo"],
        ["Ana", 5215512345678, 12.5],
        [],
        ["Bob", "#N/A", null],
      ],
    },
    { name: "Third", rows: [["other"]] },
  ]);
  await withFile(file, async (path) => {
    const detected = await detectTable(path);
    expect(detected).toMatchObject({ format: "xlsx", charset: null, has_header: true, rows: 2 });
    expect(detected.columns.map(({ field }) => field)).toEqual(["name", "phone", null]);
    expect(await listOf(readTable(path, detected))).toEqual([
      { number: 2, cells: ["Ana", "5215512345678", "12.5"] },
      { number: 4, cells: ["Bob", "#N/A"] },
    ]);
  });
});
