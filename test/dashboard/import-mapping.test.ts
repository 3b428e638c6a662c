import { expect, test } from "vitest";
import {
  chatMapping,
  contactMapping,
  importErrorCodes,
  importReasons,
  type DetectedChat,
  type DetectedTable,
} from "../../core/model/import.ts";
import { countryOptions } from "../../dashboard/src/features/imports/countries.ts";
import {
  chatDraft,
  chatMappingOf,
  chooseUs,
  dayOfLine,
  findTableFault,
  hasForeignSigns,
  isOneColumn,
  previewOf,
  rereadDraft,
  tableDraft,
  tableMapping,
} from "../../dashboard/src/features/imports/map-values.ts";
import { addSample, rateOf, type RateSample } from "../../dashboard/src/features/imports/rate.ts";
import { en } from "../../dashboard/src/locales/en/index.ts";

const table: DetectedTable = {
  format: "csv",
  charset: "utf-8",
  delimiter: ",",
  has_header: true,
  columns: [
    { index: 0, title: "Nombre", field: "name" },
    { index: 1, title: "Celular", field: "phone" },
    { index: 2, title: "Color", field: null },
  ],
  sample: [
    ["Nombre", "Celular", "Color"],
    ["Ana", "5512345678", "red"],
    ["Luis", "5512345679", "blue", "more than the header says"],
  ],
  rows: 2,
};

test("a mapping begins with the fields of the titles, and covers columns without a title", () => {
  const draft = tableDraft(table, null);
  expect(draft.columns).toEqual(["name", "phone", null, null]);
  const mapping = tableMapping({ ...draft, country: "MX" });
  expect(contactMapping.parse(mapping)).toEqual(mapping);
  expect(tableDraft(table, { ...mapping, overwrite: true }).overwrite).toBe(true);
});

test("a remembered mapping wins over the titles, and a pipeline goes only with stages", () => {
  const columns = [
    { index: 0, field: "email" as const },
    { index: 1, field: null },
  ];
  const stored = contactMapping.parse({ columns, has_header: false, pipeline_id: 7 });
  const draft = tableDraft(table, stored);
  expect(draft.columns).toEqual(["email", null, null, null]);
  expect(tableMapping(draft).pipeline_id).toBe(null);
  const staged = { ...draft, columns: [...draft.columns.slice(0, 3), "stage" as const] };
  expect(tableMapping(staged).pipeline_id).toBe(7);
});

test("the preview follows the switch of the header", () => {
  const draft = tableDraft(table, null);
  expect(previewOf(table, draft)).toEqual({
    titles: ["Nombre", "Celular", "Color", null],
    rows: table.sample.slice(1),
  });
  const plain = previewOf(table, { ...draft, hasHeader: false });
  expect(plain).toEqual({ titles: [null, null, null, null], rows: table.sample });
});

test("a table that is read in another way has other columns, and keeps the options", () => {
  const draft = { ...tableDraft(table, null), overwrite: true, country: "MX", hasHeader: false };
  const other = { ...table, columns: [], sample: [["Nombre;Celular"], ["Ana;5512345678"]] };
  expect(rereadDraft(draft, other, null)).toEqual({
    columns: [null],
    hasHeader: true,
    overwrite: true,
    country: "MX",
    pipelineId: null,
  });
});

test("a wrong encoding and a wrong separator are suspected by their traces", () => {
  const withSample = (...sample: string[][]): DetectedTable => ({ ...table, sample });
  expect([isOneColumn(table), isOneColumn(withSample(["Name;Phone"], ["Ana;55"]))]).toEqual([
    false,
    true,
  ]);
  for (const cell of ["BenjamÃ\u00adn", "MuÃ±oz", "Ã‘andÃº", "100 â‚¬", "Pe\uFFFDa"]) {
    expect([cell, hasForeignSigns(withSample([cell]))]).toEqual([cell, true]);
  }
  for (const cell of ["Benjamín", "Ñandú", "JOÃO", "SÃO PAULO", "100 €", "Ângela", "山田"]) {
    expect([cell, hasForeignSigns(withSample([cell]))]).toEqual([cell, false]);
  }
  const wide: DetectedTable = { ...withSample(["䅮愬㔵"]), charset: "utf-16be" };
  expect(hasForeignSigns(wide)).toBe(true);
  expect(hasForeignSigns({ ...wide, sample: [["Ana"], ["Luis"]] })).toBe(false);
});

