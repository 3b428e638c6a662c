import { isOneOf } from "./date-mentions.ts";
import { monthNumbers, weekdayNumbers } from "./date-words.ts";
import { findIntents } from "./intents.ts";
import type { Word } from "./text.ts";

const ends =
  "y e quiero quisiera necesito para con por puedo tengo me busco and i want need would from for hoy manana " +
  "le les te tel telefono correo mi my gracias ocupo a the on at in next this tomorrow";
const notNames =
  "un una unos el la los las de del nuevo nueva paciente cliente yo an here new patient looking calling not " +
  "interested free sorry fine good ok okay si no hola buenas que cual cuanto como donde cuando alergico " +
  "alergica mayor menor diabetico embarazada muy solo bien mal running going trying late in at on afraid " +
  "having wondering thinking quien es esa ese su este esta yes hello hi hey sure what available busy off away " +
  "out back sick usually only always also able coming working im soy prefiero prefer espera espere dejame deja ahorita luego hold one moment let me " +
  "listo lista same jaja jajaja oye ya nunca never ninguno nadie tienes tiene hay puede puedo can could why";
// People have these names: "Abril Domingo", "Wednesday Addams".
const weekdaysOfNames = "domingo monday tuesday wednesday thursday friday saturday sunday";
const leadsOfDays = "dia proximo otro siguiente fin que de";
const maxWords = 5;

/** A name that the customer gave with words such as "soy" or "my name is"; null without one. */
export function readOwnName(words: readonly Word[]): string | null {
  const text = (index: number) => words[index]?.text ?? "";
  for (const index of words.keys()) {
    const isIntro =
      isOneOf(text(index), "soy im") ||
      (text(index) === "llamo" && text(index - 1) === "me") ||
      (text(index) === "nombre" && text(index - 1) === "a" && text(index + 1) === "de") ||
      (text(index) === "es" && text(index - 1) === "nombre") ||
      (text(index) === "is" && isOneOf(text(index - 1), "name this")) ||
      (text(index) === "am" && text(index - 1) === "i");
    if (!isIntro) continue;
    const start = text(index) === "nombre" ? index + 2 : index + 1;
    const name = nameFrom(words, start);
    if (name !== null) return name;
  }
  return null;
}

const bareLeads =
  "claro si es con hola its ok yes it is sure a nombre de se llama mejor perdon disculpa disculpe better actually";

/** The name in a burst that answers the question for it. A question and a wish are no names. */
export function readBareName(words: readonly Word[]): string | null {
  if (words.length > 8) return null;
  for (const [index, word] of words.entries()) {
    const isStart = index === 0 || word.isAfterBreak;
    if (!isStart) continue;
    const own = listOwn(words, index + countLeads(words.slice(index)));
    if (own.length === 0) continue;
    const intents = [...findIntents(own)];
    const isSmallTalk = intents.every((intent) => isOneOf(intent, "yes greet goodbye"));
    // "Perfecto, Ana López". Some people are called Vale or Dale.
    if (own.length === 1 && intents.length > 0 && isSmallTalk) continue;
    return isSmallTalk && !own.some(({ isAsked }) => isAsked) ? nameOf(own) : null;
  }
  return null;
}

function countLeads(words: readonly Word[]): number {
  const first = words.findIndex(({ text }) => !isOneOf(text, bareLeads));
  return first < 0 ? words.length : first;
}

/** True for a word after "soy" or "I'm" that begins no name: "I'm available". */
export const isNoName = (text: string): boolean => isOneOf(text, notNames);

/** True for a word that is a weekday, and no name at its place: "soy Ana martes a las 10". */
export function isWeekdayNoName(text: string, isFirst: boolean): boolean {
  if (!weekdayNumbers.has(text)) return false;
  return !isOneOf(text, isFirst ? weekdaysOfNames : "domingo");
}

/** "Soy Ana el martes" ends before "el", "soy Pedro el Grande" does not. */
function isArticleOfDay(next: Word | undefined): boolean {
  if (next === undefined || next.kind !== "word" || next.raw === next.raw.toLowerCase())
    return true;
  const isDay = weekdayNumbers.has(next.text) || monthNumbers.has(next.text);
  return isDay || isOneOf(next.text, leadsOfDays);
}

function nameFrom(words: readonly Word[], start: number): string | null {
  return nameOf(listOwn(words, start));
}

/** The words of a name that begins at `start`. */
function listOwn(words: readonly Word[], start: number): Word[] {
  const own: Word[] = [];
  for (let index = start; index < words.length && own.length < maxWords; index += 1) {
    const word = words[index];
    if (word === undefined || word.kind !== "word" || isOneOf(word.text, ends)) break;
    if (word.isAfterBreak && index > start) break;
    if (own.length === 0 && isNoName(word.text)) break;
    if (isWeekdayNoName(word.text, own.length === 0)) break;
    if (word.text === "el" && isArticleOfDay(words[index + 1])) break;
    own.push(word);
  }
  return own;
}

function nameOf(own: readonly Word[]): string | null {
  const name = own.map(({ raw }) => raw).join(" ");
  if (name.length < 2) return null;
  // People who write without capitals still have them in their names.
  if (name !== name.toLowerCase()) return name;
  return own.map(({ raw }) => raw.slice(0, 1).toUpperCase() + raw.slice(1)).join(" ");
}
