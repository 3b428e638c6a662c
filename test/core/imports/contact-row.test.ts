import { expect, test } from "vitest";
import { judgeContactRow } from "../../../core/imports/contact-row.ts";
import type { ContactMapping, ImportField } from "../../../core/model/import.ts";

const fields: ImportField[] = ["name", "phone", "email", "tags", "stage", "note"];
const mapping: Pick<ContactMapping, "columns" | "country"> = {
  columns: fields.map((field, index) => ({ index, field })),
  country: null,
};
const judge = (...cells: string[]) => judgeContactRow(cells, mapping);

test("a row becomes a contact", () => {
  expect(
    judge(" Ana ", "+52 1 55 1234 5678", " ANA@Example.com", "vip; Lead |x", "New", "Hi"),
  ).toEqual({
    name: "Ana",
    phone: "5215512345678",
    phoneKey: "525512345678",
    email: "ana@example.com",
    tags: ["vip", "Lead", "x"],
    stage: "New",
    note: "Hi",
  });
});

test("a leading apostrophe of a spreadsheet is no part of the cell", () => {
  expect(judge("", "'+34600111222")).toMatchObject({ phone: "34600111222" });
});

test("of several values of Google the first email counts, and each label is a tag", () => {
  const emails = "Ana@Example.com ::: ana@work.example";
  expect(judge("Ana", "", emails, "* myContacts ::: Friends ::: Clients, old")).toMatchObject({
    email: "ana@example.com",
    tags: ["Friends", "Clients, old"],
  });
});

test("texts keep the joiners of emoji and letters, phones and emails do not", () => {
  const family = "\u{1f469}\u200d\u{1f467}";
  const persian = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645";
  const phone = "\u200d34600111222\u200c";
  expect(
    judge(`\u200f${persian}`, phone, "a\u200d@example.com", family, family, persian),
  ).toMatchObject({
    name: persian,
    phone: "34600111222",
    email: "a@example.com",
    tags: [family],
    stage: family,
    note: persian,
  });
  expect(judge("\u200d", phone)).toMatchObject({ name: null });
});

test.each([
  ["", "", "", "", "", "", "no_identifier"],
  ["Ana", "", "", "", "", "", "no_identifier"],
  ["Ana", "5.21E+12", "ana@example.com", "", "", "", "phone_scientific"],
  ["Ana", "#N/A", "ana@example.com", "", "", "", "cell_error"],
  ["#¡REF!", "34600111222", "", "", "", "", "cell_error"],
  ["Ana", "no phone", "", "", "", "", "invalid_phone"],
  ["Ana", "", "ana.example.com", "", "", "", "invalid_email"],
  ["A".repeat(201), "34600111222", "", "", "", "", "name_too_long"],
  ["Ana", "34600111222", "", "t".repeat(51), "", "", "invalid_tag"],
  ["Ana", "34600111222", "", "", "", "n".repeat(4_097), "note_too_long"],
])("%s, %s, %s, %s, %s, %s is refused as %s", (...cells) => {
  expect(judge(...cells.slice(0, -1))).toEqual({ reason: cells.at(-1) });
});

test("several columns of tags add up", () => {
  const columns = (["email", "tags", "tags"] as const).map((field, index) => ({ index, field }));
  expect(judgeContactRow(["a@example.com", "x", "y"], { columns, country: null })).toMatchObject({
    tags: ["x", "y"],
  });
});
