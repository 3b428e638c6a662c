import { expect, test } from "vitest";
import { contrastOf } from "../../core/model/accent.ts";
import { inkOn, type FrameConfig } from "../../core/model/widget-files.ts";
import { widgetSettings } from "../../core/model/widget.ts";
import { isOnPage } from "../../widget/loader/page-pattern.ts";
import { mayTalk } from "../../widget/panel/may-talk.ts";

function configOf(allowed: string[], allowsNull = false): FrameConfig {
  const settings = widgetSettings.parse({ allows_null_origin: allowsNull });
  return {
    key: "k",
    origin: "https://chat.example",
    company: "Shop",
    identity_mode: "off",
    settings,
    allowed_origins: allowed,
    dashboard_origin: "https://parley.example",
  };
}

test.each([
  ["https://shop.example", true],
  ["https://parley.example", true],
  ["https://a.b.site.example", true],
  ["https://site.example", false],
  ["http://shop.example", false],
  ["https://shop.example:8443", false],
  ["https://shop.example.evil.example", false],
  ["https://evilshop.example", false],
  ["https://evil-site.example", false],
  ["null", false],
  ["", false],
])("with a list, %s may talk to the panel: %s", (origin, may) => {
  expect(mayTalk(origin, configOf(["https://shop.example", "https://*.site.example"]))).toBe(may);
});

test("a page of an app talks to the panel by the switch alone", () => {
  expect(mayTalk("null", configOf([]))).toBe(false);
  expect(mayTalk("null", configOf(["https://shop.example"], true))).toBe(true);
});

test.each([
  ["/pricing", ["/pricing"], true],
  ["/pricing/eu", ["/pricing"], false],
  ["/blog/a", ["/blog/*"], true],
  ["/", [], true],
])("a greeting on %s with %j: %s", (path, pages, is) => {
  expect(isOnPage(path, pages)).toBe(is);
});

test.each(["#1d6f5c", "#ffd43b", "#777777", "#ff5555", "#000000", "#ffffff", "#3b82f6"])(
  "words on %s are readable",
  (accent) => {
    expect(contrastOf(accent, inkOn(accent))).toBeGreaterThanOrEqual(4.5);
  },
);
