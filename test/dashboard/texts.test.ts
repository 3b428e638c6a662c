import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { first } from "../../dashboard/src/locales/en/first.ts";
import { en } from "../../dashboard/src/locales/en/index.ts";
import { es } from "../../dashboard/src/locales/es/index.ts";
import { flattenTexts } from "../support/texts.ts";

const sources = fileURLToPath(new URL("../../dashboard/src", import.meta.url));
const english = flattenTexts(en);
const spanish = new Map(flattenTexts(es));

test("both languages have the same texts", () => {
  expect([...spanish.keys()].toSorted()).toEqual(english.map(([key]) => key).toSorted());
});

test("what stands there before the other pages' texts are fetched has its own", () => {
  const folders = ["shell", "lib", "features/inbox", "features/login"];
  const files = folders.flatMap((folder) =>
    readdirSync(join(sources, folder))
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(sources, folder, name)),
  );
  const used = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\bt\(\s*["`](\w+)\./g)].map(([, area]) => area),
  );
  expect(used.length).toBeGreaterThan(100);
  const missing = used.filter((area = "") => !(area in first));
  expect(new Set(missing)).toEqual(new Set());
});

test("each text names the same values in both languages, and none is empty", () => {
  const namesIn = (text = "") => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
  for (const [key, text] of english) {
    expect([key, new Set(namesIn(spanish.get(key)))]).toEqual([key, new Set(namesIn(text))]);
    expect([key, text.trim() !== "" && spanish.get(key)?.trim() !== ""]).toEqual([key, true]);
  }
});
