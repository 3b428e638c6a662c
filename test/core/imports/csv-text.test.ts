import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { judgeContactRow, type RowContact } from "../../../core/imports/contact-row.ts";
import { csvText, defuseCell } from "../../../core/imports/csv-text.ts";
import type { ImportField } from "../../../core/model/import.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["x\n -1", "x\n' -1"],
  ["vip;=1+1", "vip;'=1+1"],
  ["vip; \u00a0@x;+2", "vip;' \u00a0@x;'+2"],
  ['vip;"=1+1', "vip;'\"=1+1"],
  ["vip;lead; a=b", "vip;lead; a=b"],
])("the cell %j is written as %j", (text, written) => {
  expect(defuseCell(text)).toBe(written);
});

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
