import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { namesOf } from "../../core/model/inbound-action.ts";
import { inboundActions } from "../../core/model/inbound.ts";
import { eventTypes } from "../../core/model/event-types.ts";
import { errorCatalogue } from "../../core/model/error-catalogue.ts";

const page = readFileSync("docs/architecture.md", "utf8");
const guide = /^## To add something\n([\s\S]*?)^## /mu.exec(page)?.[1] ?? "";

/** Paths in backticks that do not exist. A `<part>` stands for any name. */
function missingPaths(text: string): string[] {
  const paths = [...text.matchAll(/`([\w.-]+\/[\w./<>-]*)`/gu)].map(([, path = ""]) => path);
  return paths.filter((path) => !existsSync(path.replace(/[^/]*<.*$/u, "")));
}

test("every path of the guide exists", () => {
  expect(guide.split("\n### ").length).toBeGreaterThan(8);
  expect(missingPaths(guide)).toEqual([]);
  expect(
    missingPaths("`core/made-up.ts`, `core/made-up/<noun>.ts`, `core/model/<noun>.ts`"),
  ).toEqual(["core/made-up.ts", "core/made-up/<noun>.ts"]);
});

test("the first file of a list holds the list", () => {
  const firstOf = (title: string): string => {
    const section = guide.split(`### ${title}\n`)[1] ?? "";
    const path = /`([^`]+)`/u.exec(section)?.[1] ?? "";
    const text = readFileSync(path, "utf8");
    // Parts that the file spreads into the list.
    const parts = [...text.matchAll(/from "\.\/([\w-]+-errors\.ts)"/gu)].map(
      ([, name = ""]) => name,
    );
    return [text, ...parts.map((name) => readFileSync(join(dirname(path), name), "utf8"))].join(
      "\n",
    );
  };
  const lacking = (title: string, names: string[]) => {
    const text = firstOf(title);
    return names.filter((name) => !new RegExp(`(^|["\\s])${name}["\\s:]`, "u").test(text));
  };
  expect(lacking("An event type", eventTypes)).toEqual([]);
  expect(lacking("An inbound action", namesOf(inboundActions))).toEqual([]);
  expect(lacking("An error code", Object.keys(errorCatalogue))).toEqual([]);
  expect(lacking("An error code", ["made_up"])).toEqual(["made_up"]);
});
