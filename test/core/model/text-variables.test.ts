import { expect, test } from "vitest";
import {
  fillVariables,
  textVariables,
  unknownVariables,
  variableValues,
} from "../../../core/model/text-variables.ts";

const ana = { name: "Ana Torres", phone: "5215512345678", email: "ana@example.com" };
const nobody = { name: null, phone: null, email: null };
const fill = (text: string, contact: typeof ana | typeof nobody = ana) =>
  fillVariables(
    text,
    variableValues({ contact, agent: { name: "Luis Paz" }, account: { name: "Clínica Norte" } }),
  );

test("every variable has its value", () => {
  const text = textVariables.map((name) => `{{${name}}}`).join("|");
  expect(fill(text)).toBe(
    "Ana Torres|Ana|+5215512345678|ana@example.com|Luis Paz|Luis|Clínica Norte",
  );
  expect(fill("{{ contact.name }} and {{\tagent.name\t}}")).toBe("Ana Torres and Luis Paz");
});

test.each([
  ["Hola {{contact.first_name}}, ¿qué tal?", "Hola, ¿qué tal?"],
  ["{{contact.first_name}}, hola", "hola"],
  ["{{contact.first_name}} {{contact.email}}: hola", "hola"],
  ["Hola {{contact.name}}\n{{contact.email}}\nSaludos", "Hola\n\nSaludos"],
  ["De {{agent.first_name}} para {{contact.name}} y {{contact.email}}.", "De Luis para y."],
  ["{{contact.name}}", ""],
])("a missing value leaves no gap in %j", (text, filled) => {
  expect(fill(text, nobody)).toBe(filled);
});

test.each([
  ["5215512345678", "5215512345678", null],
  ["ana@example.com", null, "ana@example.com"],
  ["Visitor 17", null, null],
  ["   ", null, null],
])("the fallback %j is no name", (name, phone, email) => {
  const contact = { name, phone, email };
  const values = variableValues({ contact, agent: { name: "L" }, account: { name: "A" } });
  expect(fillVariables("Hola {{contact.name}}{{contact.first_name}}!", values)).toBe("Hola!");
});

test("a value is not filled again, whatever it holds", () => {
  const odd = { ...ana, name: "{{agent.name}} $& $1 \0" };
  expect(fill("Hola {{contact.name}}", odd)).toBe("Hola {{agent.name}} $& $1");
});

test("a name of 200 characters, emoji and right-to-left letters stay whole", () => {
  for (const name of ["x".repeat(200), "👩🏽‍⚕️ مريم", "José"]) {
    expect(fill("{{contact.name}}", { ...ana, name })).toBe(name);
  }
});

test("unknown variables are named once, and stay as written", () => {
  const text = "{{contact.age}} {{ contact.age }} {{contact.name}} {{}} {not} {{open";
  expect(unknownVariables(text)).toEqual(["contact.age", ""]);
  expect(fill("{{contact.age}}")).toBe("{{contact.age}}");
});
