import type { FlowTurn } from "./flow-turn.ts";

/** Service and agenda that a question was about; null or undefined where it named none. */
interface Asked {
  serviceId?: number | null | undefined;
  resourceId?: number | null | undefined;
}

/**
 * True where the burst agrees with the question as it was asked. "Sí, pero más tarde" and "ok, déjame
 * ver" agree with nothing yet, and "sí, con el Dr. Ramírez" agrees with something else.
 */
export function isPlainYes(turn: FlowTurn, asked: Asked): boolean {
  const { answer, intents } = turn.reading;
  return answer === true && !intents.has("hedge") && !namesOther(turn, asked);
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
