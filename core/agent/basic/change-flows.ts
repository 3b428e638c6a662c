import type { ContextAppointment, SlotChoice } from "../context.ts";
import { agrees, firstName } from "./book-flow.ts";
import { isPlainYes, namesOther, saysToCome } from "./consent.ts";
import type { FlowSlots } from "./dialogue.ts";
import { hasDates, type DayRange } from "./dates.ts";
import {
  ask,
  callTool,
  close,
  handOff,
  localOf,
  textsOf,
  wordsOfAppointment,
  wordsOfSlot,
  type FlowRun,
  type FlowTurn,
  type Said,
} from "./flow-turn.ts";
import { joinWords, onlyOf } from "./text.ts";
import {
  afterRefusal,
  reachOffered,
  reachTime,
  takeChosenDay,
  takeDates,
  without,
} from "./wanted-times.ts";

/** Moves an appointment: the customer chooses, confirms in one message, and it moves on the next. */
export function* move(turn: FlowTurn): FlowRun {
  const { context, reading, asked, slots } = turn;
  const canMove =
    context.tools.includes("reschedule_appointment") && context.tools.includes("find_slots");
  if (!canMove) return yield* handOff(turn, "unsupported");
  const t = textsOf(turn);
  if (reading.slot !== null) return yield* moveToOffered(turn, reading.slot);
  if (asked === "confirm" && slots.chosen !== undefined) {
    const own = appointmentOf(turn);
    // "Sí, a la misma hora" means the time of the appointment, which may not be the chosen one.
    const isOwnTime = own !== undefined && localOf(turn, own.startTime).time === slots.time;
    const isSame =
      (!hasDates(reading.dates) || agrees(turn)) && (isOwnTime || !namesSameTime(turn));
    const isAgreed = isPlainYes(turn, {
      serviceId: own?.serviceId,
      resourceId: slots.chosen.resourceId,
    });
    if (isAgreed && isSame) return yield* moveChosen(turn);
    if (reading.answer === false && !hasDates(reading.dates)) {
      return ask(turn, "day", t.askOtherDay, without(slots, ["chosen", "from", "to", "time"]));
    }
  }
  const appointment = chooseAppointment(turn);
  if ("say" in appointment) return appointment;
  const wanted = takeAgenda(turn, appointment, takeTarget(turn, appointment));
  if (
    wanted.from === undefined &&
    wanted.choices === undefined &&
    (keepsTime(turn) || (wanted.time ?? wanted.part) === undefined)
  ) {
    return ask(turn, "day", t.askMoveDay(wordsOfAppointment(turn, appointment)), wanted);
  }
  // "Mejor a las 6": the day of the appointment stays.
  const { day } = localOf(turn, appointment.startTime);
  const dated = wanted.from === undefined ? { ...wanted, from: day, to: day } : wanted;
  const reached = yield* reachTime(turn, dated, {
    appointment_id: appointment.id,
    ...(dated.resourceId === undefined ? {} : { resource_id: dated.resourceId }),
  });
  if ("say" in reached) return reached;
  return ask(turn, "confirm", confirmMoveText(turn, reached), reached);
}

/**
 * Asks for the confirmation of a move to an offered slot, where it is still free. An appointment
 * that was moved meanwhile has another id, and is then the only one or asked for.
 */
function* moveToOffered(turn: FlowTurn, slot: SlotChoice): FlowRun {
  const { resourceId, appointmentId } = slot;
  const offered = appointmentId === null ? turn.slots : { appointmentId };
  const appointment = chooseAppointment({ ...turn, slots: offered });
  if ("say" in appointment) return appointment;
  const { id } = appointment;
  const target = { resource_id: resourceId, appointment_id: id };
  const reached = yield* reachOffered(turn, { appointmentId: id }, slot, target);
  return "say" in reached ? reached : ask(turn, "confirm", confirmMoveText(turn, reached), reached);
}

export function confirmMoveText(turn: FlowTurn, slots: FlowSlots): string {
  const before = appointmentOf({ ...turn, slots });
  return textsOf(turn).confirmMove(
    before === undefined ? "" : wordsOfAppointment(turn, before),
    slots.chosen === undefined ? "" : wordsOfSlot(turn, slots.chosen),
  );
}

