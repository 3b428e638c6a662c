import { expect, test } from "vitest";
import { findPlaces } from "../../dashboard/src/features/inbox/match-places.ts";

const cut = (text: string, query: string) =>
  findPlaces(text, query).map(([start, end]) => text.slice(start, end));

test.each([
  ["Un CAFÉ y otro café", "cafe", ["CAFÉ", "café"]],
  ["Un café y otro cafe", "café", ["café", "cafe"]],
  ["😀 sí 😀", "SI", ["sí"]],
  ["cafe\u0301 solo", "cafe", ["cafe\u0301"]],
  ["aaaa", "aa", ["aa", "aa"]],
  ["1.5 (net)", "(net)", ["(net)"]],
  ["nothing", "", []],
  ["nothing", "x", []],
])("in %j the words %j stand at %j", (text, query, found) => {
  expect(cut(text, query)).toEqual(found);
});
