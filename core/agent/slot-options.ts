import type { InteractiveOption } from "../model/interactive.ts";
import type { Locale } from "../model/user.ts";
import type { AgentContext, SlotChoice } from "./context.ts";
import { shortWordsOfTime, wordsOfTime } from "./words.ts";

const idPattern =
  /^slot\/(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)\/r(\d{1,15})(?:\/s(\d{1,15}))?(?:\/a(\d{1,15}))?$/u;

/** Id of the option that offers a slot: `slot/2026-11-26T22:00:00.000Z/r12/s3`. */
export function slotOptionId(slot: SlotChoice): string {
  const { startTime, resourceId, serviceId, appointmentId } = slot;
  const service = serviceId === null ? "" : `/s${serviceId}`;
  const moved = appointmentId === null ? "" : `/a${appointmentId}`;
  return `slot/${startTime.toISOString()}/r${resourceId}${service}${moved}`;
}

/** The slot that an option offers; null for the id of any other option. */
export function readSlotOptionId(id: string): SlotChoice | null {
  const [, start = "", resource, service, moved] = idPattern.exec(id) ?? [];
  const startTime = new Date(start);
  if (Number.isNaN(startTime.getTime())) return null;
  return {
    startTime,
    resourceId: Number(resource),
    serviceId: service === undefined ? null : Number(service),
    appointmentId: moved === undefined ? null : Number(moved),
  };
}

/** Words that the titles of options take. */
export interface OptionWords {
  language: Locale;
  /** Zone of the account. */
  timeZone: string;
  resources: readonly { id: number; name: string }[];
}

/**
 * Options that offer slots, in their order. Titles are short, such as `Thu 26, 4:00 PM`. The month
 * and then the agenda tell equal ones apart.
 * @returns null where two slots have the same words
 */
export function slotOptions(
  slots: readonly SlotChoice[],
  { language, timeZone, resources }: OptionWords,
): InteractiveOption[] | null {
  const nameOf = (slot: SlotChoice) =>
    resources.find(({ id }) => id === slot.resourceId)?.name ?? "";
  const titles = [
    slots.map(({ startTime }) => shortWordsOfTime({ startTime, language, timeZone })),
    slots.map(({ startTime }) => shortWordsOfTime({ startTime, language, timeZone }, true)),
    slots.map((slot) => wordsOfTime({ ...slot, resourceName: nameOf(slot), language, timeZone })),
  ].find((words) => new Set(words).size === words.length);
  if (titles === undefined) return null;
  return slots.map((slot, index) => ({ id: slotOptionId(slot), title: titles[index] ?? "" }));
}

/** The slot that the customer chose last among the messages that a turn answers, or null. */
export function findChosenSlot({
  messages,
  answeredUpTo,
}: Pick<AgentContext, "messages" | "answeredUpTo">): SlotChoice | null {
  const chosen = messages.findLast(({ id, slot }) => id > answeredUpTo && slot !== undefined);
  return chosen?.slot ?? null;
}
