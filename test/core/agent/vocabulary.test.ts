import { expect, test } from "vitest";
import { findIntents } from "../../../core/agent/basic/intents.ts";
import { readWords } from "../../../core/agent/basic/vocabulary.ts";

const wordsOf = (text: string) => readWords(text).map((word) => word.text);

test("words of either language stay as they are, although known ones are close", () => {
  const text =
    "tengo cancer todas perdona gente hombre plaza pagar padre manzana sacado mexico vengo either mother arent charge fifth steven forgot round";
  expect(wordsOf(text)).toEqual(text.split(" "));
});

test.each([
  ["canselar", "cancelar"],
  ["juves", "jueves"],
  ["tomorow", "tomorrow"],
  ["agedar", "agendar"],
  ["apointment", "appointment"],
  ["jueces", "jueves"],
  ["sierran", "cierran"],
])("a typo is mended: %s", (typo, word) => {
  expect(wordsOf(typo)).toEqual([word]);
});

test.each([
  ["tengo cáncer, ¿me atienden?", "cancel"],
  ["perdona la molestia", "person"],
  ["va mucha gente los lunes", "person"],
  ["olvidé a qué hora es", "forget"],
  ["I forgot my time", "forget"],
  ["you aren't open on Sunday?", "person"],
  ["quiero pagar mi cita", "move"],
  ["either is fine", "no"],
  ["do you open this Saturday?", "book"],
  ["do you have anything else?", "book"],
  ["¿tienen algo más barato?", "book"],
  ["¿hay algo que deba llevar mañana?", "book"],
  ["is there anything I should bring tomorrow?", "book"],
  ["do you have anything on sale?", "book"],
  ["sí, luego me mandas la ubicación", "hedge"],
  ["sí, al rato nos vemos", "hedge"],
] as const)("%s: the wish is not %s", (text, intent) => {
  expect([...findIntents(readWords(text))]).not.toContain(intent);
});

test.each([
  ["Do you have anything tomorrow morning for a checkup?", "book"],
  ["got anything on Friday?", "book"],
  ["¿tienen algo para mañana?", "book"],
  ["¿a qué hora era?", "mine"],
  ["¿cuándo era?", "mine"],
  ["¿tienen algo libre el viernes?", "book"],
  ["ok, wait", "hedge"],
  ["what time is it?", "mine"],
] as const)("%s: the wish is %s", (text, intent) => {
  expect([...findIntents(readWords(text))]).toContain(intent);
});
