import type { AgentContext } from "../context.ts";
import type { StepOutput } from "../step.ts";
import { answerFromKnowledge, offeredItem, offerQuestions } from "./answers.ts";
import { askAgain } from "./ask-again.ts";
import { book } from "./book-flow.ts";
import { cancel, move } from "./change-flows.ts";
import { isPlainYes } from "./consent.ts";
import { storeContactData } from "./contact-flow.ts";
import { hasDates } from "./dates.ts";
import { noDialogue, type Asked, type Dialogue, type Flow } from "./dialogue.ts";
import { listFacts } from "./facts.ts";
import { close, handOff, textsOf, type FlowRun, type FlowTurn, type Said } from "./flow-turn.ts";
import { readBurst, type Reading } from "./reading.ts";
import { joinWords, onlyOf } from "./text.ts";
import { wantsOthers, without } from "./wanted-times.ts";

/** Bursts in a row that are not understood before a person takes over. */
const maxMisses = 2;
const usage = { input: 0, cached: 0, output: 0 };

/**
 * One step of the built-in agent. It says stored answers and templates alone, and needs no
 * provider. The same context gives the same step.
 */
export function basicStep(context: AgentContext): StepOutput {
  const before = context.dialogue ?? noDialogue;
  const turn: FlowTurn = { context, reading: readBurst(context), ...before };
  const step = respond(turn).next();
  if (step.done !== true) return { kind: "calls", text: "", calls: [step.value], usage };
  const { say, isMiss, flow, slots, asked } = step.value;
  const dialogue: Dialogue = { flow, slots, asked, misses: isMiss ? before.misses + 1 : 0 };
  return { kind: "reply", text: say, dialogue, usage };
}

/** Tools that do as the customer wished, and of which the service tells the customer. */
const deeds: Partial<Record<Flow, string>> = {
  book: "book_appointment",
  move: "reschedule_appointment",
  cancel: "cancel_appointment",
};

/**
 * True where the wish is fulfilled already: a model has acted in this turn before it failed, or an
 * earlier turn acted on the customer's answer and was cut before its reply.
 */
function isDone({ context, flow, asked }: FlowTurn): boolean {
  const calls = context.rounds.flatMap((round) => round.calls);
  const isByModel = calls.some(({ callId, tool, result }) => {
    return result.ok && !callId.startsWith("basic-") && Object.values(deeds).includes(tool);
  });
  const deed = flow === null ? undefined : deeds[flow];
  return isByModel || (asked === "confirm" && context.untold.some(({ tool }) => tool === deed));
}

function* respond(turn: FlowTurn): FlowRun {
  const { reading, asked } = turn;
  if (isDone(turn)) return close(textsOf(turn).acknowledged);
  const wantsPerson = asked === "person" && reading.answer === true && !hasTask(reading);
  if (reading.intents.has("person") || wantsPerson) return yield* handOff(turn, "asked");
  if (reading.slot === null && /^(?:\[\w+\]\s*)*$/u.test(reading.text.trim())) {
    return yield* miss(turn, textsOf(turn).media, null);
  }
  const flow = findFlow(turn);
  if (reading.intents.has("repeat") && flow === turn.flow) return repeat(turn);
  const answers = [...listFacts(turn), ...answerFromKnowledge(turn)];
  if (flow === null || flow === "faq") {
    const interrupted = answers.length === 0 ? findInterrupted(turn) : null;
    if (interrupted !== null) return yield* run(interrupted, interrupted.flow);
    return yield* answer(turn, answers);
  }
  const isNew = flow !== turn.flow;
  if (!isNew && isForgotten(turn)) return close(textsOf(turn).forgotten);
  if (!isNew && !isUseful(turn)) {
    // Words that are older than the question do not fail to answer it.
    if (answers.length === 0 && !reading.isOvertaken) return yield* miss(turn, textsOf(turn).again);
    const again = askAgain(turn);
    return { ...again, say: [...answers, again.say].join("\n\n") };
  }
  const slots = isNew ? keptSlots(turn, flow) : turn.slots;
  const said = yield* run({ ...turn, flow, slots, asked: isNew ? null : asked }, flow);
  const notes = isNew && flow === "book" && wantsSeveral(reading) ? [textsOf(turn).oneAtATime] : [];
  return { ...said, say: [...answers, ...notes, said.say].join("\n\n") };
}

const several =
  /\b(?:dos|tres|cuatro|[2-9]|varias|two|three|four|several) (?:citas|turnos|consultas|appointments)\b/u;

/** True where the customer wants several appointments: "quiero dos citas". */
const wantsSeveral = ({ words }: Reading): boolean => several.test(joinWords(words));

