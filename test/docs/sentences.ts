import { withoutFences } from "./markdown.ts";

/** Code has no sentences, but a span of code is a word of its sentence. */
function withoutMarkup(text: string): string {
  return text
    .replaceAll(/`[^`]*`/gu, "CODE")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/gu, "");
}

/**
 * The paragraphs of a page: each heading, list item and run of lines is one. Tables and fenced code are
 * left out.
 */
function listParagraphs(text: string): string[] {
  return withoutFences(text)
    .replaceAll(/<!--[\s\S]*?-->/gu, "")
    .replaceAll(/^\s*\|.*$/gmu, "")
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|(?<=^#[^\n]*)\n/mu)
    .map((paragraph) => paragraph.replace(/^\s*(?:#+|[-*>]|\d+\.) /u, "").replaceAll(/\s+/gu, " "))
    .map((paragraph) => withoutMarkup(paragraph).trim())
    .filter((paragraph) => paragraph !== "");
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** The sentences of a page, each on one line, without markup. */
export function listSentences(text: string): string[] {
  return listParagraphs(text).flatMap((paragraph) =>
    [...segmenter.segment(paragraph)].map(({ segment }) => segment.trim()),
  );
}

/** Words that a reader reads: a dash or an arrow is none. */
export function countWords(sentence: string): number {
  return sentence.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
