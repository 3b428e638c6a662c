import { expect, test } from "vitest";
import {
  maxVisits,
  withoutSecrets,
  withPage,
  type StoredVisit,
} from "../../../core/model/visits.ts";
import type { VisitedPage } from "../../../core/model/widget-visit.ts";

const start = Date.parse("2026-03-02T14:00:00.000Z");
const minuteMs = 60_000;

function pageOf(path: string, referrer = ""): VisitedPage {
  return { url: `https://shop.example${path}`, title: `Page ${path}`, referrer };
}

/** The visits of somebody who opens these pages, each so many minutes after the first one. */
function visitsOf(...opened: [path: string, minutes: number][]): StoredVisit[] {
  let visits: StoredVisit[] = [];
  let before: VisitedPage | null = null;
  for (const [path, minutes] of opened) {
    const page = pageOf(path);
    visits = withPage(visits, before, page, new Date(start + minutes * minuteMs));
    before = page;
  }
  return visits;
}

const briefOf = (visits: StoredVisit[]) => visits.map(({ url, pages }) => [url, pages]);

test("a page stands without fragment, login and parameters that may hold a secret", () => {
  const page = {
    url: "https://ana:pw@shop.example/reset?id=7&reset_token=abc&Email=a%40b.example&api_key=x#at",
    title: "Reset",
    referrer: "https://search.example/?q=private",
  };
  expect(withoutSecrets(page)).toEqual({
    url: "https://shop.example/reset?id=7",
    title: "Reset",
    referrer: "https://search.example",
  });
  expect(withoutSecrets(pageOf("/", "android-app://x")).referrer).toBe("");
});

test("a title that is cut within a character stays text that UTF-8 can hold", () => {
  const page = { url: "https://shop.example/", title: `${"a".repeat(119)}🦷!`, referrer: "" };
  const [visit] = withPage([], null, page, new Date(start));
  expect(visit?.title).toBe(`${"a".repeat(119)}\uFFFD`);
});

test("pages without a pause of 30 minutes are one visit, which keeps its first page", () => {
  const visits = visitsOf(["/a?id=1", 0], ["/b", 5], ["/b", 6], ["/c", 34]);
  expect(visits).toEqual([
    {
      started_at: "2026-03-02T14:00:00.000Z",
      page_at: "2026-03-02T14:34:00.000Z",
      pages: 3,
      url: "https://shop.example/a",
      title: "Page /a?id=1",
      referrer: "",
    },
  ]);
  expect(briefOf(visitsOf(["/a", 0], ["/b", 30]))).toEqual([
    ["https://shop.example/a", 1],
    ["https://shop.example/b", 1],
  ]);
});

test("a visit names the other site that led to it, and not the own one", () => {
  const at = new Date(start);
  const own = withPage([], null, pageOf("/", "https://shop.example"), at);
  const other = withPage([], null, pageOf("/", "https://search.example"), at);
  expect([own[0]?.referrer, other[0]?.referrer]).toEqual(["", "https://search.example"]);
});

test("a session keeps its newest visits alone, each of them short", () => {
  const opened = Array.from({ length: maxVisits + 3 }, (_, at): [string, number] => [
    `/${at}${"x".repeat(600)}`,
    at * 60,
  ]);
  const visits = visitsOf(...opened);
  expect(visits).toHaveLength(maxVisits);
  expect(visits[0]?.url.startsWith("https://shop.example/3x")).toBe(true);
  expect(visits.every(({ url, title }) => url.length <= 300 && title.length <= 120)).toBe(true);
});
