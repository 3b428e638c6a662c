import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { judgeContactRow, type RowContact } from "../../../core/imports/contact-row.ts";
import { csvText, defuseCell, restoreCell } from "../../../core/imports/csv-text.ts";
import type { ImportField } from "../../../core/model/import.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["x\n -1", "x\n' -1"],
  ["vip;=1+1", "vip;'=1+1"],
  ["vip; \u00a0@x;+2", "vip;' \u00a0@x;'+2"],
  ['vip;"=1+1', "vip;'\"=1+1"],
  ["vip;lead; a=b", "vip;lead; a=b"],
  ["x\r=1+1", "x\r'=1+1"],
  ["x\r\n=1+1", "x\r\n'=1+1"],
  ["x\u0085=1+1", "x\u0085'=1+1"],
  ["x\u2028=1+1", "x\u2028'=1+1"],
  ["x\u2029 @y", "x\u2029' @y"],
])("the cell %j is written as %j", (text, written) => {
  expect(defuseCell(text)).toBe(written);
});

test.each(["\n", "\r", "\r\n", "\u0085", "\u2028", "\u2029", ";"])(
  "a guard behind %j is taken away again",
  (end) => {
    const text = `one${end}=1+1${end} -2`;
    expect(restoreCell(defuseCell(text))).toBe(text);
  },
);

const fields: ImportField[] = ["name", "phone", "tags", "note"];
const columns = fields.map((field, index) => ({ index, field }));

test("a table that we have written is read with its texts and whole tags", () => {
  const tags = ["=first", "vip", "-50%", "a, b", '"@quoted"'];
  const name = "Ana;=1+1";
  const note = "Hi ;-) and it's; 'fine'\n- one\n- two";
  const text = csvText([[name, "+34600111222", tags.join(";"), note]]);
  const [cells = []] = parse(text);
  const contact = judgeContactRow(cells, { columns, country: null }) as RowContact;
  expect(contact).toMatchObject({ name, phone: "34600111222", tags, note });
});
