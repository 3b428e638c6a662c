import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = "docs/decisions";
const names = readdirSync(folder)
  .filter((name) => name !== "README.md")
  .toSorted();

test("decisions are numbered from 1 on, each with its number, a date and three parts", () => {
  expect(names.length).toBeGreaterThan(30);
  for (const [index, name] of names.entries()) {
    expect(name).toMatch(new RegExp(`^${String(index + 1).padStart(4, "0")}-[a-z-]+\\.md$`, "u"));
    const text = readFileSync(`${folder}/${name}`, "utf8");
    expect(text).toMatch(
      new RegExp(`^# ${index + 1}\\. .+\n\nDate: \\d{4}-\\d\\d-\\d\\d\\b.*\n`, "u"),
    );
    expect(text.match(/^## .+$/gmu)).toEqual([
      "## Context",
      "## Choice",
      "## Rejected alternatives",
    ]);
  }
});

test("the index has every decision once, under its title", () => {
  const index = readFileSync(`${folder}/README.md`, "utf8");
  const lines = [...index.matchAll(/^- \[(.+)\]\((.+)\)$/gmu)].map(
    ([, title, name]) => `${name} # ${title}`,
  );
  const titles = names.map((name) => {
    const [title] = readFileSync(`${folder}/${name}`, "utf8").split("\n");
    return `${name} ${title}`;
  });
  expect(lines.toSorted()).toEqual(titles);
});
