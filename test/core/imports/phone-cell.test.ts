import { expect, test } from "vitest";
import { cellText, cleanPhone } from "../../../core/imports/phone-cell.ts";

test.each([
  ["5215512345678", null, "5215512345678"],
  ["+52 (55) 1234-5678", null, "525512345678"],
  ["0052 55 1234 5678", null, "525512345678"],
  ["'5215512345678", null, "5215512345678"],
  ["\u202a+52\u00a055\u00a01234\u00a05678\u202c", null, "525512345678"],
  ["5215512345678.0", null, "5215512345678"],
  ["tel:+525512345678", null, "525512345678"],
  ["p:+525512345678", null, "525512345678"],
  ["+52 55 1234 5678 ::: +52 55 8765 4321", null, "525512345678"],
  ["55 1234 5678", "MX", "525512345678"],
  ["+1 202-555-0143", "MX", "12025550143"],
  ["525512345678", "MX", "525512345678"],
  ["612 34 56 78", "ES", "34612345678"],
  ["(11) 91234-5678", "BR", "5511912345678"],
  ["020 7946 0018", "GB", "442079460018"],
  ["+44 (0)20 7946 0018", null, "442079460018"],
  ["+44 (0)20 7946 0018", "GB", "442079460018"],
  ["+52 (0)55 1234 5678", null, "525512345678"],
  ["+34 (0)91 123 45 67", null, "34911234567"],
  ["+52 (01) 55 1234 5678", null, "525512345678"],
  ["0052(045)55 1234 5678", "MX", "525512345678"],
  ["52 (044) 55 1234 5678", null, "525512345678"],
  ["+51 (01) 234 5678", null, "5112345678"],
  ["+39 (02) 6982 1234", null, "390269821234"],
  ["0044 (020) 7946 0018", null, "442079460018"],
  ["44 (0)20 7946 0018", null, "442079460018"],
  ["+39 (06) 6982 1234", null, "390669821234"],
])("%j with the country %j is %j", (cell, country, phone) => {
  expect(cleanPhone(cell, country)).toEqual({ phone, reason: null });
});

test.each([
  ["5.21E+12", "phone_scientific"],
  ["5,21e12", "phone_scientific"],
  ["#N/A", "cell_error"],
  ["#¡REF!", "cell_error"],
  ["12345", "invalid_phone"],
  ["020 7946 0018", "invalid_phone"],
  ["+52 55 1234 5678 ext. 3", "invalid_phone"],
  ["+44 (0)20 79", "invalid_phone"],
  ["call me", "invalid_phone"],
])("%j is no phone: %s", (cell, reason) => {
  expect(cleanPhone(cell, null)).toEqual({ phone: null, reason });
});

test("an empty cell has no phone and no fault", () => {
  expect(cleanPhone(" ' ", "MX")).toEqual({ phone: null, reason: null });
});

test("an unknown country reads numbers as they are", () => {
  expect(cleanPhone("5215512345678", "XX")).toEqual({ phone: "5215512345678", reason: null });
});

test("one apostrophe goes, a second one stays", () => {
  expect(cellText("''Neill ")).toBe("'Neill");
});
