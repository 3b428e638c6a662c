/** Text beyond this length is not read: the grammars stay cheap for any input. */
export const maxTextLength = 2_000;

/** A word, a number, a clock time, a date in digits or an email address of a text. */
export interface Word {
  kind: "word" | "number" | "clock" | "date" | "email";
  /** Lower case, without accents and apostrophes, short forms written out. */
  text: string;
  /** As the customer wrote it. */
  raw: string;
  /** The parts of a number, a clock time (hour, minute) or a date in digits. */
  numbers: readonly number[];
  /** True where punctuation or a new line stands before the word. */
  isAfterBreak: boolean;
  /** True where a question mark follows before the next word. */
  isAsked: boolean;
  /** True where nothing stands between the word before and this word, as in `5pm`. */
  isGlued: boolean;
}

/** Lower case without accents: `Mañana` gives `manana`. */
export function fold(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** The only one of a list; null where there is none, or more than one. */
export function onlyOf<One>(list: readonly One[]): One | null {
  return list.length === 1 ? (list[0] ?? null) : null;
}

/** The folded words of a burst with one space between two. */
export function joinWords(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(" ");
}

/** Folded words of a text, without signs. */
export function foldedWords(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The first of the phrases whose words stand in the text one after the other, or null. */
export function findPhrase(text: string, phrases: readonly string[]): string | null {
  const padded = ` ${foldedWords(text).join(" ")} `;
  const isThere = (phrase: string): boolean => {
    const words = foldedWords(phrase).join(" ");
    return words !== "" && padded.includes(` ${words} `);
  };
  return phrases.find(isThere) ?? null;
}

// Forms that people type in chats, folded.
const shortForms = new Map(
  Object.entries({
    q: "que",
    k: "que",
    qe: "que",
    ke: "que",
    sita: "cita",
    citta: "cita",
    kiero: "quiero",
    qiero: "quiero",
    kisiera: "quisiera",
    x: "por",
    xq: "porque",
    pq: "porque",
    d: "de",
    tmb: "tambien",
    tb: "tambien",
    pa: "para",
    mnn: "manana",
    mna: "manana",
    mnana: "manana",
    hrs: "h",
    hr: "h",
    hs: "h",
    grax: "gracias",
    grx: "gracias",
    ola: "hola",
    holi: "hola",
    holis: "hola",
    bno: "bueno",
    cdo: "cuando",
    cto: "cuanto",
    dnd: "donde",
    sip: "si",
    sii: "si",
    siii: "si",
    simon: "si",
    nop: "no",
    noo: "no",
    u: "you",
    ur: "your",
    r: "are",
    pls: "please",
    plz: "please",
    thx: "thanks",
    ty: "thanks",
    tks: "thanks",
    appt: "appointment",
    apt: "appointment",
    appts: "appointments",
    tmrw: "tomorrow",
    tmr: "tomorrow",
    tmw: "tomorrow",
    tomoz: "tomorrow",
    wanna: "want",
    yep: "yes",
    yeah: "yes",
    yup: "yes",
    nope: "no",
    nah: "no",
    resched: "reschedule",
  }),
);

// Each pattern is bounded, so a text is read in linear time.
const patterns: readonly { kind: Word["kind"]; pattern: RegExp }[] = [
  {
    kind: "email",
    pattern: /(?<![!#$*^{|}~])[\w.+&%-][\w.+&%'-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/uy,
  },
  { kind: "date", pattern: /(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/uy },
  { kind: "date", pattern: /(\d{1,2})[/-](\d{1,2})(?:[/-](\d{4}|\d{2}))?(?![\d/])/uy },
  { kind: "clock", pattern: /(\d{1,2})[:.h](\d{2})(?!\d)/uy },
  { kind: "number", pattern: /\d{1,12}/uy },
  { kind: "word", pattern: /[ap]\.? ?m\.?(?![\p{L}\p{M}])/iuy },
  { kind: "word", pattern: /[\p{L}\p{M}]{1,40}(?:['’][\p{L}\p{M}]{1,10})?/uy },
];

const breaks = /[,.;:!?¿¡()\n…—-]/u;

/** The words of the first 2,000 characters of a text, in order. */
export function listWords(text: string): Word[] {
  const source = text.slice(0, maxTextLength);
  const words: Word[] = [];
  let position = 0;
  let isAfterBreak = true;
  let isGlued = false;
  while (position < source.length) {
    const word = readWord(source, position);
    if (word === null) {
      const sign = source[position] ?? "";
      if (breaks.test(sign)) isAfterBreak = true;
      if (sign === "?") markAsked(words);
      isGlued = false;
      position += 1;
      continue;
    }
    words.push({ ...word, isAfterBreak, isGlued });
    position += word.raw.length;
    isAfterBreak = false;
    isGlued = true;
  }
  return words;
}

function readWord(source: string, position: number): Word | null {
  for (const { kind, pattern } of patterns) {
    pattern.lastIndex = position;
    const found = pattern.exec(source);
    if (found === null) continue;
    const raw = found[0];
    const numbers = kind === "number" ? [Number(raw)] : found.slice(1).filter(Boolean).map(Number);
    const text = kind === "word" ? toPlainWord(raw) : fold(raw);
    return { kind, text, raw, numbers, isAfterBreak: false, isAsked: false, isGlued: false };
  }
  return null;
}

function toPlainWord(raw: string): string {
  const plain = fold(raw).replaceAll(/['’. ]/gu, "");
  return shortForms.get(plain) ?? shorten(plain) ?? plain;
}

/** `holaaaa` gives `hola`: nobody means a letter three times. */
function shorten(plain: string): string | null {
  const once = plain.replaceAll(/(.)\1{2,}/gu, "$1");
  return once === plain ? null : once;
}

function markAsked(words: Word[]): void {
  const last = words.at(-1);
  if (last !== undefined) words[words.length - 1] = { ...last, isAsked: true };
}

const minCorrectedLength = 5;

/**
 * A function that mends one typo (a letter too many, missing, wrong, or two swapped) in words of
 * five letters or more. Words in `guarded` are right as they are.
 * @returns the word itself where it is known, or where no word or several different words are near.
 */
export function createCorrector(
  vocabulary: Iterable<string>,
  guarded: ReadonlySet<string> = new Set(),
): (word: string) => string {
  const known = new Set(vocabulary);
  const near = new Map<string, string[]>();
  for (const word of known) {
    if (word.length < minCorrectedLength) continue;
    for (const key of [word, ...shorterForms(word)]) {
      const words = near.get(key);
      if (words === undefined) near.set(key, [word]);
      else words.push(word);
    }
  }
  return (word) => {
    if (word.length < minCorrectedLength || word.length > 30) return word;
    if (known.has(word) || guarded.has(word)) return word;
    const candidates = new Set([word, ...shorterForms(word)].flatMap((key) => near.get(key) ?? []));
    const close = [...candidates].filter((candidate) => isOneTypoAway(word, candidate));
    return onlyOf(close) ?? word;
  };
}

function shorterForms(word: string): string[] {
  return Array.from(word, (_, index) => word.slice(0, index) + word.slice(index + 1));
}

function isOneTypoAway(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const restOfOne = one.slice(start);
  const restOfOther = other.slice(start);
  if (restOfOne.slice(1) === restOfOther) return true;
  if (restOfOne === restOfOther.slice(1)) return true;
  if (restOfOne.slice(1) === restOfOther.slice(1)) return true;
  return (
    restOfOne[0] === restOfOther[1] &&
    restOfOne[1] === restOfOther[0] &&
    restOfOne.slice(2) === restOfOther.slice(2)
  );
}
