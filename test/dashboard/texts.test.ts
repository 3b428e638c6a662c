import { expect, test } from "vitest";
import { en } from "../../dashboard/src/locales/en/index.ts";
import { es } from "../../dashboard/src/locales/es/index.ts";
import { flattenTexts } from "../support/texts.ts";

const english = flattenTexts(en);
const spanish = new Map(flattenTexts(es));

test("both languages have the same texts", () => {
  expect([...spanish.keys()].toSorted()).toEqual(english.map(([key]) => key).toSorted());
});

test("each text names the same values in both languages, and none is empty", () => {
  const namesIn = (text = "") => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
  for (const [key, text] of english) {
    expect([key, new Set(namesIn(spanish.get(key)))]).toEqual([key, new Set(namesIn(text))]);
    expect([key, text.trim() !== "" && spanish.get(key)?.trim() !== ""]).toEqual([key, true]);
  }
});
