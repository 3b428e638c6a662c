import { expect, test } from "vitest";
import {
  isOriginAllowed,
  isSiteOrigin,
  normalizeSiteOrigin,
} from "../../../core/model/site-origin.ts";

test.each([
  "https://shop.example",
  "https://shop.example:8443",
  "https://*.shop.example",
  "https://münchen.example",
  "http://localhost:5173",
  "http://127.0.0.1",
  "http://[::1]:80",
])("%s can be listed", (text) => {
  expect(isSiteOrigin(text)).toBe(true);
});

test.each([
  "shop.example",
  "http://shop.example",
  "https://shop.example/",
  "https://shop.example/cart",
  "https://shop.example?x",
  "https://shop.example#x",
  "https://user@shop.example",
  "https://*.example",
  "https://*",
  "https://a.*.shop.example",
  "*",
  "null",
  "javascript:alert(1)",
  "https://shop.example; frame-ancestors *",
  "https://shop.example https://other.example",
  "https://shop.example;x.example",
  "https://shop,x.example",
  "https://shop%20x.example",
])("%s cannot be listed", (text) => {
  expect(isSiteOrigin(text)).toBe(false);
  expect(normalizeSiteOrigin(text)).toBe(text);
});

test.each([
  ["https://shop.example:443", "https://shop.example"],
  ["https://*.shop.example:443", "https://*.shop.example"],
  ["https://münchen.example", "https://xn--mnchen-3ya.example"],
  ["http://localhost:80", "http://localhost"],
])("%s is listed as browsers send it: %s", (text, origin) => {
  expect(normalizeSiteOrigin(text)).toBe(origin);
});

test.each([
  ["https://shop.example", ["https://shop.example"], true],
  ["https://shop.example:8443", ["https://shop.example"], false],
  ["https://a.shop.example", ["https://*.shop.example"], true],
  ["https://a.b.shop.example", ["https://*.shop.example"], true],
  ["https://shop.example", ["https://*.shop.example"], false],
  ["https://evilshop.example", ["https://*.shop.example"], false],
  ["http://a.shop.example", ["https://*.shop.example"], false],
  ["https://shop.example.evil.example", ["https://shop.example", "https://*.shop.example"], false],
  ["null", ["https://shop.example"], false],
  ["https://anything.example", [], true],
])("%s with %j: %s", (origin, allowed, isAllowed) => {
  expect(isOriginAllowed(origin, allowed)).toBe(isAllowed);
});