function* moveChosen(turn: FlowTurn): FlowRun {
  const t = textsOf(turn);
  const { chosen, appointmentId } = turn.slots;
  if (chosen === undefined || appointmentId === undefined) return ask(turn, "day", t.askDay);
  const { day, time } = localOf(turn, chosen.start);
  const result = yield* callTool(turn, "reschedule_appointment", {
    appointment_id: appointmentId,
    resource_id: chosen.resourceId,
    day,
    time,
  });
  if (result.ok) return close(t.done(firstName(turn.context.contact.name)));
  return yield* afterRefusal(turn, turn.slots, result);
}

/** Cancels an appointment, on the message after the question. */
export function* cancel(turn: FlowTurn): FlowRun {
  const { context, reading, asked, slots } = turn;
  if (!context.tools.includes("cancel_appointment")) return yield* handOff(turn, "unsupported");
  const t = textsOf(turn);
  const { intents, answer } = reading;
  if (asked === "confirm" && slots.appointmentId !== undefined) {
    if (intents.has("keep")) return close(t.kept);
    const own = appointmentOf(turn) ?? {};
    if (namesOther(turn, own)) return yield* cancel({ ...turn, slots: {}, asked: null });
    const isAgain =
      answer === null && intents.has("cancel") && !intents.has("hedge") && !reading.isOvertaken;
    const isAgreed = isPlainYes(turn, own) && (intents.has("cancel") || !saysToCome(reading));
    if ((isAgreed || isAgain) && reading.dates.named === null) {
      const input = { appointment_id: slots.appointmentId };
      const result = yield* callTool(turn, "cancel_appointment", input);
      return result.ok ? close(t.cancelled) : yield* handOff(turn, "refused");
    }
    if (answer === false) return close(t.kept);
  }
  const appointment = chooseAppointment(turn);
  if ("say" in appointment) return appointment;
  return ask(turn, "confirm", t.confirmCancel(wordsOfAppointment(turn, appointment)), {
    appointmentId: appointment.id,
  });
}

/** The appointment that the flow is about by now. */
export function appointmentOf({ context, slots }: FlowTurn): ContextAppointment | undefined {
  return context.appointments.find(({ id }) => id === slots.appointmentId);
}

/** The appointment that the customer means, or the question for it. */
function chooseAppointment(turn: FlowTurn): ContextAppointment | Said {
  const { context, slots, reading, asked } = turn;
  const t = textsOf(turn);
  const { appointments } = context;
  const known = appointmentOf(turn);
  if (known !== undefined && reading.dates.named === null) return known;
  const [first] = appointments;
  if (first === undefined) return close(t.noAppointments);
  if (appointments.length === 1) return first;
  const byNumber = asked === "appointment" ? chosenBy(reading.choice, appointments) : undefined;
  if (byNumber !== undefined) return byNumber;
  const only = onlyOf(appointments.filter((one) => fitsBurst(turn, one)));
  if (only !== null) return only;
  const listed = appointments.map((one) => wordsOfAppointment(turn, one));
  const isNew = turn.flow === "move" && asked !== "appointment";
  const wanted = namesSameTime(turn) ? { ...slots, sameTime: true } : slots;
  const next = isNew ? takeDates(turn, wanted) : slots;
  const question = t.whichAppointment(listed);
  return ask(turn, "appointment", isAll(turn) ? `${t.oneAtATime} ${question}` : question, next);
}

/** True where the customer means several appointments: "las dos", "cancel all my appointments". */
function isAll({ reading, asked }: FlowTurn): boolean {
  const text = joinWords(reading.words);
  if (asked === "appointment" && /^(?:las dos|todas|all)\b/u.test(text)) return true;
  return /\b(?:ambas|(?:las dos|todas mis) citas|both|all (?:my|of them))\b/u.test(text);
}

function chosenBy<Row>(choice: number | null, rows: readonly Row[]): Row | undefined {
  return choice === null ? undefined : rows.at(choice > 0 ? choice - 1 : -1);
}

