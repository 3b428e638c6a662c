import { expect, test } from "vitest";
import { proposeFields } from "../../../core/imports/column-aliases.ts";

test.each([
  [["Full Name", "Mobile", "E-mail Address", "Groups", "Stage", "Comments"]],
  [["NOMBRE Y APELLIDO", "Teléfono", "Correo electrónico", "Etiquetas", "Etapa", "Observaciones"]],
  [["Nome completo", "Nº do WhatsApp", "E-mail", "Marcadores", "Estágio", "Observações"]],
  [["nombre_completo", "numero-de-celular", "EMAIL", "tags", "fase", "nota"]],
])("the titles %j fill all fields", (titles) => {
  const fields = proposeFields(titles).map(({ field }) => field);
  expect(fields).toEqual(["name", "phone", "email", "tags", "stage", "note"]);
});

test("a field is proposed once, for its best title", () => {
  const columns = proposeFields(["Home Phone", "Phone", "Phone", "Balance"]);
  expect(columns.map(({ field }) => field)).toEqual([null, "phone", null, null]);
});
