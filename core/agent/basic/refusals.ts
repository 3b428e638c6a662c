import { isOneOf, textAt, type Scan } from "./date-mentions.ts";
import type { Part } from "./date-words.ts";

// Refused parts of the day and bounds: "por la mañana no puedo", "not before 4".

/** The part that is offered where the customer refuses the key. */
export const otherParts: Readonly<Record<Part, Part>> = {
  morning: "afternoon",
  afternoon: "morning",
  evening: "afternoon",
};

/** True where the clause of the words from `start` to `end` refuses them, and asks nothing. */
export function isRefused(scan: Scan, start: number, end: number): boolean {
  return !isAsked(scan, end) && (isRefusedAhead(scan, start) || isRefusedBehind(scan, end));
}

const reach = 6;

function isAsked({ words }: Scan, end: number): boolean {
  for (let at = end - 1; at < end + reach; at += 1) {
    if (at >= end && words[at]?.isAfterBreak === true) return false;
    if (words[at]?.isAsked === true) return true;
  }
  return false;
}

/** Words that may stand between the refusal and the refused words. */
const between =
  "la el los las por en de para in the on at a me puedo podria podre voy llego salgo vengo ir venir llegar " +
  "asistir pasar poder queda quedan va sea quiero come do make it want";
const negations = "no not nunca never cant cannot wont dont excepto salvo except";

/** "no puedo en la", "not in the", "trabajo hasta", "I work until". */
export function isRefusedAhead(scan: Scan, start: number): boolean {
  for (let at = start - 1; at >= Math.max(0, start - reach); at -= 1) {
    if (scan.words[at + 1]?.isAfterBreak === true) return false;
    const text = textAt(scan, at);
    const [before, first] = [textAt(scan, at - 1), textAt(scan, at - 2)];
    // "¿Por qué no en la mañana?" proposes it.
    if (isOneOf(text, negations)) return before !== "why" && `${first} ${before}` !== "por que";
    if (text === "menos") return !isOneOf(before, "al lo o por");
    if (text === "trabajo") return !isOneOf(before, "no mi el un al del su de tengo");
    if (text === "work") return isOneOf(before, "i at");
    if (text === "busy") return isOneOf(before, "im am");
    if (isOneOf(text, "ocupado ocupada")) return before === "estoy" && first !== "no";
    if (!isOneOf(text, between)) return false;
  }
  return false;
}

const cannot = "puedo podre podria voy alcanzo llego vengo va";

/** "no puedo", "no me queda", "no", "don't work", "I can't". */
function isRefusedBehind(scan: Scan, end: number): boolean {
  const at = isOneOf(textAt(scan, end), "i yo") ? end + 1 : end;
  if (scan.words[end]?.isAfterBreak === true || scan.words[at]?.isAfterBreak === true) return false;
  const [text, next, third] = [at, at + 1, at + 2].map((index) => textAt(scan, index));
  switch (text) {
    case "no":
      if (next === "me") return isOneOf(third ?? "", "queda quedan va sirve acomoda conviene");
      return (
        next === "" || scan.words[at + 1]?.isAfterBreak === true || isOneOf(next ?? "", cannot)
      );
    case "cant":
    case "cannot":
    case "wont":
    case "trabajo":
      return true;
    case "dont":
    case "doesnt":
      return isOneOf(next ?? "", "work suit");
    case "is":
    case "are":
      return next === "bad" || (isOneOf(next ?? "", "no not") && third === "good");
    default:
      return false;
  }
}

/** True for a day right after a refusal: "que no sea lunes", "anything but Monday", "ni el lunes". */
export function isRefusedDay(scan: Scan, start: number): boolean {
  let at = start - 1;
  while (at > start - 4 && isOneOf(textAt(scan, at), "el los de del the on this este para en"))
    at -= 1;
  const isBroken = scan.words.slice(at + 1, start + 1).some(({ isAfterBreak }) => isAfterBreak);
  if (isBroken) return false;
  const [text = "", before = "", first = ""] = [at, at - 1, at - 2].map((one) => textAt(scan, one));
  // "No quiero la del lunes" speaks of an appointment.
  const isOf = isOneOf(textAt(scan, at + 1), "de del");
  if (isOf) return isOneOf(text, "vez lugar") && before === "en";
  switch (text) {
    case "sea":
    case "quiero":
      return before === "no";
    case "want":
      return before === "dont";
    case "ni":
    case "neither":
    case "nor":
      return true;
    case "but":
      return (
        isOneOf(before, "anything anytime everything") ||
        (isOneOf(before, "day time") && isOneOf(first, "any every"))
      );
    case "of":
      return before === "instead";
    case "than":
      return isOneOf("rather", [before, first, textAt(scan, at - 3)].join(" "));
    default:
      return false;
  }
}
