import { expect, test } from "vitest";
import { isWebUrl, splitLinks } from "../../dashboard/src/lib/linkify.ts";

const linksOf = (text: string) =>
  splitLinks(text).flatMap(({ href }) => (href === null ? [] : [href]));

test.each<[string, string[]]>([
  [
    "See https://example.com/a?b=1#c, then http://x.co.",
    ["https://example.com/a?b=1#c", "http://x.co"],
  ],
  ["(https://example.com/a_(b))", ["https://example.com/a_(b)"]],
  ["[https://example.com/a]!", ["https://example.com/a"]],
  ["HTTPS://EXAMPLE.COM/ñandú 😀", ["HTTPS://EXAMPLE.COM/ñandú"]],
  ['"https://example.com/a"<b>', ["https://example.com/a"]],
  ["javascript:alert(1) data:text/html,x ftp://x.co www.example.com", []],
  ["xhttps://example.com https:// http://", []],
])("%j links to %j", (text, links) => {
  expect(linksOf(text)).toEqual(links);
});

test("the parts are the text again, whatever it is", () => {
  for (const text of [
    "",
    "a https://x.co/). b",
    "https://x.co https://y.co",
    "\n https://x.co\n",
  ]) {
    expect(
      splitLinks(text)
        .map((part) => part.text)
        .join(""),
    ).toBe(text);
  }
});

test.each([
  [")", "https://x.co/"],
  [".)]}", "https://x.co/"],
  ["()", "https://x.co/" + "()".repeat(100_000)],
])("a URL with 100,000 times %j behind it is read once", (end, link) => {
  expect(linksOf(`https://x.co/${end.repeat(100_000)}`)).toEqual([link]);
});

test("only web pages count as such", () => {
  const urls = [
    "https://x.co",
    "http://x.co",
    "javascript:alert(1)",
    "data:text/html,x",
    "//x.co",
    "",
  ];
  expect(urls.map(isWebUrl)).toEqual([true, true, false, false, false, false]);
});
