import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { eventTypes } from "../../core/model/event-types.ts";
import { readPages } from "./markdown.ts";

const scripts: Record<string, string> = JSON.parse(readFileSync("package.json", "utf8")).scripts;
/** Scripts of npm itself. */
const ofNpm = ["ci", "run"];

test("every npm command that a page names is there", () => {
  const named = readPages()
    .filter(({ path }) => path !== "CHANGELOG.md")
    .flatMap(({ text }) => [...text.matchAll(/npm (?:run )?(start|test|[a-z-]+(?::[a-z-]+)*)\b/g)])
    .map(([, name]) => name ?? "")
    .filter((name) => !ofNpm.includes(name));
  expect(new Set(named).size).toBeGreaterThan(10);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test("the README has the number of event types", () => {
  const numbers = [...readFileSync("README.md", "utf8").matchAll(/(\d+) event types/g)];
  expect(numbers.map(([, number]) => Number(number))).toEqual([eventTypes.length]);
});
