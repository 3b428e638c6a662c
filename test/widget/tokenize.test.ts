import fc from "fast-check";
import { expect, test } from "vitest";
import {
  readLink,
  splitLinks,
  tokenize,
  type Block,
  type Inline,
} from "../../widget/panel/text/tokenize.ts";

const text = (words: string): Inline => ({ kind: "text", text: words });
const link = (href: string, words: string): Inline => ({ kind: "link", href, text: words });
const paragraph = (...children: Inline[]): Block => ({ kind: "paragraph", children });

test("bold, italic and code become nodes", () => {
  expect(tokenize("a **b** *c* _d_ `e`")).toEqual([
    paragraph(
      text("a "),
      { kind: "bold", children: [text("b")] },
      text(" "),
      { kind: "italic", children: [text("c")] },
      text(" "),
      { kind: "italic", children: [text("d")] },
      text(" "),
      { kind: "code", text: "e" },
    ),
  ]);
});

test.each(["2 * 3 * 4", "snake_case_name", "5 ** 2"])(
  "signs within words and sums stay text: %s",
  (words) => {
    expect(tokenize(words)).toEqual([paragraph(text(words))]);
  },
);

test("lists and paragraphs are apart", () => {
  expect(tokenize("Times:\n- one\n- two\n\n3. three\n4. four\nend")).toEqual([
    paragraph(text("Times:")),
    { kind: "list", start: null, items: [[text("one")], [text("two")]] },
    { kind: "list", start: 3, items: [[text("three")], [text("four")]] },
    paragraph(text("end")),
  ]);
});

test("a block of code keeps its signs", () => {
  expect(tokenize("```js\na **b**\n```\nok")).toEqual([
    { kind: "code", text: "a **b**" },
    paragraph(text("ok")),
  ]);
});

test("a link has its words, and a bare one its address", () => {
  expect(tokenize("[shop](https://a.example/x) or www.b.example.")).toEqual([
    paragraph(
      link("https://a.example/x", "shop"),
      text(" or "),
      link("https://www.b.example/", "www.b.example"),
      text("."),
    ),
  ]);
});

test("an address with underscores is one link", () => {
  expect(tokenize("https://a.example/_one_two")).toMatchObject([
    { children: [{ kind: "link", href: expect.stringContaining("/_one_two") }] },
  ]);
});

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  "data:text/html,<script>",
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://a.example/1",
  "//a.example",
  "/path",
])("no link leads to %j", (address) => {
  expect(readLink(address)).toBeNull();
  const found = JSON.stringify(tokenize(`[x](${address})`));
  expect(found).not.toMatch(/"href":"(?!https:)/u);
});

test("a host in another script shows as punycode", () => {
  expect(splitLinks("https://аpple.com/a")).toEqual([
    link("https://xn--pple-43d.com/a", "https://xn--pple-43d.com/a"),
  ]);
});

test("an email address is a link, and line ends stay", () => {
  expect(splitLinks("ada@example.com\nbye")).toEqual([
    link("mailto:ada@example.com", "ada@example.com"),
    { kind: "break" },
    text("bye"),
  ]);
});

test("no character of a plain text is lost", () => {
  const wordsOf = (inline: Inline): string =>
    inline.kind === "break"
      ? "\n"
      : inline.kind === "text" || inline.kind === "link"
        ? inline.text
        : "";
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from("ab .*_`[]()<>\n\\")) }),
      (words) => {
        expect(splitLinks(words).map(wordsOf).join("")).toBe(words);
      },
    ),
  );
});

test("any text becomes nodes in a short time", () => {
  for (const sign of ["*", "_", "`", "[", "(", "](", "**a", "- ", "1. ", "https://"]) {
    const startedAt = performance.now();
    tokenize(sign.repeat(4_096 / sign.length));
    expect([sign, performance.now() - startedAt < 1_000]).toEqual([sign, true]);
  }
});
