import type { Locale } from "../../model/user.ts";
import type {
  AgentContext,
  ContextMessage,
  ContextResource,
  ContextService,
  SlotChoice,
} from "../context.ts";
import { findChosenSlot } from "../slot-options.ts";
import { isOneOf } from "./date-mentions.ts";
import { numberWords } from "./date-words.ts";
import { hasDates, readDates, type TimeReading } from "./dates.ts";
import type { Asked } from "./dialogue.ts";
import { detectLanguage } from "./language.ts";
import { findIntents, splitSentences } from "./intents.ts";
import type { Intent } from "./intent-rules.ts";
import { readBareName, readOwnName } from "./names.ts";
import { createCorrector, fold, joinWords, listWords, type Word } from "./text.ts";
import { readWords } from "./vocabulary.ts";

/** All that the built-in agent reads from a burst. */
export interface Reading {
  text: string;
  words: readonly Word[];
  language: Locale;
  intents: ReadonlySet<Intent>;
  dates: TimeReading;
  /** True for yes, false for no, null for neither. */
  answer: boolean | null;
  /** True where a part of the burst is older than the last question of yes or no. */
  isOvertaken: boolean;
  /** Number of a choice, from 1; -1 is the last one. */
  choice: number | null;
  /** True where any choice is right. */
  isAny: boolean;
  /** Services that the words name. Several: the words do not tell which. */
  services: readonly ContextService[];
  resources: readonly ContextResource[];
  email: string | null;
  name: string | null;
  /** The offered slot that the customer chose, unless a later text names another day or time. */
  slot: SlotChoice | null;
}

/** False for a message that chooses an offered slot: its words are those of the option. */
export function isWritten({ slot }: ContextMessage): boolean {
  return slot === undefined;
}

const isOfAgent = ({ speaker }: ContextMessage): boolean => speaker === "agent";

/** Texts of the customer that the turn answers, one line each. */
export function burstOf({
  messages,
  answeredUpTo,
}: Pick<AgentContext, "messages" | "answeredUpTo">): string {
  return messages
    .filter(({ id, speaker }) => speaker === "customer" && id > answeredUpTo)
    .map(({ text }) => text)
    .join("\n");
}

/** Reads the customer's messages that the turn answers. */
export function readBurst(context: AgentContext): Reading {
  const { answeredUpTo } = context;
  const written = context.messages.filter(isWritten);
  const text = burstOf({ messages: written, answeredUpTo });
  const words = readWords(text);
  const language = detectLanguage(text, context.language, context.account.locale);
  const asked = context.dialogue?.asked ?? null;
  const intents = findIntents(words);
  const name = readOwnName(words) ?? (asked === "name" ? readBareName(words) : null);
  const spoken = withoutName(words, name);
  const datesOf = (read: readonly Word[]) =>
    readDates(read, {
      now: context.now,
      timeZone: context.account.timeZone,
      language,
      hours: context.resources.map(({ weeklyHours }) => weeklyHours),
      expected: asked === "day" ? "day" : asked === "slot" || asked === "half" ? "time" : null,
    });
  const choice = readChoice(words, asked);
  const isChoiceAlone =
    choice !== null && words.every(isOfChoice) && isListed(context, choice, words, datesOf(words));
  const chosenAt = context.messages.findLast((one) => !isWritten(one))?.id ?? 0;
  const since = burstOf({ messages: written, answeredUpTo: Math.max(answeredUpTo, chosenAt) });
  const askedAt = Math.max(answeredUpTo, ...written.filter(isOfAgent).map(({ id }) => id));
  // A reply may have come beside newer messages, which confirm nothing of it.
  const answering = burstOf({ messages: written, answeredUpTo: askedAt });
  const isOvertaken = asked === "confirm" && answering !== text;
  return {
    text,
    words,
    language,
    intents,
    dates: datesOf((asked === "name" && name !== null) || isChoiceAlone ? [] : words),
    answer: answerOf(isOvertaken ? findIntents(readWords(answering)) : intents),
    isOvertaken,
    choice,
    isAny: isAnyChoice(words),
    services: findNamed(spoken, context.services),
    resources: findAgendas(spoken, context.resources, asked === "resource"),
    email: words.find(({ kind }) => kind === "email")?.raw ?? null,
    name,
    slot: hasDates(datesOf(readWords(since))) ? null : findChosenSlot(context),
  };
}

