import { expect, test } from "vitest";
import { namesPerson } from "../../../../core/services/contacts/contact-filters.ts";

const namesAna = namesPerson({
  names: ["Ana", "María Núñez (VIP)", ""],
  emails: ["ana+x@example.com"],
  phoneEndings: ["12345678"],
});

test.each([
  "ANA",
  " ana ",
  "Citas de maría núñez (vip)",
  "MARÍA NÚÑEZ (VIP), urgente",
  "Mail to Ana+X@example.com.",
  "+52 55 1234-5678",
])("%s names the person", (text) => {
  expect(namesAna(text)).toBe(true);
});

test.each([
  "Esta semana",
  "mañana",
  "Ana hoy",
  "María Núñez",
  "Rosamaría Núñez (VIP)",
  "María Núñez (VIP)ñ",
  "juliana+x@example.com",
  "anaax@example.com",
  "1234-567",
  "",
])("%s does not name the person", (text) => {
  expect(namesAna(text)).toBe(false);
});
