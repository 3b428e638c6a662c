import { expect, test } from "vitest";
import { findExceededLimit, textLength } from "../../../core/model/text-limit.ts";

test.each([
  ["whatsapp", 4_096, "characters"],
  ["facebook", 2_000, "characters"],
  ["instagram", 999, "bytes"],
  ["web", 4_000, "characters"],
] as const)("%s takes %i %s", (channel, max, unit) => {
  expect(findExceededLimit(channel, "a".repeat(max))).toBeNull();
  expect(findExceededLimit(channel, "a".repeat(max + 1))).toEqual({ max, unit });
});

test("Instagram counts the bytes of UTF-8", () => {
  expect(findExceededLimit("instagram", "ñ".repeat(499))).toBeNull();
  expect(findExceededLimit("instagram", "ñ".repeat(500))).toEqual({ max: 999, unit: "bytes" });
  expect(textLength("instagram", "👋")).toBe(4);
});

test("Messenger counts characters, not bytes", () => {
  expect(findExceededLimit("facebook", "ñ".repeat(2_000))).toBeNull();
});
