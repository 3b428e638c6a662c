import type { FlowTurn } from "./flow-turn.ts";
import type { Reading } from "./reading.ts";
import { joinWords } from "./text.ts";

/** Service and agenda that a question was about; null or undefined where it named none. */
interface Asked {
  serviceId?: number | null | undefined;
  resourceId?: number | null | undefined;
}

const condition =
  /\b(?:si (?:no|es|esta|sale)(?: \S+){0,2} (?:cuesta|cobran|cobras|caro|cara|barato|barata|gratis)|siempre y cuando|solo si|only if|as long as)\b/u;

/**
 * True where the burst agrees with the question as it was asked. "Sí, pero más tarde", "ok, déjame
 * ver" and "sí, si no cuesta mucho" agree with nothing yet. "Sí, con el Dr. Ramírez" agrees with
 * something else.
 */
export function isPlainYes(turn: FlowTurn, asked: Asked): boolean {
  const { answer, intents, words } = turn.reading;
  const isOpen = intents.has("hedge") || condition.test(joinWords(words));
  return answer === true && !isOpen && !namesOther(turn, asked);
}

const coming =
  /(?<!\b(?:no|ni|not|never|wont|cant|cannot|dont)(?: \S+){0,3} )\b(?:(?:voy|vamos)(?! a (?!ir|asistir|llegar|poder))|ire|iremos|asisto|asistire|asistiremos|asistencia|llego|llegamos|llegare|acudire|estare|estaremos|nos vemos|dejal[ao]|(?:quiero|puedo|podre|pienso) (?:ir|asistir|llegar)|keep it|make it|be there|come|attend|(?:coming|going)(?! to (?!come|go|attend|be there|make)))\b/u;

/**
 * True where the customer may say that they come. "Sí voy" begins as a yes to "shall I cancel?", and
 * means the opposite.
 */
export function saysToCome({ words }: Reading): boolean {
  return coming.test(joinWords(words));
}

/** True where the burst names another service or agenda than the question. */
export function namesOther({ reading }: FlowTurn, { serviceId, resourceId }: Asked): boolean {
  const { services, resources, text } = reading;
  // "Sí, ¿y cuánto cuesta la limpieza?" asks of a service, and wants no other one.
  const isWished = services.length > 0 && !text.includes("?");
  const isOtherService = isWished && !services.some(({ id }) => id === serviceId);
  const isOtherResource = resources.length > 0 && !resources.some(({ id }) => id === resourceId);
  return isOtherService || isOtherResource;
}
