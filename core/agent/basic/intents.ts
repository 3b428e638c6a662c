import { answerRules } from "./answer-rules.ts";
import { rules, type Intent } from "./intent-rules.ts";
import type { Word } from "./text.ts";

/** Full forms of words that the phrases only begin, for the correction of typos. */
const fullForms =
  "cancelar cancela cancelo cancelen cancelarla cancel cancelled anular reagendar reagenda " +
  "reprogramar reprograma reschedule cambiar mover mueve modificar adelantar atrasar agendar " +
  "reservar apartar actualizar anotar registrar guardar appointment";

interface Step {
  words: ReadonlySet<string>;
  starts: readonly string[];
  /** Words that may stand before the step. */
  gap: number;
  isAtStart: boolean;
  /** The end of a sentence fits too. */
  isAtEnd: boolean;
}

const maxGap = 3;

function toSteps(phrase: string): Step[] {
  const steps: Step[] = [];
  let gap = 0;
  let isAtStart = false;
  for (const piece of phrase.trim().split(/\s+/u)) {
    if (piece === "*") gap = maxGap;
    else if (piece === "^") isAtStart = true;
    else {
      const options = piece.split("|");
      steps.push({
        words: new Set(options.filter((word) => word !== "$" && !word.endsWith("~"))),
        starts: options.filter((word) => word.endsWith("~")).map((word) => word.slice(0, -1)),
        gap,
        isAtStart,
        isAtEnd: options.includes("$"),
      });
      gap = 0;
      isAtStart = false;
    }
  }
  return steps;
}

const toPhrases = (text: string): Step[][] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(toSteps);

const compiled = [...rules, ...answerRules].map(({ intent, phrases, unless }) => ({
  intent,
  phrases: toPhrases(phrases),
  unless: toPhrases(unless ?? ""),
}));

/** Words of all phrases, part of the closed vocabulary. */
export const intentWords: readonly string[] = [
  ...new Set([
    ...compiled.flatMap(({ phrases }) => phrases.flat().flatMap(({ words }) => [...words])),
    ...fullForms.split(" "),
  ]),
];

/** Wishes in a burst, each sentence read by itself. */
export function findIntents(words: readonly Word[]): Set<Intent> {
  return new Set(splitSentences(words).flatMap((sentence) => intentsOf(sentence)));
}

function intentsOf(sentence: readonly Word[]): Intent[] {
  return compiled
    .filter(({ phrases, unless }) => {
      const occurs = (phrase: Step[]) => occursIn(phrase, sentence);
      return phrases.some(occurs) && !unless.some(occurs);
    })
    .map(({ intent }) => intent);
}

const maxSentence = 60;

const joints = new Set("y and pero but tambien also ademas".split(" "));
/** Words that begin a wish or a question of their own after a joint. */
const beginnings = new Set(
  (
    "que cual cuanto cuanta cuantos cuesta donde como cuando quien aceptan hay tienen tienes hacen puedo quiero " +
    "quisiera necesito si a agendame agenda reservame cancela cambia what which how much where when who do does " +
    "can is are i need want book cancel move"
  ).split(" "),
);

/**
 * Sentences of a text: cut at punctuation, before "y cuánto" and its like, as people dictate, and
 * after sixty words.
 */
export function splitSentences(words: readonly Word[]): Word[][] {
  const sentences: Word[][] = [];
  words.forEach((word, index) => {
    const last = sentences.at(-1);
    const isJoint = joints.has(word.text) && beginnings.has(words[index + 1]?.text ?? "");
    const isNew = last === undefined || word.isAfterBreak || isJoint || last.length >= maxSentence;
    if (isNew) sentences.push([word]);
    else last.push(word);
  });
  return sentences;
}

function occursIn(phrase: readonly Step[], sentence: readonly Word[]): boolean {
  const [first, ...rest] = phrase;
  if (first === undefined) return false;
  const starts = first.isAtStart ? [0] : sentence.keys();
  for (const start of starts) {
    if (fits(first, sentence[start]) && continues(rest, sentence, start + 1)) return true;
  }
  return false;
}

/** The first word that fits within the gap decides, so the time is linear in the words. */
function continues(steps: readonly Step[], sentence: readonly Word[], start: number): boolean {
  let index = start;
  for (const step of steps) {
    const last = Math.min(index + step.gap, sentence.length);
    let found = -1;
    for (let at = index; at <= last && found < 0; at += 1) {
      if (fits(step, sentence[at])) found = at;
    }
    if (found < 0) return false;
    index = found + 1;
  }
  return true;
}

function fits(step: Step, word: Word | undefined): boolean {
  if (word === undefined) return step.isAtEnd;
  return step.words.has(word.text) || step.starts.some((start) => word.text.startsWith(start));
}
