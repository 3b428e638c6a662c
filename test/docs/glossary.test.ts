import { expect, test } from "vitest";
import { listSources, readSource } from "../support/imports.ts";
import { readPages } from "./markdown.ts";

/** Folders with product code. Migrations keep the names of their day. */
const folders = [
  "core",
  "api",
  "workflows",
  "activities",
  "worker",
  "db",
  "cli",
  "dashboard/src",
  "widget/loader",
  "widget/panel",
  "widget/shared",
];

/** Words of an identifier in lower case: `receiverSlots` and `receiver_slots` give the same two. */
function wordsOf(identifier: string): string[] {
  return identifier
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .split(/[\s_]+/u)
    .map((word) => word.toLowerCase());
}

/** Identifiers of a source, without those in comments, strings and SQL. */
function listIdentifiers(source: string): string[] {
  const code = source
    .replaceAll(/\/\*[\s\S]*?\*\//gu, " ")
    .replaceAll(/(^|\s)\/\/[^\n]*/gu, " ")
    .replaceAll(/`(?:\\.|[^`\\])*`|"(?:\\.|[^"\\\n])*"/gu, " ");
  return code.match(/[A-Za-z_]\w*/gu) ?? [];
}

/** Terms in the last column of the tables. */
function listAvoidedTerms(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| -"))
    .map((line) => line.split("|").at(-2)?.trim() ?? "")
    .filter((cell) => cell !== "" && cell !== "Do not use")
    .flatMap((cell) => cell.split(/,\s*/u));
}

function hasTerm(words: readonly string[], term: readonly string[]): boolean {
  return words.some((_, at) =>
    term.every((word, offset) => {
      const own = words[at + offset];
      return own === word || own === `${word}s`;
    }),
  );
}

test("no identifier has a word that the glossary avoids", () => {
  const { text = "" } = readPages().find(({ path }) => path === "docs/glossary.md") ?? {};
  const terms = listAvoidedTerms(text).map((term) => ({ term, words: wordsOf(term) }));
  expect(terms.length).toBeGreaterThan(10);
  const files = folders.flatMap(listSources).filter((file) => !file.startsWith("db/migrations/"));
  // Most identifiers stand in many files, and are looked at once.
  const known = new Map<string, string[]>();
  const termsIn = (identifier: string): string[] => {
    const own = wordsOf(identifier);
    return terms.filter(({ words }) => hasTerm(own, words)).map(({ term }) => term);
  };
  const found = files.flatMap((file) =>
    [...new Set(listIdentifiers(readSource(file)))].flatMap((identifier) => {
      const avoided = known.get(identifier) ?? termsIn(identifier);
      known.set(identifier, avoided);
      return avoided.map((term) => `${file}: ${identifier} (${term})`);
    }),
  );
  expect(found).toEqual([]);
});

test("words are found in identifiers alone", () => {
  expect(hasTerm(wordsOf("createReceiverSlots"), wordsOf("receiverSlots"))).toBe(true);
  expect(hasTerm(wordsOf("due_lanes"), wordsOf("lane"))).toBe(true);
  expect(hasTerm(wordsOf("planet"), wordsOf("lane"))).toBe(false);
  const source = 'const key = "lane"; // a lane\n/* lane */ const sql = `SELECT lane`;';
  expect(listIdentifiers(source)).toEqual(["const", "key", "const", "sql"]);
});
