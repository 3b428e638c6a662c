import { expect, test } from "vitest";
import { findExceededLimit } from "../../../../core/channels/meta/text-limit.ts";

test.each([
  ["whatsapp_cloud", 4_096, "characters"],
  ["messenger", 2_000, "characters"],
  ["instagram_page", 1_000, "bytes"],
  ["instagram_login", 1_000, "bytes"],
] as const)("%s takes %i %s", (driver, max, unit) => {
  expect(findExceededLimit(driver, "a".repeat(max))).toBeNull();
  expect(findExceededLimit(driver, "a".repeat(max + 1))).toEqual({ max, unit });
});

test("Instagram counts the bytes of UTF-8", () => {
  expect(findExceededLimit("instagram_login", "ñ".repeat(500))).toBeNull();
  expect(findExceededLimit("instagram_login", "ñ".repeat(501))).toEqual({
    max: 1_000,
    unit: "bytes",
  });
});

test("Messenger counts characters, not bytes", () => {
  expect(findExceededLimit("messenger", "ñ".repeat(2_000))).toBeNull();
});