/** The service and the agenda of a question: "¿cuánto cuesta la limpieza?", then "agéndame una". */
function slotsAbout({ services, resources }: Reading): FlowTurn["slots"] {
  const service = onlyOf(services);
  const resource = onlyOf(resources);
  return {
    ...(service === null ? {} : { serviceId: service.id }),
    ...(resource === null ? {} : { resourceId: resource.id }),
  };
}

/**
 * A booking keeps what the question before it was about. Another flow keeps the appointment: "no,
 * mejor muévela al jueves".
 */
function keptSlots({ slots, flow, reading, context }: FlowTurn, next: Flow): FlowTurn["slots"] {
  if (flow === null && next === "book") {
    const service = context.services.find(({ id }) => id === slots.serviceId);
    const { services, resources } = reading;
    if (services.length + resources.length === 0) return slots;
    const gives = resources.every(({ id }) => service?.resourceIds.includes(id) === true);
    return service !== undefined && services.length === 0 && gives ? { serviceId: service.id } : {};
  }
  const isChange = (one: Flow | null) => one === "move" || one === "cancel";
  const { appointmentId } = slots;
  return isChange(flow) && isChange(next) && appointmentId !== undefined ? { appointmentId } : {};
}

/**
 * The flow whose last question somebody has interrupted, where the burst may be a yes to it. The
 * flow asks again, because "very well" would sound as if it had acted. Null where nothing is left
 * to do: the appointment is there, or is no longer there to be changed.
 */
function findInterrupted(turn: FlowTurn): (FlowTurn & { flow: Exclude<Flow, "faq"> }) | null {
  const { context, reading } = turn;
  const { flow, slots, asked } = context.interrupted ?? noDialogue;
  if (flow === null || flow === "faq" || asked !== "confirm") return null;
  if (!isPlainYes(turn, {}) || reading.words.length > 6) return null;
  const { intents, words } = reading;
  const saysYes = words.some(({ text }) => text === "si" || text === "yes");
  if (intents.has("goodbye") || (intents.has("thanks") && !saysYes)) return null;
  const { appointmentId, chosen } = slots;
  const start = chosen === undefined ? null : new Date(chosen.start);
  const isOver = start !== null && start <= context.now;
  const isDoneAlready = context.appointments.some(
    ({ startTime }) => startTime.getTime() === start?.getTime(),
  );
  const isKnown = context.appointments.some(({ id }) => id === appointmentId);
  if (isOver || isDoneAlready || (appointmentId !== undefined && !isKnown)) return null;
  // Without the choice, the time is searched again: it may be taken by now.
  const agenda = chosen === undefined ? {} : { resourceId: chosen.resourceId };
  return { ...turn, flow, slots: { ...without(slots, ["chosen"]), ...agenda }, asked: null };
}

function run(turn: FlowTurn, flow: Exclude<Flow, "faq">): FlowRun {
  switch (flow) {
    case "book":
      return book(turn);
    case "move":
      return move(turn);
    case "cancel":
      return cancel(turn);
    case "contact":
      return storeContactData(turn);
  }
}

/** The task of this burst: a new one, or the one under way. */
function findFlow({ reading, flow, asked, context }: FlowTurn): Flow | null {
  const { intents, slot } = reading;
  if (slot !== null) return slot.appointmentId === null ? "book" : "move";
  const isUnderWay = flow !== null && flow !== "faq";
  const isBookingFirst = flow === "book" && context.appointments.length === 0;
  const isOther = flow !== "book" && context.appointments.length > 0 && intents.has("otherTime");
  // "No voy a poder el jueves, ¿me la cambias?" is a move, although its first half cancels.
  if ((intents.has("move") && !isBookingFirst) || isOther) return "move";
  // "Cancela" in the middle of a booking stops the booking, where there is nothing to cancel.
  if (intents.has("cancel")) return isBookingFirst ? flow : "cancel";
  if (isUnderWay && flow !== "contact" && intents.has("contact") && asked === "name") return flow;
  if (isUnderWay && (flow !== "contact" || !intents.has("book"))) return flow;
  if (intents.has("book")) return "book";
  if (intents.has("contact") || reading.email !== null) return "contact";
  if (intents.has("mine") || listsFacts(reading)) return flow;
  const { dates, services } = reading;
  const namesTime = [dates.days, dates.time, dates.window, dates.question].some(
    (one) => one !== null,
  );
  const isShort = reading.words.length <= 6 && !reading.words.some(({ isAsked }) => isAsked);
  const isPlainTime =
    isShort && !["goodbye", "thanks", "forget"].some((one) => intents.has(one as "thanks"));
  const wantsTime = namesTime && (services.length > 0 || isPlainTime);
  const isService =
    services.length === 1 &&
    reading.words.length <= 4 &&
    !reading.words.some(({ isAsked }) => isAsked);
  return wantsTime || isService ? "book" : flow;
}

