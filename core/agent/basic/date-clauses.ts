import { isOneOf, textAt, type DayMention, type Scan } from "./date-mentions.ts";
import { monthNumbers, shortWeekdays, weekdayNumbers } from "./date-words.ts";
import { isNoName, isWeekdayNoName } from "./names.ts";

// Roles of the words around a day: a name, a correction, a refusal, an appointment that exists.

const intros = ["soy", "llamo", "im"];
const titles = "don sr sra senor senora dr dra doctor doctora mr mrs ms";
const shortTitles = "sr sra dr dra mr mrs ms";
const nameEnds =
  "y e quiero quisiera necesito para con por puedo tengo me busco and i want need would from for hoy manana " +
  "tomorrow el la los esta este proximo proxima on at in by next this after before";

/** Words of a customer's name: "soy Mayo González" and "my name is April" name no month. */
export function namedWords(scan: Scan): Set<number> {
  const found = new Set<number>();
  scan.words.forEach(({ text }, index) => {
    const previous = textAt(scan, index - 1);
    const isTitle = isOneOf(text, titles);
    const isIntro =
      intros.includes(text) ||
      (text === "es" && previous === "nombre") ||
      (text === "is" && previous === "name") ||
      (text === "de" && previous === "nombre");
    if (!isTitle && !isIntro) return;
    if (!isTitle && isNoName(textAt(scan, index + 1))) return;
    for (let at = index + 1; at <= index + 3 && !isNameEnd(scan, index, at); at += 1) {
      const name = textAt(scan, at);
      if (weekdayNumbers.has(name) || shortWeekdays.has(name) || monthNumbers.has(name))
        found.add(at);
    }
  });
  return found;
}

/** True where a name after the intro or title at `intro` has ended before the word `at`. */
function isNameEnd(scan: Scan, intro: number, at: number): boolean {
  const text = textAt(scan, at);
  const isFirst = at === intro + 1;
  if (text === "" || isWeekdayNoName(text, isFirst)) return true;
  // The period of "Dra. Soto" ends no sentence.
  const isAbbreviated = isFirst && isOneOf(textAt(scan, intro), shortTitles);
  if (scan.words[at]?.isAfterBreak === true && !isAbbreviated) return true;
  const next = scan.words[at + 1];
  // "Dr Smith December 3"
  if (!isFirst && monthNumbers.has(text) && next?.kind === "number" && !next.isAfterBreak)
    return true;
  // "Ana de la Torre": the article belongs to the name.
  return isOneOf(text, nameEnds) && textAt(scan, at - 1) !== "de";
}

const corrections = "mejor digo perdon rather instead actually sino sorry mean";

/** True where the words between two mentions take the first of them back. */
export function isCorrection(scan: Scan, from: number, to: number): boolean {
  for (let index = Math.max(from, to - 8); index < to; index += 1) {
    if (isOneOf(textAt(scan, index), corrections)) return true;
  }
  return false;
}

const nouns = "cita turno reserva appointment booking";

/** "la cita del martes", "my Tuesday appointment", "la del jueves". */
export function isName(scan: Scan, start: number): boolean {
  const at = isOneOf(textAt(scan, start - 1), "el the") ? start - 1 : start;
  const preposition = textAt(scan, at - 1);
  const nounAt = findNoun(scan, at - 2);
  const noun = textAt(scan, nounAt);
  const determiner = textAt(scan, nounAt - 1);
  if (noun === "la" && isOneOf(preposition, "del de")) return true;
  if (isOneOf(preposition, "del de on") && isOneOf(noun, nouns)) {
    return isOneOf(determiner, "mi la esa my the that");
  }
  if (preposition === "from" && noun !== "starting") return true;
  return isOneOf(textAt(scan, start + 1), nouns) && isOneOf(textAt(scan, start - 1), "my the");
}

/** "Mi cita con la Dra. Soto del martes": the noun stands before the person, up to 4 words back. */
function findNoun(scan: Scan, at: number): number {
  for (let noun = at - 2; noun >= at - 5; noun -= 1) {
    const isPerson = isOneOf(textAt(scan, noun + 1), "con with");
    if (isPerson && isOneOf(textAt(scan, noun), nouns)) return noun;
  }
  return at;
}

const refusals =
  "puedo podre podria puede voy queda quedan va vengo alcanzo llego estoy estare trabajo me cant cannot wont work works good make busy";
const nearRefusals =
  "no menos excepto salvo except not cant cannot wont busy away ocupado ocupada trabajo";

/** True where the clause of the day refuses it: "mañana no puedo", "menos el lunes". */
export function isExcluded(scan: Scan, day: DayMention): boolean {
  if (isRefusedAfter(scan, day.end)) return true;
  let at = day.start - 1;
  for (let seen = 0; seen < 7 && at >= 0; seen += 1, at -= 1) {
    if (scan.words[at + 1]?.isAfterBreak === true) return false;
    const text = textAt(scan, at);
    if (isOneOf(text, "pero but mejor si sino y and or o que then so")) return false;
    const isOut = text === "out" && isOneOf(textAt(scan, at - 1), "im am be");
    if (!isOut && !isOneOf(text, nearRefusals)) continue;
    // "no tienes para mañana" and "no hay hoy" ask for the day.
    const next = textAt(scan, at + 1);
    // "No sea malo, el viernes" asks for it too.
    if (next === "sea") return isLeadOfDays(scan, at + 2, day.start);
    return (
      text !== "no" || at + 1 === day.start || isOneOf(next, `${refusals} el los la en para este`)
    );
  }
  return false;
}

function isLeadOfDays(scan: Scan, from: number, to: number): boolean {
  return scan.words
    .slice(from, to)
    .every(
      ({ text }) => weekdayNumbers.has(text) || isOneOf(text, "el los en para este proximo ni"),
    );
}

function isRefusedAfter(scan: Scan, end: number): boolean {
  for (let at = end; at < end + 6; at += 1) {
    const text = textAt(scan, at);
    if (text === "" || scan.words[at]?.isAfterBreak === true) return false;
    if (isOneOf(text, "pero but si mejor sino y and el la los las o or que")) {
      if (!isOneOf(text, "la las")) return false;
    }
    if (isOneOf(text, "cant cannot wont dont doesnt isnt"))
      return !isOneOf(text, "dont") || at === end;
    if (text === "trabajo" || text === "estoy")
      return isOneOf(textAt(scan, at + 1), "ocupado ocupada") || text === "trabajo";
    if (text === "no") {
      const next = textAt(scan, at + 1);
      const isOver = next === "" || scan.words[at + 1]?.isAfterBreak === true;
      return isOver || isOneOf(next, `${refusals} se es tengo pero el`);
    }
    if (text === "is" && isOneOf(textAt(scan, at + 1), "no not bad")) return true;
  }
  return false;
}
