import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { settings } from "../../core/config.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const scripts: Record<string, string> = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).scripts;

test("the README's table names every setting, and no other", () => {
  const table = readme.slice(readme.indexOf("### Settings"), readme.indexOf("## Speed"));
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  const names = rows.flatMap((row) => row.split("|")[1]?.match(/[A-Z][A-Z_]+/g) ?? []);
  // The worker reads Temporal's own variables by its library; the address stands for them.
  const documented = names.filter((name) => name !== "TEMPORAL_ADDRESS");
  expect(documented.toSorted()).toEqual(Object.keys(settings).toSorted());
});

test("every npm command that the README names is there", () => {
  const named = [...readme.matchAll(/npm (?:run )?(start|test|[a-z]+(?::[a-z]+)?)\b/g)]
    .map(([, name]) => name ?? "")
    .filter((name) => !["ci", "run"].includes(name));
  expect(new Set(named).size).toBeGreaterThan(5);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});