const listsFacts = ({ intents }: Reading): boolean =>
  intents.has("hours") ||
  intents.has("services") ||
  intents.has("agendas") ||
  intents.has("address");

function isForgotten({ reading, asked, flow }: FlowTurn): boolean {
  const { intents, dates, slot } = reading;
  if (slot !== null) return false;
  if (flow === "book" && intents.has("cancel")) return !hasDates(dates);
  return intents.has("forget") && !hasDates(dates) && !(asked === "confirm" && flow === "cancel");
}

/** "Sí, quiero una cita" after the offer of a person is a wish of its own. */
function hasTask(reading: Reading): boolean {
  const { intents, services, slot } = reading;
  const isTask = (["book", "move", "cancel", "mine"] as const).some((one) => intents.has(one));
  return isTask || services.length > 0 || slot !== null || listsFacts(reading);
}

/** True where the burst says something to the flow under way. */
function isUseful({ reading, asked, flow }: FlowTurn): boolean {
  const { dates, intents, choice, services, resources, slot } = reading;
  if (slot !== null) return true;
  const isFact = listsFacts(reading) || intents.has("mine");
  if (flow === "contact")
    return reading.email !== null || reading.name !== null || intents.has("contact");
  if (hasDates(dates) && !isFact) return true;
  if (intents.has(flow === "faq" || flow === null ? "book" : flow)) return true;
  if ((services.length > 0 || resources.length > 0) && !asksAbout(reading)) return true;
  switch (asked) {
    case "confirm":
      return reading.answer !== null || intents.has("keep");
    case "service":
    case "appointment":
    case "half":
      return choice !== null;
    case "resource":
      return choice !== null || reading.isAny;
    case "slot":
      return choice !== null || reading.isAny || reading.answer !== null || wantsOthers(reading);
    case "day":
      return choice !== null && (hasDates(dates) || choice <= 2);
    case "name":
      return reading.name !== null && !isFact;
    case "email":
    case "person":
    case "question":
    case null:
      return false;
  }
}

/** A question about a service, such as its price, chooses nothing. */
function asksAbout({ words }: Reading): boolean {
  return words.some(
    ({ isAsked, text }) =>
      isAsked || ["cuanto", "cuesta", "precio", "price", "cost"].includes(text),
  );
}

/** Says the newest message of the agent again. Offered slots are offered again. */
function repeat(turn: FlowTurn): Said {
  const { context, flow, slots, asked } = turn;
  if (asked === "slot") return askAgain(turn);
  const newest = context.messages.findLast(({ speaker }) => speaker === "agent");
  return { say: newest?.text ?? textsOf(turn).greet, flow, slots, asked, isMiss: false };
}

/** Answers without a flow: facts, stored answers, small talk, near questions. */
function* answer(turn: FlowTurn, answers: readonly string[]): FlowRun {
  const { reading, asked, flow } = turn;
  const t = textsOf(turn);
  const { intents } = reading;
  const chosen = flow === "faq" ? offeredItem(turn) : null;
  if (chosen !== null) return close(chosen.answer);
  if (answers.length > 0) return { ...close(answers.join("\n\n")), slots: slotsAbout(reading) };
  if (asked === "person" && reading.answer === false) return close(t.forgotten);
  const near = offerQuestions(turn);
  if (near !== null) return near;
  const isLeft = flow === "faq" && (reading.answer === false || intents.has("forget"));
  if (isLeft || intents.has("forget")) return close(t.forgotten);
  if (intents.has("goodbye")) return close(t.goodbye);
  if (intents.has("thanks")) return close(t.thanks);
  if (intents.has("greet") && reading.words.length <= 6) return close(t.greet);
  if (reading.answer === true && reading.words.length <= 4) return close(t.acknowledged);
  if (reading.answer === false && reading.words.length <= 2) return close(t.acknowledged);
  return yield* miss(turn, t.unknown);
}

/**
 * Says that the burst was not understood. The second time in a row a person takes over.
 * @param asked what the text asks for, where no flow is open
 */
function* miss(turn: FlowTurn, text: string, asked: Asked | null = "person"): FlowRun {
  const { misses, flow } = turn;
  if (misses + 1 >= maxMisses) return yield* handOff(turn, "not_understood");
  const isOpen = flow !== null && flow !== "faq";
  if (!isOpen) return { say: text, flow: null, slots: {}, asked, isMiss: true };
  const again = askAgain(turn);
  return { ...again, say: `${text}\n${again.say}`, isMiss: true };
}