test("a mapping without phone and email, or with one field twice, cannot be sent", () => {
  const draft = tableDraft(table, null);
  expect(findTableFault(draft)).toBe(null);
  expect(findTableFault({ ...draft, columns: ["name", null] })).toEqual({ code: "need_reach" });
  expect(findTableFault({ ...draft, columns: ["phone", "phone"] })).toEqual({
    code: "twice",
    field: "phone",
  });
  expect(findTableFault({ ...draft, columns: ["phone", "tags", "tags"] })).toBe(null);
});

const chat: DetectedChat = {
  format: "chat",
  authors: [
    { name: "Sonrisa Dental", messages: 4 },
    { name: "+52 55 1234 5678", messages: 3 },
  ],
  day_first: null,
  sample: ["3/4/25, 9:15 - Sonrisa Dental: Hola"],
  messages: 7,
  media: 0,
  first_at: "2025-03-04T09:15",
  last_at: "2025-03-05T10:00",
};

test("the other author names the contact, and gives the phone where WhatsApp knows no name", () => {
  const draft = chooseUs(chat, chatDraft(chat, null, "America/Mexico_City"), "Sonrisa Dental");
  expect(draft).toMatchObject({ phone: "525512345678", name: "+52 55 1234 5678" });
  expect(chatMappingOf(draft)).toBe(null);
  const mapping = chatMappingOf({ ...draft, dayFirst: true });
  expect(chatMapping.parse(mapping)).toEqual(mapping);
  const typed = chooseUs(chat, { ...draft, name: "Ana" }, "+52 55 1234 5678");
  expect(typed).toMatchObject({ name: "Ana", phone: "525512345678" });
});

test("dates of lines read in the chosen order, and a year at the beginning is always first", () => {
  const line = "3/4/25, 9:15 - Ana: Hola";
  expect([dayOfLine(line, true), dayOfLine(line, false)]).toEqual(["2025-04-03", "2025-03-04"]);
  expect(dayOfLine("[24.11.2025, 9:15:01] Ana: Hola", true)).toBe("2025-11-24");
  expect(dayOfLine("[24.11.2025, 9:15:01] Ana: Hola", false)).toBe(null);
  expect(dayOfLine("2025/11/24 9:15 - Ana: 你好", true)).toBe("2025-11-24");
  expect(dayOfLine("[6. 3. 2026 13:45:12] Ana: 24.12.25?", true)).toBe("2026-03-06");
  expect(dayOfLine("Ana: Hola", true)).toBe(null);
});

test("countries are there once, by name", () => {
  const options = countryOptions("es");
  expect(options.length).toBeGreaterThan(240);
  expect(new Set(options.map(({ label }) => label)).size).toBe(options.length);
  expect(options.find(({ value }) => value === "MX")?.label).toBe("México");
});

test("the rate is that of the last seconds, and begins anew with fewer rows", () => {
  const add = (pairs: [number, number][]): RateSample[] =>
    pairs.reduce<RateSample[]>((all, [at, done]) => addSample(all, { at, done }), []);
  expect(rateOf(add([[0, 0]]))).toBe(null);
  expect(
    rateOf(
      add([
        [0, 0],
        [1_000, 900],
      ]),
    ),
  ).toBe(null);
  expect(
    rateOf(
      add([
        [0, 0],
        [2_000, 1_000],
      ]),
    ),
  ).toBe(500);
  const slower: [number, number][] = [
    [0, 0],
    [1_000, 9_000],
    [20_000, 9_000],
    [25_000, 9_500],
  ];
  expect(rateOf(add(slower))).toBeCloseTo(500 / 24);
  expect(
    rateOf(
      add([
        [0, 500],
        [2_000, 10],
      ]),
    ),
  ).toBe(null);
});

test("each reason of a row and each error of a file has a text", () => {
  expect(Object.keys(en.imports.reason).toSorted()).toEqual([...importReasons].toSorted());
  expect(Object.keys(en.imports.file_error).toSorted()).toEqual([...importErrorCodes].toSorted());
});
