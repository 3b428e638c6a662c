import { expect, test } from "vitest";
import { findGraphErrorClass } from "../../../../core/channels/meta/graph-errors.ts";

test.each([
  ["pair", 131_056],
  ["number", 130_429],
  ["number", 80_001],
  ["number", 80_002],
  ["number", 80_006],
  ["number", 80_007],
  ["number", 17],
  ["number", 32],
  ["number", 131_057],
  ["number", 4],
  ["number", 613],
  ["provider", 1],
  ["provider", 2],
  ["provider", 1_200],
  ["provider", 131_000],
  ["provider", 131_016],
  ["provider", 133_004],
  ["window", 131_047],
  ["recipient", 131_026],
  ["recipient", 131_030],
  ["recipient", 131_021],
  ["recipient", 130_497],
  ["recipient", 551],
  ["recipient", 2_018_300],
  ["recipient", 2_018_321],
  ["limit", 131_048],
  ["limit", 131_049],
  ["limit", 130_472],
  ["opted_out", 131_050],
  ["template", 132_000],
  ["template", 132_001],
  ["template", 132_005],
  ["template", 132_007],
  ["template", 132_012],
  ["template", 132_015],
  ["template", 132_016],
  ["content", 100],
  ["content", 131_008],
  ["content", 131_009],
  ["content", 131_051],
  ["content", 131_053],
  ["channel", 190],
  ["channel", 10],
  ["channel", 200],
  ["channel", 230],
  ["channel", 299],
  ["channel", 368],
  ["channel", 131_031],
  ["channel", 131_042],
  ["channel", 133_010],
  [null, 0],
  [null, 199],
  [null, 300],
  [null, 135_000],
])("class %s of code %i", (expected, code) => {
  expect(findGraphErrorClass(code, null)).toBe(expected);
});

test.each([
  ["window", 10, 2_018_065],
  ["window", 10, 2_018_278],
  ["window", 10, 2_534_022],
  ["opted_out", 10, 1_893_015],
  ["channel", 10, 1_893_063],
  ["recipient", 10, 2_018_108],
  ["recipient", 10, 2_018_300],
  ["recipient", 10, 2_018_321],
  ["recipient", 10, 2_018_336],
  ["recipient", 100, 2_018_001],
  ["recipient", 100, 2_534_014],
  ["recipient", 100, 2_534_037],
  ["recipient", 200, 1_545_041],
])("class %s of code %i with subcode %i", (expected, code, subcode) => {
  expect(findGraphErrorClass(code, subcode)).toBe(expected);
});

test.each([
  ["channel", 10],
  ["content", 100],
  ["channel", 200],
  ["pair", 131_056],
  [null, 999_999],
])("class %s of code %i with an unknown subcode", (expected, code) => {
  expect(findGraphErrorClass(code, 33)).toBe(expected);
});
