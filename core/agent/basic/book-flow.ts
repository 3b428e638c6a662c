import type { ContextResource, ContextService, SlotChoice } from "../context.ts";
import { isPlainYes } from "./consent.ts";
import { hasDates } from "./dates.ts";
import type { FlowSlots } from "./dialogue.ts";
import {
  ask,
  callTool,
  close,
  handOff,
  localOf,
  textsOf,
  wordsOfSlot,
  type FlowRun,
  type FlowTurn,
  type Said,
} from "./flow-turn.ts";
import { onlyOf } from "./text.ts";
import {
  afterRefusal,
  reachOffered,
  reachTime,
  takeChosenDay,
  takeDates,
  without,
} from "./wanted-times.ts";

/** Books: service, agenda, day, time, name, confirmation. */
export function* book(turn: FlowTurn): FlowRun {
  const { context, reading, asked } = turn;
  const canBook =
    context.tools.includes("book_appointment") && context.tools.includes("find_slots");
  if (!canBook || context.resources.length === 0) return yield* handOff(turn, "unsupported");
  const { slot } = reading;
  if (slot === null && asked === "confirm" && turn.slots.chosen !== undefined) {
    const isSame = !hasDates(reading.dates) || agrees(turn);
    const { serviceId, chosen } = turn.slots;
    const isAgreed = isPlainYes(turn, { serviceId, resourceId: chosen.resourceId });
    if (isAgreed && isSame) return yield* bookChosen(turn);
    if (reading.answer === false && !hasDates(reading.dates) && reading.services.length === 0) {
      const slots = without(turn.slots, ["chosen", "from", "to", "time"]);
      return ask(turn, "day", textsOf(turn).askOtherDay, slots);
    }
  }
  const isNamed = yield* storeName(turn);
  if (slot !== null) return yield* bookOffered(turn, slot, isNamed);
  const named = takeNamed(turn, takeChosenDay(turn, takeDates(turn, turn.slots)));
  const missing = askService(turn, named) ?? askResource(turn, named);
  if (missing !== null) return missing;
  const reached = yield* reachTime(turn, named, targetOf(named));
  if ("say" in reached) return reached;
  return confirm(turn, reached, isNamed);
}

/** Asks for the confirmation of an offered slot, where it is still free. */
function* bookOffered(turn: FlowTurn, slot: SlotChoice, isNamed: boolean): FlowRun {
  const { serviceId, resourceId } = slot;
  const slots = serviceId === null ? { resourceId } : { serviceId, resourceId };
  const reached = yield* reachOffered(turn, slots, slot, targetOf(slots));
  return "say" in reached ? reached : confirm(turn, reached, isNamed);
}

/** True where the days and times of the burst repeat the chosen time: "sí, el jueves a las 5". */
export function agrees({ reading, slots }: FlowTurn): boolean {
  const { days, time, part, window, excluded, question } = reading.dates;
  if (part !== null || window !== null || question !== null || excluded.length > 0) return false;
  const isDay = days === null || (days.from === slots.from && days.to === slots.to);
  return isDay && (time === null || time === slots.time);
}

const targetOf = ({ serviceId, resourceId }: FlowSlots) => ({
  ...(serviceId === undefined ? {} : { service_id: serviceId }),
  ...(resourceId === undefined || resourceId === 0 ? {} : { resource_id: resourceId }),
});

/** Takes the service and the agenda that the burst names. */
function takeNamed(turn: FlowTurn, slots: FlowSlots): FlowSlots {
  const { context, reading } = turn;
  let next = slots;
  // A named service counts also where the agenda of before does not give it.
  const service =
    onlyOf(reading.services) ??
    chosenOf(turn, "service", listServices(turn, slots), reading.services);
  if (service !== null && service.id !== next.serviceId) {
    next = { ...without(next, ["chosen", "shown"]), serviceId: service.id };
  }
  const resource = chosenOf(turn, "resource", listResources(turn, next), reading.resources);
  if (resource !== null && resource.id !== next.resourceId) {
    next = {
      ...without(next, turn.asked === "slot" ? [] : ["chosen", "shown"]),
      resourceId: resource.id,
    };
  } else if (isAnyResource(turn)) {
    next = { ...next, resourceId: 0 };
  }
  const only = onlyOf(listServices(turn, next));
  if (next.serviceId === undefined && only !== null) next = { ...next, serviceId: only.id };
  const wanted = context.services.find(({ id }) => id === next.serviceId);
  const gives =
    wanted === undefined || !next.resourceId || wanted.resourceIds.includes(next.resourceId);
  return gives ? next : without(next, ["resourceId"]);
}

