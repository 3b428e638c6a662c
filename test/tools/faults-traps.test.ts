import { expect, test } from "vitest";
import { listSources, readSource } from "../support/imports.ts";

/** All sources below a folder, with runs of white space as one space. */
function readAll(folder: string): string {
  return listSources(folder).map(readSource).join("\n").replace(/\s+/g, " ");
}

// A trap of a statement that nobody sends any more never springs, and its scenario checks nothing.
test("each trap of the scenarios waits for a statement that the sources send", () => {
  const traps = [...readAll("tools/faults/scenarios").matchAll(/\bof: "([^"]+)"/g)];
  // TypeORM builds the statements that have backticks.
  const written = traps.map(([, text]) => text ?? "").filter((text) => !text.includes("`"));
  const sources = readAll("core");
  expect(written.length).toBeGreaterThan(5);
  expect(written.filter((text) => !sources.includes(text))).toEqual([]);
});
