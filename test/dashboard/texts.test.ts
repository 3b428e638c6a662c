import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { dashboardRoutes } from "../../api/dashboard/index.ts";
import type { ErrorCode } from "../../core/model/error-catalogue.ts";
import { first } from "../../dashboard/src/locales/en/first.ts";
import { en } from "../../dashboard/src/locales/en/index.ts";
import { es } from "../../dashboard/src/locales/es/index.ts";
import { flattenTexts } from "../support/texts.ts";

const sources = fileURLToPath(new URL("../../dashboard/src", import.meta.url));
const english = flattenTexts(en);
const spanish = new Map(flattenTexts(es));

/** Refusals of every Dashboard route. */
const everywhere: ErrorCode[] = [
  "session_required",
  "forbidden_role",
  "csrf_rejected",
  "rate_limited",
  "internal_error",
  "service_unavailable",
];

test("both languages have the same texts", () => {
  expect([...spanish.keys()].toSorted()).toEqual(english.map(([key]) => key).toSorted());
});

test("what stands there before the other pages' texts are fetched has its own", () => {
  const entries = [
    "shell/shell.tsx",
    "features/login/login-page.tsx",
    "features/inbox/inbox-page.tsx",
  ];
  const files = importedFrom(entries.map((name) => join(sources, name)));
  const used = [...files].flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\bt\(\s*["`](\w+)\./g)].map(([, area]) => area),
  );
  expect(used.length).toBeGreaterThan(100);
  const missing = used.filter((area = "") => !(area in first));
  expect(new Set(missing)).toEqual(new Set());
});

/** These files and all that come with them; what is fetched later by `import()` does not. */
function importedFrom(entries: readonly string[]): Set<string> {
  const files = new Set(entries);
  for (const file of files) {
    const imports = readFileSync(file, "utf8").matchAll(
      /^(?:import|\} from)[^;]*?"(\.[^"]+\.tsx?)";/gm,
    );
    for (const [, path = ""] of imports) {
      const imported = join(dirname(file), path);
      if (imported.startsWith(sources)) files.add(imported);
    }
  }
  return files;
}

test("each refusal that a Dashboard route can answer has a text in locales/*/common.ts", () => {
  const named = dashboardRoutes.flatMap(({ errors = [], noun }) =>
    noun === undefined ? errors : [...errors, `${noun}_not_found` as const],
  );
  expect(new Set(named).size).toBeGreaterThan(60);
  const missing = [...everywhere, ...named].filter(
    (code) => !(code in en.error) && !(code.endsWith("_not_found") && "not_found" in en.error),
  );
  expect(missing).toEqual([]);
});

test("each text names the same values in both languages, and none is empty", () => {
  const namesIn = (text = "") => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
  for (const [key, text] of english) {
    expect([key, new Set(namesIn(spanish.get(key)))]).toEqual([key, new Set(namesIn(text))]);
    expect([key, text.trim() !== "" && spanish.get(key)?.trim() !== ""]).toEqual([key, true]);
  }
});
