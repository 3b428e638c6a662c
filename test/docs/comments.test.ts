import { expect, test } from "vitest";
import { listSources, readSource } from "../support/imports.ts";

const folders = ["core", "api", "workflows", "activities", "worker", "db", "cli", "dev", "tools"];
/** The count may only fall: lower it with each comment that you rewrite. */
const maxVague = 5;

/** Doc comments that begin with a word that hides their subject. */
function listVague(source: string): string[] {
  const comments = source.matchAll(/\/\*\*\s*(?:\*\s*)?([^\n]*)/gu);
  return [...comments]
    .map(([, first]) => first ?? "")
    .filter((first) => /^(What|Whether|How|Who|Which|One that|Those that)\b/u.test(first));
}

test("doc comments that hide their subject become fewer", () => {
  const files = [...folders, "dashboard/src"].flatMap(listSources);
  const vague = files.flatMap((file) =>
    listVague(readSource(file)).map((first) => `${file}: ${first}`),
  );
  // The list shows in the failure.
  expect(vague.slice(maxVague)).toEqual([]);
});

test("only the beginning of a doc comment counts", () => {
  const source =
    "/** What it is. */\n/**\n * Whether it is.\n * How.\n */\n/** A row. What else. */";
  expect(listVague(source)).toEqual(["What it is. */", "Whether it is."]);
});