function answerOf(intents: ReadonlySet<Intent>): boolean | null {
  if (intents.has("yes") === intents.has("no")) return null;
  return intents.has("yes");
}

const ordinals = [
  "primera primero primer first",
  "segunda segundo second",
  "tercera tercero tercer third",
  "cuarta cuarto fourth",
  "quinta quinto fifth",
];
const choiceLeads = "el la los opcion numero num the option number";
const maxChoice = 9;

/** Words that may stand beside the number of a choice. */
const choiceWords = `${choiceLeads} one con with por favor porfa please si yes prefiero quiero mejor ultima ultimo last`;

/**
 * True where the question lists this choice. "El primero" is the first of the month, but not as the
 * answer to "with whom?", and "2" is the second of the days or times that were listed.
 */
function isListed(
  context: AgentContext,
  choice: number,
  words: readonly Word[],
  said: TimeReading,
): boolean {
  const { asked = null, slots = {} } = context.dialogue ?? {};
  const isIn = (listed: readonly unknown[]) => listed.length > 0 && choice <= listed.length;
  if (asked === "service") return isIn(context.services);
  if (asked === "resource") return isIn(context.resources);
  if (asked !== "day" && asked !== "half") return false;
  const { choices = [] } = slots;
  // "El 4" names a day of the month itself, and "las 4" a time.
  if (asked === "day" && /\bel \d/u.test(joinWords(words))) return false;
  return isIn(choices) && !choices.includes(said.time ?? said.days?.from ?? "");
}

function isOfChoice({ kind, text }: Word): boolean {
  if (kind === "number" || numberWords.has(text) || isOneOf(text, choiceWords)) return true;
  return ordinals.some((forms) => isOneOf(text, forms));
}

/**
 * "Mañana a primera hora", "es mi primera vez" and "first thing" choose nothing. "La primera hora"
 * is a choice among times.
 */
function isOrdinalOfOther(words: readonly Word[], index: number, asked: Asked | null): boolean {
  const textAt = (at: number) => words[at]?.text ?? "";
  if (isOneOf(textAt(index - 1), "mi my")) return true;
  const next = textAt(index + 1);
  if (isOneOf(next, "vez thing")) return true;
  const isTime = asked === "slot" && isOneOf(textAt(index - 1), "la the");
  return isOneOf(next, "hora time") && (!isTime || isOneOf(textAt(index - 2), "a at"));
}

/** "La una", and "1" after "para la", are a clock time. "La 1" is a choice. */
function isOneOClock(words: readonly Word[], index: number): boolean {
  const textAt = (at: number) => words[at]?.text ?? "";
  if (textAt(index - 1) !== "la") return false;
  return (
    textAt(index) === "una" || (textAt(index) === "1" && isOneOf(textAt(index - 2), "de para"))
  );
}

function readChoice(words: readonly Word[], asked: Asked | null): number | null {
  if (words.some(({ text }) => isOneOf(text, "ultima ultimo last")))
    return words.length <= 6 ? -1 : null;
  const position = ordinals.findIndex((forms) =>
    words.some(({ text }, at) => isOneOf(text, forms) && !isOrdinalOfOther(words, at, asked)),
  );
  if (position >= 0 && words.length <= 6 && !words.some(({ text }) => text === "para"))
    return position + 1;
  if (words.length > 5) return null;
  const index = words.findIndex(({ kind, text }) => kind === "number" || numberWords.has(text));
  const word = words[index];
  if (word === undefined) return null;
  const value = word.kind === "number" ? (word.numbers[0] ?? 0) : (numberWords.get(word.text) ?? 0);
  const isLed = isOneOf(words[index - 1]?.text ?? "", choiceLeads);
  const isAlone = words.every(
    ({ text }, at) => at === index || isOneOf(text, "si el la por favor porfa please"),
  );
  const isLast = index === words.length - 1 || words[index + 1]?.isAfterBreak === true;
  if (value < 1 || value > maxChoice || isOneOClock(words, index)) return null;
  return (isLed && isLast && !isOneOf(words[index - 2]?.text ?? "", "a")) || isAlone ? value : null;
}

const anyPhrases =
  /\b(?:cualquiera|cualquier|me da igual|da lo mismo|el que sea|la que sea|quien sea|con quien sea|el que este|quien este|sin preferencia|no tengo preferencia|any|anyone|whoever|whichever|either|no preference|doesnt matter|dont mind|dont care)\b/u;

