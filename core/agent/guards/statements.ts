/** The stated part of a sentence in lower case, and the folded question behind it; null: none. */
export interface Statement {
  text: string;
  question: string | null;
}

/** A hit of a claim in its folded clause. `before`: earlier clauses. `lead`: up to the hit. */
interface ClaimPlace {
  before: string;
  clause: string;
  lead: string;
  isOffer: boolean;
}

const clauseEnds = /,(?!\d)|[;—–]|:(?!\d)|\p{Extended_Pictographic}/gu;
/** A clause that begins so is a question. Any other one is a question only as the last clause. */
const questionStart =
  /^[^\p{L}]*(?:(?:and|so|but|y|pero|entonces) )?(?:(?:is|are|was|were|do|does|did|have|has|can|could|will|would|shall|should|may)(?:n't)? (?:i|you|we|they|he|she|it|that|this|there|your|the|my|our|any\w*|some\w*)\b|(?:what|which|who|whose|why|how|where|anything)\b|when (?:is|are|do|does|did|can|could|will|would|should|shall)\b|(?:(?:a|de|con|para|en) )?(?:qué|quién(?:es)?|cuál(?:es)?|cuándo|cuánt[oa]s?|cómo|dónde)(?!\p{L})|(?:quieres?|prefieres?|deseas?|podrías?|te gustaría|(?:necesitas? |hay )?algo)(?!\p{L}))/u;
/** It asks whether the statement is true, names an alternative, or ends in a name. */
const asksForTruth =
  /^[^\p{L}]*(?:(?:o|u|or) (?!.*\b(?:prefie|quier|gust|necesit|prefer|want|would|need|like))|(?:(?:is (?:that|this|it)|that's|es|eso es|estoy en lo) )?(?:right|correct|true|verdad|cierto|correcto|asi)\W*$|(?!(?:ok|okay|vale|va|sale|bien|listo)\b)\p{L}+\W*$)/u;
const asksForMore =
  /\b(?:anything|else|help|assist|(?:any|other|more|further) (?:questions?|doubts?)|algo mas|otra cosa|que mas|dudas?|preguntas?|ayud\w+)\b/u;

/** An offer of more help that follows a statement without a comma: "ya agendé tu cita algo más?". */
const moreStart =
  /(?<!\p{L})(?:(?:(?:necesitas?|deseas?|quieres?|gustas?|hay|tienes?) )?(?:algo m[áa]s(?! (?:tarde|temprano|cerca|pronto|barato|econ))|otra cosa|alguna (?:otra )?(?:duda|pregunta))|(?:te|le) (?:puedo )?ayud\p{L}+ (?:en|con) (?:algo|otra)|en qué (?:más|otra)|(?:(?:is there|do you (?:need|want|have)|can i help(?: you)? with|need|would you like) )?(?:anything else|any (?:other|more|further) questions?))(?!\p{L})/u;

const condition =
  /(?:^| )(?:si|cuando|en cuanto|una vez(?! mas)|hasta que|para que|antes de que?|despues de que|siempre que|quieres que|prefieres que|necesito que|if|whether|once(?! again| more)|when|unless|until|before|after you|as soon as|would you|should i|shall i|want me to|like me to)(?: |$)/u;
/** These govern their own clause only. */
const ability = /(?:^| )(?:can|could|puedo|podemos|podria|gustaria|so that|let me know)(?: |$)/u;
/** An ability of the clause before governs a clause that begins so. */
const consequence = /^(?:(?:y|and) )?(?:asi|then|luego|queda)(?: |$)/u;
/** "I can confirm that" states the rest. "So I can confirm that" does not. */
const assurance =
  /(?<!\bso (?:that )?|\basi )\b(?:(?:i|we) can (?:also |now |gladly |happily )?(?:confirm|see|tell you|assure you)(?: that)?|(?:puedo|podemos|me gustaria|nos gustaria) (?:confirmar|informar|decir|asegurar|ver)(?:te|les?)?(?: que)?)(?= |$)/gu;
const need = String.raw`\b(?:si|cuando|if|when|whenever) (?:\S+ ){0,4}?(?:algo mas|otra cosa|cualquier cosa|mas ayuda|dudas?|preguntas?|anything(?: else)?|something else|questions?|concerns?|more help)\b`;
const call = String.raw`(?:let (?:me|us) know|tell (?:me|us)|(?:just )?ask|me (?:dices|avisas)|dime|dinos|avisame|avisanos|escribeme|escribenos)\b`;
const needOfMore = new RegExp(need, "gu");
const callForMore = new RegExp(
  String.raw`${need} (?:please |por favor |solo |just )?${call}|\b${call} ${need}`,
  "gu",
);

/** An act that is not done yet: "te agendo", "te voy a pasar". "Ya te agendamos" is done. */
const offer =
  /(?:(?<!\bya )\b(?:te|le)(?: l[ao]s?)? (?:\p{L}+(?:o|[aei]mos)|(?:voy|vamos) a \p{L}+|estoy \p{L}+ndo)|\blet me \w+ you)(?: \p{L}+)?$/u;

/** Removes accents. A text in NFC keeps its length. */
export function foldText(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "");
}

/** The sentences of a text without their questions. */
export function listStatements(text: string): Statement[] {
  const sentences = text
    .toLowerCase()
    .normalize("NFC")
    .replaceAll("’", "'")
    // A point within a question ends no sentence.
    .replaceAll(/¿[^?¿]*\?/gu, (question) => question.replaceAll(/[.!¡\n]/gu, " "))
    // Without its accent it would begin a condition.
    .replaceAll(/(?<!\p{L})sí(?!\p{L})/gu, "ok")
    // The point of a title or of a time ends no sentence.
    .replaceAll(/\b(dra?|sra?|srta|lic|ing|mrs?|ms|av)\. /gu, "$1 ")
    .replaceAll(/\b([ap])\. ?m\.?(?=[,;?])/gu, "$1m")
    .match(/[^.!?¡\n]+[.!?\n]?/gu);
  return (sentences ?? []).map(splitQuestion).filter(({ text: stated }) => stated !== "");
}

function splitQuestion(sentence: string): Statement {
  const mark = sentence.indexOf("¿");
  if (mark === -1 && !sentence.endsWith("?")) return { text: sentence, question: null };
  const start = mark === -1 ? findQuestionStart(sentence) : mark;
  const question = foldText(sentence.slice(start));
  const isAllAsked = asksForTruth.test(question) && !asksForMore.test(question);
  return { text: isAllAsked ? "" : sentence.slice(0, start), question };
}

function findQuestionStart(sentence: string): number {
  const starts = [0, ...[...sentence.matchAll(clauseEnds)].map((end) => end.index + end[0].length)];
  // A bounded part of each clause, so that thousands of commas are read in time.
  const first = starts.find((start) => questionStart.test(sentence.slice(start, start + 60)));
  if (first !== undefined) return first;
  const last = starts.at(-1) ?? 0;
  const clause = sentence.slice(last);
  const more = clause.search(moreStart);
  // "Te agendo otra cosa?" asks for all of it.
  return more > 0 && !isOffer(clause.slice(0, more).trim()) ? last + more : last;
}

/** An offer is no claim where the question behind it can change it, as in "te agendo a las 3, ok?". */
export function isOpenQuestion(question: string | null): boolean {
  return question !== null && !asksForMore.test(question);
}

/** @param spoken clause with its accents, up to the end of the hit. */
export function isOffer(spoken: string): boolean {
  return offer.test(spoken);
}

/** A condition governs the claim. "If you need anything else" governs an offer only. */
export function isConditional({ before, clause, lead, isOffer: isOffered }: ClaimPlace): boolean {
  const plain = (words: string): string =>
    words.replaceAll(assurance, " ").replaceAll(callForMore, " ");
  const all = plain(`${before} ${lead}`);
  if (isOffered) return condition.test(all) || ability.test(all);
  if (condition.test(all.replaceAll(needOfMore, " "))) return true;
  return ability.test(consequence.test(clause) ? all : plain(lead));
}
