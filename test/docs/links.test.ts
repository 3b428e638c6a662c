import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { listAnchors, listPaths, listRelativeLinks, readPages } from "./markdown.ts";

const pages = readPages();
const anchors = new Map(pages.map(({ path, text }) => [path, listAnchors(text)]));

/** @returns true if a link of a page leads to a file, and to a heading in the file */
function leadsSomewhere(from: string, link: string): boolean {
  const [target = "", anchor] = link.split("#");
  const path = target === "" ? from : join(dirname(from), target);
  if (!existsSync(path)) return false;
  return anchor === undefined || (anchors.get(path)?.includes(anchor) ?? false);
}

test("every relative link of every page leads to a file and a heading", () => {
  const links = pages.flatMap(({ path, text }) =>
    listRelativeLinks(text).map((link) => ({ path, link })),
  );
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter(({ path, link }) => !leadsSomewhere(path, link))).toEqual([]);
});

test("every file and folder that a page names is there", () => {
  const named = pages
    .filter(({ path }) => path !== "CHANGELOG.md")
    .flatMap(({ path, text }) => listPaths(text).map((name) => ({ path, name })));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ name }) => !existsSync(name))).toEqual([]);
});

test("a missing file, a missing heading and a path that is gone are found", () => {
  const page =
    "# One\n\nSee [a](nowhere.md), [b](#two), [c](#one), `core/nowhere.ts` and `api/v1/`.";
  expect(listRelativeLinks(page)).toEqual(["nowhere.md", "#two", "#one"]);
  expect(leadsSomewhere("README.md", "nowhere.md")).toBe(false);
  expect(leadsSomewhere("docs/glossary.md", "#two")).toBe(false);
  expect(leadsSomewhere("docs/glossary.md", "glossary.md#product")).toBe(true);
  expect(listAnchors("# One\n\n## `Two` and [three](x)!\n\n## One\n")).toEqual([
    "one",
    "two-and-three",
    "one-1",
  ]);
  expect(listPaths(page)).toEqual(["core/nowhere.ts", "api/v1/"]);
});
