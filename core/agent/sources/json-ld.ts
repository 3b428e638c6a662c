import type { Pair } from "./pairs.ts";

/** Deepest object that is looked at: a FAQPage is one of few members of a graph. */
const maxDepth = 4;

/**
 * Questions and answers of each FAQPage in a text of JSON-LD, as HTML. Source:
 * https://schema.org/FAQPage.
 */
export function faqPairs(text: string): Pair[] {
  try {
    return questionsIn(JSON.parse(text), 0);
  } catch {
    return [];
  }
}

function questionsIn(value: unknown, depth: number): Pair[] {
  if (depth > maxDepth) return [];
  if (Array.isArray(value)) return value.flatMap((one) => questionsIn(one, depth + 1));
  if (!isObject(value)) return [];
  if (isOfType(value, "FAQPage")) return listOf(value["mainEntity"]).flatMap(pairOf);
  return questionsIn(value["@graph"], depth + 1);
}

function pairOf(entity: unknown): Pair[] {
  if (!isObject(entity) || !isOfType(entity, "Question")) return [];
  const [answer] = listOf(entity["acceptedAnswer"]);
  const { name: question } = entity;
  const text = isObject(answer) ? answer["text"] : undefined;
  return typeof question === "string" && typeof text === "string"
    ? [{ question, answer: text }]
    : [];
}

function isOfType(value: Record<string, unknown>, type: string): boolean {
  return listOf(value["@type"]).includes(type);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
