import { expect, test } from "vitest";
import { leadsHere, presentReferral } from "../../../core/model/referral.ts";

const nothing = {
  kind: "other",
  source_id: null,
  url: null,
  headline: null,
  body: null,
  click_id: null,
  ref: null,
};

test.each([
  [
    "WhatsApp's ad",
    {
      source_type: "ad",
      source_id: "120",
      source_url: "https://fb.me/a",
      headline: "Whitening",
      body: "20 % off",
      ctwa_clid: "clid",
    },
    {
      kind: "ad",
      source_id: "120",
      url: "https://fb.me/a",
      headline: "Whitening",
      body: "20 % off",
      click_id: "clid",
    },
  ],
  [
    "Messenger's ad",
    { source: "ADS", ad_id: "7", ref: "x", ads_context_data: { ad_title: "Spring" } },
    { kind: "ad", source_id: "7", headline: "Spring", ref: "x" },
  ],
  ["a link", { source: "SHORTLINK", ref: "spring" }, { kind: "link", ref: "spring" }],
  ["a post", { source_type: "post", source_id: "9" }, { kind: "post", source_id: "9" }],
  [
    "a story, whose address is signed",
    { type: "story", id: "s1", source_url: "https://ig.example/s1?sig=x" },
    { kind: "story", source_id: "s1" },
  ],
  ["an address that is none of the web", { source_url: "javascript:alert(1)", ref: 7 }, {}],
])("the view of %s", (_, stored, shown) => {
  expect(presentReferral(stored)).toEqual({ ...nothing, ...shown });
});

test("a story does not say how the customer found the company", () => {
  expect(presentReferral(null)).toBeNull();
  expect(leadsHere({ type: "story", id: "s1" })).toBe(false);
  expect(leadsHere({ type: "story_mention" })).toBe(false);
  expect(leadsHere({ source_type: "ad" })).toBe(true);
});