/** True where the day, the time, the service or the agenda of the burst are the appointment's. */
function fitsBurst(turn: FlowTurn, appointment: ContextAppointment): boolean {
  const { dates, services, resources } = turn.reading;
  const { day, time } = localOf(turn, appointment.startTime);
  const isWithin = ({ from, to }: DayRange) => day >= from && (to === null || day <= to);
  const isNew = turn.flow === "move" && turn.asked !== "appointment";
  const isRange = dates.days !== null && dates.days.from !== dates.days.to;
  const days = dates.named ?? (isNew ? null : dates.days);
  if (isNew && days === null && isRange) return dates.days?.from === day;
  if (dates.excluded.length > 0 && days === null && !dates.excluded.includes(day)) return false;
  if (days !== null && !isWithin(days)) return false;
  if (!isNew && dates.time !== null && dates.time !== time) return false;
  if (services.length > 0 && !services.some(({ id }) => id === appointment.serviceId)) return false;
  if (resources.length > 0 && !resources.some(({ id }) => id === appointment.resourceId))
    return false;
  return (
    days !== null ||
    dates.excluded.length > 0 ||
    services.length > 0 ||
    resources.length > 0 ||
    (!isNew && dates.time !== null)
  );
}

/** The days and times to move to. "Del martes al jueves" moves from the first to the last of them. */
function takeTarget(turn: FlowTurn, appointment: ContextAppointment): FlowSlots {
  const slots = { ...turn.slots, appointmentId: appointment.id };
  const { day, time } = localOf(turn, appointment.startTime);
  const { dates: said } = turn.reading;
  const dates = namesSameTime(turn) ? { ...said, time } : said;
  // The answer to "which appointment?" names no new day.
  if (turn.asked === "appointment") return keepsTime(turn) ? { ...slots, time } : slots;
  const isFromOwn = dates.days?.from === day && dates.days.to !== null && dates.days.to !== day;
  const target =
    isFromOwn && dates.days !== null && dates.days.to !== null
      ? { from: dates.days.to, to: dates.days.to }
      : dates.days;
  // "Ya no puedo el martes": the day of the appointment is no wish for others.
  const excluded = dates.excluded.filter((one) => one !== day);
  const isFresh = turn.slots.appointmentId === undefined;
  // "Mi cita es el martes, cámbiala": the day of the appointment alone is no new day.
  const isOwnDay =
    isFresh &&
    target?.from === day &&
    target.to === day &&
    dates.time === null &&
    dates.part === null;
  const reading = {
    ...turn.reading,
    dates: { ...dates, days: isOwnDay ? null : target, excluded, named: null },
  };
  const read = { ...turn, reading };
  return takeChosenDay(read, takeDates(read, slots));
}

/** "A la misma hora", but not "no a la misma hora". */
function namesSameTime({ reading }: FlowTurn): boolean {
  const text = joinWords(reading.words);
  return /\b(?:misma hora|same (?:time|hour))\b/u.test(text) && !/\b(?:no|not|cant)\b/u.test(text);
}

/** The same, also where the customer first had to say which appointment. */
function keepsTime(turn: FlowTurn): boolean {
  return namesSameTime(turn) || (turn.asked === "appointment" && turn.slots.sameTime === true);
}

/** The agenda to move to: the one that the customer names, else any, the own one first. */
function takeAgenda(
  { context, reading, asked }: FlowTurn,
  { serviceId, resourceId }: ContextAppointment,
  slots: FlowSlots,
): FlowSlots {
  const isAnyAgenda = reading.isAny && asked !== "day" && !hasDates(reading.dates);
  if (isAnyAgenda && reading.resources.length === 0) return without(slots, ["resourceId"]);
  const named = onlyOf(reading.resources);
  // The answer to "which appointment?" names the agenda of that appointment.
  if (named === null || asked === "appointment") return slots;
  // "Mi cita con la Dra. Soto": the words tell which appointment.
  if (named.id === (slots.resourceId ?? (asked === null ? resourceId : undefined))) return slots;
  const service = context.services.find(({ id }) => id === serviceId);
  if (service !== undefined && !service.resourceIds.includes(named.id)) return slots;
  return { ...without(slots, ["chosen", "shown"]), resourceId: named.id };
}
