import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { settings } from "../../core/config.ts";
import { retryWaitsMs } from "../../core/model/workflow/delivery.ts";

const page = readFileSync("docs/configuration.md", "utf8");
const example = readFileSync(".env.example", "utf8");

/** Rows of the tables of settings: the name, and the default as the page shows it. */
function listRows(text: string): { name: string; shown: string }[] {
  return [...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)` +\| (.*?) +\|/gmu)].map(
    ([, name = "", shown = ""]) => ({ name, shown }),
  );
}

const rows = listRows(page);
// The worker reads these by Temporal's library.
const temporal = listRows(page.slice(page.indexOf("### Temporal's own variables"))).filter(
  ({ name }) => name.startsWith("TEMPORAL_"),
);
const own = rows.filter(({ name }) => !temporal.some((one) => one.name === name));

/** Lines of the example: the name and its value. */
const lines = new Map(
  [...example.matchAll(/^# ([A-Z][A-Z0-9_]+)=(.*)$/gmu)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]),
);

/** The default of a setting as text; null where it has none, or one that follows from others. */
function defaultOf(name: keyof typeof settings): string | null {
  const parsed = settings[name].safeParse(undefined);
  const value = parsed.success ? parsed.data : undefined;
  return value === undefined || value === "" ? null : String(value);
}

test("the page names every setting, and no other", () => {
  expect(own.map(({ name }) => name).toSorted()).toEqual(Object.keys(settings).toSorted());
});

test("the page shows the default of every setting", () => {
  const shown = own.map(({ name, shown: text }) => [name, /^`([^`]*)`$/u.exec(text)?.[1] ?? null]);
  const names = Object.keys(settings) as (keyof typeof settings)[];
  expect(Object.fromEntries(shown)).toEqual(
    Object.fromEntries(names.map((name) => [name, defaultOf(name)])),
  );
});

test(".env.example has every variable of the page, and no other", () => {
  expect([...lines.keys()].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test(".env.example shows the defaults of the page", () => {
  const derived: Record<string, string> = {
    PUBLIC_URL: "http://127.0.0.1:3000",
    RETRY_WAITS_MS: retryWaitsMs.join(","),
  };
  for (const { name, shown } of rows.filter((row) => row.shown !== "required")) {
    const value = derived[name] ?? /^`([^`]*)`$/u.exec(shown)?.[1] ?? "";
    expect([name, lines.get(name)]).toEqual([name, value]);
  }
});

test("every line of .env.example is a comment, so that a copy changes nothing", () => {
  expect(example.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
});