/** A customer who answers with a day or a time instead of an agenda takes any agenda. */
function isAnyResource({ asked, reading }: FlowTurn): boolean {
  if (asked === "resource") return reading.isAny || hasDates(reading.dates);
  return asked === null && reading.isAny;
}

function chosenOf<Row extends { id: number }>(
  { reading, asked }: FlowTurn,
  what: "service" | "resource",
  rows: readonly Row[],
  named: readonly Row[],
): Row | null {
  const possible = named.filter(({ id }) => rows.some((row) => row.id === id));
  const only = onlyOf(possible);
  if (only !== null) return only;
  if (asked !== what || reading.choice === null) return null;
  return rows.at(reading.choice > 0 ? reading.choice - 1 : -1) ?? null;
}

/** Services that the chosen agenda gives. */
function listServices({ context }: FlowTurn, { resourceId }: FlowSlots): readonly ContextService[] {
  if (!resourceId) return context.services;
  return context.services.filter(({ resourceIds }) => resourceIds.includes(resourceId));
}

/** Agendas that give the chosen service. */
function listResources(
  { context }: FlowTurn,
  { serviceId }: FlowSlots,
): readonly ContextResource[] {
  const service = context.services.find(({ id }) => id === serviceId);
  if (service === undefined) return context.resources;
  return context.resources.filter(({ id }) => service.resourceIds.includes(id));
}

export function askService(turn: FlowTurn, slots: FlowSlots): Said | null {
  if (slots.serviceId !== undefined || turn.context.services.length === 0) return null;
  const names = listServices(turn, slots).map(({ name }) => name);
  return ask(turn, "service", textsOf(turn).askService(names), slots);
}

export function askResource(turn: FlowTurn, slots: FlowSlots): Said | null {
  const resources = listResources(turn, slots);
  if (slots.resourceId !== undefined || resources.length <= 1) return null;
  const names = resources.map(({ name }) => name);
  return ask(turn, "resource", textsOf(turn).askResource(names), slots);
}

/**
 * Stores a name at once, since the dialogue keeps no text of the customer.
 * @returns true where the contact has a name now.
 */
function* storeName(turn: FlowTurn): FlowRun<boolean> {
  const { context, reading } = turn;
  if (context.contact.name !== null || !context.tools.includes("update_contact")) return true;
  if (reading.name === null) return false;
  return (yield* callTool(turn, "update_contact", { name: reading.name })).ok;
}

/** Asks for the name where none is known, else for the confirmation. */
function confirm(turn: FlowTurn, slots: FlowSlots, isNamed: boolean): Said {
  if (!isNamed) return ask(turn, "name", textsOf(turn).askName, slots);
  return ask(turn, "confirm", confirmText(turn, slots), slots);
}

export function confirmText(turn: FlowTurn, slots: FlowSlots): string {
  const service = turn.context.services.find(({ id }) => id === slots.serviceId);
  const words = slots.chosen === undefined ? "" : wordsOfSlot(turn, slots.chosen);
  return textsOf(turn).confirmBooking(service?.name ?? "", words);
}

function* bookChosen(turn: FlowTurn): FlowRun {
  const t = textsOf(turn);
  const { slots, context } = turn;
  const { chosen, serviceId } = slots;
  if (chosen === undefined) return ask(turn, "day", t.askDay);
  const { day, time } = localOf(turn, chosen.start);
  const result = yield* callTool(turn, "book_appointment", {
    ...(serviceId === undefined ? {} : { service_id: serviceId }),
    resource_id: chosen.resourceId,
    day,
    time,
  });
  if (result.ok) return close(t.done(firstName(context.contact.name)));
  if (result.code === "name_needed") return ask(turn, "name", t.askName);
  return yield* afterRefusal(turn, slots, result);
}

export const firstName = (name: string | null): string => name?.trim().split(/\s+/u)[0] ?? "";