function isAnyChoice(words: readonly Word[]): boolean {
  return anyPhrases.test(joinWords(words));
}

function withoutName(words: readonly Word[], name: string | null): readonly Word[] {
  if (name === null) return words;
  const own = new Set(listWords(name).map(({ text }) => text));
  return words.filter(({ text }) => !own.has(text));
}

// Words of names that name nothing by themselves.
const weakWords =
  "de del la el los las con para y en a the of and for with dr dra doctor doctora lic ing sr sra mr mrs ms don";

/**
 * Rows that the words name: by most of the words of their name, rare words first. A typo counts as
 * the word. Several rows: the words fit them equally well.
 */
export function findNamed<Row extends { name: string }>(
  words: readonly Word[],
  rows: readonly Row[],
): Row[] {
  const named = rows.map((row) => ({ row, own: [...new Set(nameWords(row.name))] }));
  const uses = new Map<string, number>();
  for (const { own } of named) for (const word of own) uses.set(word, (uses.get(word) ?? 0) + 1);
  const correct = createCorrector(uses.keys());
  const said = new Set(
    words.flatMap((word) => [toStem(word.text), toStem(correct(listStem(word)))]),
  );
  const weight = (word: string) => 1 / (uses.get(word) ?? 1);
  const scored = named.map(({ row, own }) => {
    const total = own.reduce((sum, word) => sum + weight(word), 0);
    const found = own.filter((word) => said.has(word)).reduce((sum, word) => sum + weight(word), 0);
    return { row, found, share: total === 0 ? 0 : found / total };
  });
  const best = Math.max(0, ...scored.map(({ found }) => found));
  if (best === 0) return [];
  const top = scored.filter(({ found }) => found >= best - 0.01);
  const share = Math.max(...top.map((one) => one.share));
  // "Limpieza" alone means the service of this very name, not "Limpieza profunda".
  const whole = top.filter((one) => one.share >= share - 0.01);
  return (share === 1 ? whole : top).map(({ row }) => row);
}

/** Agendas that the words name. The answer to "with whom?" may be a title alone: "la doctora". */
function findAgendas(
  words: readonly Word[],
  agendas: readonly ContextResource[],
  isAsked: boolean,
): ContextResource[] {
  const named = findNamed(words, agendas);
  if (named.length > 0 || !isAsked) return named;
  // "Con la doctora no", and "con la doctora Gómez", are no such answers.
  const last = words.findLast(({ text }) => !isOneOf(text, "por favor porfa please gracias"));
  const isRefused = words.some(({ text }) => isOneOf(text, "no not nunca"));
  const titles = ["dr doctor", "dra doctora"].filter(
    (title) => !isRefused && isOneOf(last?.text ?? "", title),
  );
  const fitting = agendas.filter(({ name }) => {
    const [first] = listWords(name);
    return titles.some((title) => isOneOf(first?.text ?? "", title));
  });
  return fitting.length === 1 ? fitting : [];
}

const listStem = (word: Word): string => fold(word.raw);

function nameWords(name: string): string[] {
  return listWords(name)
    .map(({ text }) => text)
    .filter((text) => !isOneOf(text, weakWords) && text.length > 1)
    .map(toStem);
}

/** Plural and singular are one: `limpiezas` and `limpieza`. */
function toStem(word: string): string {
  if (word.length > 5 && word.endsWith("es")) return word.slice(0, -2);
  return word.length > 4 && /[aeos]$/u.test(word) ? word.replace(/[aeo]?s?$/u, "") : word;
}

const questionWords =
  "que cual cuales cuanto cuanta cuantos cuesta cuestan donde como cuando quien aceptan hacen hay tienen tienes " +
  "venden manejan puedo pueden puedes se cobran vale valen precio precios costo incluye dan ofrecen necesito what which how much " +
  "where when who do does can is are price cost accept have offer sell should";

/** Sentences that ask something and hold no word of a wish to book, move or cancel. */
export function listQuestions(words: readonly Word[]): Word[][] {
  return splitSentences(words).filter((sentence) => {
    const isAsked = sentence.some(({ isAsked: asked }) => asked);
    if (!isAsked && !sentence.some(({ text }) => isOneOf(text, questionWords))) return false;
    const intents = findIntents(sentence);
    return !["book", "move", "cancel", "mine"].some((intent) => intents.has(intent as Intent));
  });
}
