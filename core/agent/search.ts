import MiniSearch from "minisearch";
import { createCorrector } from "./basic/text.ts";
import { foldedWords, isConcept, termOf } from "./search-terms.ts";

/** From this score a stored answer is given. */
export const answerScore = 0.6;
/** From this score a question is offered to the customer. */
export const offerScore = 0.35;

/** An approved item of the knowledge base. */
export interface SearchItem {
  id: number;
  question: string;
  phrasings: readonly string[];
  answer: string;
  /** `es`, `en` or `pt`. */
  language: string;
}

export interface SearchHit {
  id: number;
  /** 0 to 1: the harmonic mean of the covered shares of the text and of the best phrasing. */
  score: number;
}

export type Search = (text: string, language?: string) => SearchHit[];

/** Terms of an item, as the score needs them. */
interface Entry {
  id: number;
  language: string;
  phrasings: ReadonlySet<string>[];
  answer: ReadonlySet<string>;
}

const maxCandidates = 40;
/** Items that the terms of a search may hold together. */
const maxItemsOfTerms = 1_000;
const maxHits = 20;
const maxParts = 6;
/** A term of the text that only the stored answer holds covers that much of the text. */
const answerWeight = 0.6;
const foreignWeight = 0.8;

/**
 * An index of items. BM25 finds candidates alone, because it gives wrong answers good scores.
 * Hits in another language than the asked one score less.
 */
export function buildIndex(items: readonly SearchItem[]): Search {
  const entries = items.map(toEntry);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const index = new MiniSearch<{ id: number; terms: string }>({
    fields: ["terms"],
    tokenize: (text) => text.split(" "),
    processTerm: (term) => term,
  });
  index.addAll(
    entries.map(({ id, phrasings }) => ({
      id,
      terms: [...new Set(phrasings.flatMap((one) => [...one]))].join(" "),
    })),
  );
  const counts = countItems(entries);
  const weightOf = createWeights(entries.length, counts);
  const correct = createCorrector(
    new Set(items.flatMap((item) => [item.question, ...item.phrasings].flatMap(foldedWords))),
  );
  const languages = [...new Set(items.map((item) => item.language))];

  const searchPart = (text: string): SearchHit[] => {
    const words = foldedWords(text).map((word) => (isConcept(word) ? word : correct(word)));
    if (words.length === 0) return [];
    const queries = new Map(
      languages.map((one) => [one, new Set(words.map((word) => termOf(word, one)))]),
    );
    const terms = [...new Set([...queries.values()].flatMap((query) => [...query]))];
    const found = index.search(rareTerms(terms, counts).join(" ")).slice(0, maxCandidates);
    return found.flatMap(({ id }) => {
      const entry = byId.get(Number(id));
      const query = queries.get(entry?.language ?? "");
      return entry === undefined || query === undefined
        ? []
        : [{ id: entry.id, score: scoreOf(query, entry, weightOf) }];
    });
  };

  return (text, language) => {
    const best = new Map<number, number>();
    for (const part of splitParts(text)) {
      for (const { id, score } of searchPart(part))
        best.set(id, Math.max(score, best.get(id) ?? 0));
    }
    const isForeign = (id: number) => language !== undefined && byId.get(id)?.language !== language;
    return [...best]
      .map(([id, score]) => ({ id, score: isForeign(id) ? score * foreignWeight : score }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score || one.id - other.id)
      .slice(0, maxHits);
  };
}

function toEntry({ id, language, question, phrasings, answer }: SearchItem): Entry {
  const termsOf = (text: string) =>
    new Set(foldedWords(text).map((word) => termOf(word, language)));
  const all = [question, ...phrasings].map(termsOf).filter((terms) => terms.size > 0);
  return { id, language, phrasings: all, answer: termsOf(answer) };
}

/** Number of items that hold each term. */
function countItems(entries: readonly Entry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { phrasings } of entries) {
    for (const term of new Set(phrasings.flatMap((one) => [...one]))) {
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  return counts;
}

/** Weight of a term: high where few items hold the term, highest where none does. */
function createWeights(
  total: number,
  counts: ReadonlyMap<string, number>,
): (term: string) => number {
  return (term) => {
    const count = counts.get(term) ?? 0;
    return Math.log(1 + (total - count + 0.5) / (count + 0.5));
  };
}

/** The rarest known terms, so that a search does not look at most of the items. */
function rareTerms(terms: readonly string[], counts: ReadonlyMap<string, number>): string[] {
  const known = terms
    .filter((term) => counts.has(term))
    .toSorted((one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0));
  let items = 0;
  return known.filter((term, index) => {
    items += counts.get(term) ?? 0;
    return index === 0 || items <= maxItemsOfTerms;
  });
}

function scoreOf(
  query: ReadonlySet<string>,
  { phrasings, answer }: Entry,
  weightOf: (term: string) => number,
): number {
  const sum = (terms: Iterable<string>) =>
    [...terms].reduce((total, term) => total + weightOf(term), 0);
  const whole = sum(query);
  let best = 0;
  for (const phrasing of phrasings) {
    const shared = [...query].filter((term) => phrasing.has(term));
    if (shared.length === 0) continue;
    const found = sum(shared);
    const beside = sum([...query].filter((term) => !phrasing.has(term) && answer.has(term)));
    const ofQuery = (found + answerWeight * beside) / whole;
    const ofPhrasing = found / sum(phrasing);
    best = Math.max(best, (2 * ofQuery * ofPhrasing) / (ofQuery + ofPhrasing));
  }
  return best;
}

/** The text and its sentences: one of several questions may be answered. */
function splitParts(text: string): string[] {
  const short = text.slice(0, 2_000);
  const parts = short
    .split(/[?!.;\n]|,|\s(?:y|and|pero|but)\s/iu)
    .filter((part) => foldedWords(part).length > 1);
  return parts.length > 1 ? [short, ...parts.slice(0, maxParts)] : [short];
}
