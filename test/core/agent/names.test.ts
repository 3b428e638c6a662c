import { describe, expect, test } from "vitest";
import { readBareName, readOwnName } from "../../../core/agent/basic/names.ts";
import { readWords } from "../../../core/agent/basic/vocabulary.ts";

describe("names that customers give", () => {
  test.each([
    ["soy Mayo González", "Mayo González"],
    ["me llamo Abril Domingo", "Abril Domingo"],
    ["soy Ana de la Torre", "Ana de la Torre"],
    ["soy Juan de los Santos", "Juan de los Santos"],
    ["me llamo María del Mar", "María del Mar"],
    ["soy Pedro el Grande", "Pedro el Grande"],
    ["I'm Wednesday Addams", "Wednesday Addams"],
  ])("a name is kept whole: %s", (text, name) => {
    expect(readOwnName(readWords(text))).toBe(name);
  });

  test.each([
    ["soy Ana el martes a las 10", "Ana"],
    ["soy Ana de la Torre el próximo martes", "Ana de la Torre"],
    ["SOY ANA EL MARTES", "ANA"],
    ["soy Ana martes a las 10", "Ana"],
    ["I'm Ana, next Friday", "Ana"],
    ["this is Ana on Friday", "Ana"],
  ])("a name ends before the day: %s", (text, name) => {
    expect(readOwnName(readWords(text))).toBe(name);
  });

  test.each([
    "I want consulta general with anyone, I'm available on Friday at 3pm",
    "I'm busy on Monday",
    "I'm off on Friday",
    "I'm away next week",
    "I'm sick, can I come on Friday",
    "I'm usually free Tuesday",
  ])("a state is no name: %s", (text) => {
    expect(readOwnName(readWords(text))).toBeNull();
  });

  test("a state is no name either where the name was asked for", () => {
    expect(readBareName(readWords("I'm busy on Monday"))).toBeNull();
    expect(readBareName(readWords("Ana de la Torre"))).toBe("Ana de la Torre");
  });

  test.each([
    ["mejor a las 5", null],
    ["perdón, a las 5", null],
    ["actually at 5", null],
    ["better at 5 pm", null],
    ["perdón, Ana López", "Ana López"],
    ["sorry about that, Ana Lopez", "Ana Lopez"],
    ["Ire Lopez", "Ire Lopez"],
  ])("a word that corrects is no name: %s", (text, name) => {
    expect(readBareName(readWords(text))).toBe(name);
  });

  test.each([
    "prefiero no decirlo",
    "why do you need it?",
    "ya te lo dije",
    "déjame ver",
    "al rato",
    "cancelar",
    "perfecto",
    "never mind",
    "¿tienes otro horario?",
    "puede ser otro día",
    "hold on",
    "same as before",
    "listo",
  ])("a sentence is no name where the name was asked for: %s", (text) => {
    expect(readBareName(readWords(text))).toBeNull();
  });

  test.each([
    ["Ana López gracias", "Ana López"],
    ["sí, Ana López y mi correo es ana@example.com", "Ana López"],
    ["Perfecto Gómez", "Perfecto Gómez"],
    ["Perfecto, Ana López", "Ana López"],
    ["listo, Ana López", "Ana López"],
    ["Ana López, ¿aceptan tarjeta?", "Ana López"],
    ["Dale Cooper", "Dale Cooper"],
    ["se llama Pedro", "Pedro"],
    ["Socorro", "Socorro"],
  ])("a name that was asked for is kept: %s", (text, name) => {
    expect(readBareName(readWords(text))).toBe(name);
  });
});
