import { expect, test } from "vitest";
import { maskPersonal } from "../../../core/model/mask.ts";

test.each([
  ["Escríbenos a ana.ruiz@clinica.com.mx, por favor", "Escríbenos a •••, por favor"],
  ["Mi número es +52 55 1234 5678.", "Mi número es •••."],
  ["Llama al (55) 1234-5678 o al 5512345678", "Llama al ••• o al •••"],
  [
    "Hola Ana, ANA y Ruiz: ana no es un nombre aquí",
    "Hola •••, ••• y •••: ana no es un nombre aquí",
  ],
])("personal data is masked: %s", (text, masked) => {
  expect(maskPersonal(text, ["Ana Ruiz", null])).toBe(masked);
});

test.each([
  "La limpieza cuesta $1,200.00 y dura 45 minutos.",
  "Abrimos de 9:00 a 18:30, del 2026-11-24 al 2026-12-01.",
  "Trae el folio 1234567. Anabel no es Ana Li.",
  "Quedan 1500 o 2500 lugares, 3 de 10.",
])("what is no personal data stays: %s", (text) => {
  expect(maskPersonal(text, ["Li Bo", ""])).toBe(text);
});

test("a long text of digits and dots is read in linear time", () => {
  const started = performance.now();
  maskPersonal(`${"1 ".repeat(50_000)}${"a.".repeat(50_000)}@`, ["Ana"]);
  expect(performance.now() - started).toBeLessThan(1_000);
});
