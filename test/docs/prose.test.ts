import { expect, test } from "vitest";
import { readPages } from "./markdown.ts";
import { countWords, listSentences } from "./sentences.ts";

const pages = readPages().filter(({ path }) => path !== "CHANGELOG.md");

/** Sentences of a page with more words than that. */
function listLong(text: string, maxWords: number): string[] {
  return listSentences(text).filter((sentence) => countWords(sentence) > maxWords);
}

test("no page has a sentence of more than 30 words", () => {
  expect(pages.length).toBeGreaterThan(50);
  const long = pages.map(({ path, text }) => ({ path, sentences: listLong(text, 30) }));
  expect(long.filter(({ sentences }) => sentences.length > 0)).toEqual([]);
});

test("no sentence begins with a word that hides its subject", () => {
  const hidden = /^(What|Whether|How|Who|Whoever|Which|One that|Those that)\b/u;
  const found = pages.flatMap(({ path, text }) =>
    listSentences(text).flatMap((sentence) => (hidden.test(sentence) ? [{ path, sentence }] : [])),
  );
  expect(found).toEqual([]);
});

test("the README is read in a few minutes: 10 KB, 25 words a sentence, no paragraph in a table", () => {
  const { text = "" } = pages.find(({ path }) => path === "README.md") ?? {};
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_240);
  expect(listLong(text, 25)).toEqual([]);
  const cells = text.split("\n").flatMap((line) => (line.startsWith("|") ? line.split("|") : []));
  expect(cells.filter((cell) => countWords(cell) > 15)).toEqual([]);
});

test("sentences end at a full stop, a paragraph, an item or a heading, and not inside of code", () => {
  const page = `# A heading

First line of a paragraph,
with a second one. It ends at \`a. B\`. See [the page. Yes](x.md)!

- An item
- **Bold.** Another

| a | table. Of |
| - | - |

\`\`\`sh
echo "not. a sentence"
\`\`\`

1. Numbered, 1.5 s
`;
  expect(listSentences(page)).toEqual([
    "A heading",
    "First line of a paragraph, with a second one.",
    "It ends at CODE.",
    "See the page.",
    "Yes!",
    "An item",
    "Bold.",
    "Another",
    "Numbered, 1.5 s",
  ]);
  expect(countWords("One — two → three, 30 s `x`.")).toBe(6);
});
