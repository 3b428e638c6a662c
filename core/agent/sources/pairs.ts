import { maxAnswerLength, maxQuestionLength } from "../../model/knowledge.ts";
import { toWellFormed } from "../../model/wire.ts";
import type { SourceFailure } from "../../model/workflow/knowledge-refresh.ts";

/** A question with its answer, as a page or file holds them. */
export interface Pair {
  question: string;
  answer: string;
}

/** Questions of a page or file, or the reason why there are none. */
export type SourceContent = readonly Pair[] | SourceFailure;

/** A line of a text. A heading is the question of the lines below it. */
export interface Line {
  text: string;
  isHeading: boolean;
}

/** A longer line is prose, even if it ends with a question mark. */
const maxAskedLength = 200;

/**
 * Cuts a text into questions and answers: a heading, or a line that asks, is the question of the
 * lines below. Lines before the first question answer the title. A question without lines below is
 * left out.
 */
export function pairsOfLines(lines: readonly Line[], title: string): Pair[] {
  const pairs: { question: string; lines: string[] }[] = [{ question: title, lines: [] }];
  for (const { text, isHeading } of lines) {
    if (isHeading || isAsked(text)) pairs.push({ question: text, lines: [] });
    else pairs.at(-1)?.lines.push(text);
  }
  return tidyPairs(
    pairs.map(({ question, lines: below }) => ({ question, answer: below.join("\n") })),
  );
}

/** Pairs within the limits of a knowledge item, each question once, without empty ones. */
export function tidyPairs(pairs: readonly Pair[]): Pair[] {
  const seen = new Set<string>();
  return pairs.flatMap((pair) => {
    const question = cutText(squeeze(pair.question), maxQuestionLength);
    const answer = cutText(pair.answer.replaceAll("\0", "").trim(), maxAnswerLength);
    const key = keyOf(question);
    if (question === "" || answer === "" || seen.has(key)) return [];
    seen.add(key);
    return [{ question, answer }];
  });
}

/** Form of a question by which a source knows it again: without case, accents and marks. */
export function keyOf(question: string): string {
  const letters = question.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return letters.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** One line without repeated blanks. */
export function squeeze(text: string): string {
  return text.replaceAll("\0", "").replaceAll(/\s+/gu, " ").trim();
}

function isAsked(text: string): boolean {
  return text.length <= maxAskedLength && /[?？]$/u.test(text);
}

/** Ends a longer text with its last whole sentence. */
function cutText(text: string, max: number): string {
  if (text.length <= max) return toWellFormed(text);
  const part = toWellFormed(text.slice(0, max));
  const end = Math.max(part.lastIndexOf(". "), part.lastIndexOf("\n"));
  return (end > max / 2 ? part.slice(0, end + 1) : part).trim();
}
