import type { Scan } from "./date-mentions.ts";
import { joinWords } from "./text.ts";

const refusedBound =
  /(?<!\b(?:que|why) )\b(?:(?:no antes|not before)|(?:no (?:puedo|podria|podre|llego|alcanzo)(?: ir| llegar| pasar| venir)?|(?:cant|cannot) (?:make|do|come)) (?:antes|despues|before|after))$/u;

/**
 * True where the bound at `index` is refused: "no antes de las 4" and "no puedo después de las 6" wish
 * the times on the other side. A question asks for the times that it names.
 */
export function isBoundRefused(scan: Scan, index: number): boolean {
  const { before, isAsked } = clauseAround(scan, index, index + 1);
  return !isAsked && refusedBound.test(`${before} ${scan.words[index]?.text ?? ""}`);
}

const partBefore =
  /\b(?:no (?:puedo|podria|podre)(?: ir| llegar| venir| asistir)? (?:en|por) las?|(?:cant|cannot) (?:do|make)(?: the)?)$/u;
const partAfter =
  /^(?:no(?: puedo| podria| podre)?(?:$| por)|no me (?:queda|acomoda|conviene|sirve|va|funciona|da tiempo)\b|(?:dont|doesnt|wont) (?:work|suit|fit)\b|(?:cant|cannot)(?: do)?$)/u;

/**
 * True where the words beside a part of the day refuse it: "por la mañana no puedo", "no puedo ir en la
 * tarde", "mornings don't work".
 * @param start the word of the part, without its article
 */
export function isPartRefused(scan: Scan, start: number, end: number): boolean {
  const { before, after, isAsked } = clauseAround(scan, start, end);
  return !isAsked && (partBefore.test(before) || partAfter.test(after));
}

/** The words of the clause before `start` and from `end` on. */
function clauseAround({ words }: Scan, start: number, end: number) {
  const first = words.findLastIndex(({ isAfterBreak }, at) => isAfterBreak && at <= start);
  const next = words.findIndex(({ isAfterBreak }, at) => isAfterBreak && at >= end);
  const after = words.slice(end, next < 0 ? words.length : next);
  const isAsked = words
    .slice(start, end)
    .concat(after)
    .some((word) => word.isAsked);
  return {
    before: joinWords(words.slice(Math.max(first, 0), start)),
    after: joinWords(after),
    isAsked,
  };
}
