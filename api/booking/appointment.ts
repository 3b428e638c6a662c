import { AppError } from "../../core/errors.ts";
import { renderCalendarFile } from "../../core/calendars/calendar-file.ts";
import { parseSlot } from "../../core/model/booking-link.ts";
import { cancelBooking, getBooking, moveBooking } from "../../core/services/booking/bookings.ts";
import { describeEntries } from "../../core/services/booking/calendar-entries.ts";
import { isTimeOffered } from "../../core/services/booking/booking-offers.ts";
import { systemOf, transaction, type Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { awaitReschedule, rescheduleFailure } from "../reschedule-outcome.ts";
import { isTaken } from "./book.ts";
import { bookingPage, cancelPage, moveChoicePage, moveQuestionPage } from "./booking-pages.ts";
import { findTimes } from "./choose.ts";
import type { Page } from "./layout.ts";
import { readAs, searchAs, type Visit } from "./visit.ts";

/** Page of an appointment, for the holder of its token. */
export async function showBooking(deps: Deps, visit: Visit): Promise<Page> {
  return await readAs(deps, visit.link, async (tx) =>
    bookingPage(visit, await getBooking(tx, visit.link.id, visit.token), tx.now),
  );
}

/** A calendar file to download. */
export interface CalendarFile {
  calendarFile: string;
}

/** The appointment for the visitor's calendar. It holds no token, since calendars are shared. */
export async function sendCalendarFile(deps: Deps, visit: Visit): Promise<CalendarFile> {
  const { link, token } = visit;
  return await readAs(deps, link, async (tx) => {
    const { appointment, serviceName } = await getBooking(tx, link.id, token);
    const { name, address } = link.company;
    const summary = `${serviceName ?? appointment.title}, ${name}`;
    const worded = [{ appointment, summary, location: address }];
    const entries = await describeEntries(tx, deps.config.publicUrl, worded);
    return { calendarFile: renderCalendarFile({ name: null, entries }) };
  });
}

/** Page that asks before cancelling, so that following a link cancels nothing. */
export async function askCancel(deps: Deps, visit: Visit): Promise<Page> {
  return await readAs(deps, visit.link, async (tx) =>
    cancelPage(visit, await getBooking(tx, visit.link.id, visit.token)),
  );
}

/** Cancels the appointment. If it can no longer be cancelled, its page shows its current state. */
export async function sendCancel(deps: Deps, visit: Visit): Promise<{ location: string }> {
  const { link, token } = visit;
  try {
    await transaction(deps.dataSource, systemOf(link.accountId), (tx) =>
      cancelBooking(tx, link.id, token),
    );
  } catch (error) {
    if (!isOver(error)) throw error;
  }
  return { location: visit.url(`/a/${token}`) };
}

/**
 * Times to move to. With a chosen time: the question to confirm the move.
 * @throws AppError `rate_limited` if too many searches for times wait for the same link
 */
export async function showMove(deps: Deps, visit: Visit): Promise<Page> {
  const slot = parseSlot(visit.query("slot") ?? "");
  if (slot === null) return await showMoveChoices(deps, visit, { isTimeTaken: false });
  const question = await readAs(deps, visit.link, async (tx) => {
    const booked = await getBooking(tx, visit.link.id, visit.token);
    const { id, resourceId, serviceId } = booked.appointment;
    const place = { resourceId, exceptAppointmentId: id };
    const offered = serviceId !== null && (await isTimeOffered(tx, place, serviceId, slot));
    return offered ? moveQuestionPage(visit, booked, slot) : null;
  });
  return question ?? (await showMoveChoices(deps, visit, { isTimeTaken: true }));
}

/**
 * Moves the appointment and waits up to 3 s for the outcome, which the appointment's page then
 * shows. If the time is taken, the answer is a page with other times.
 */
export async function sendMove(deps: Deps, visit: Visit): Promise<Page | { location: string }> {
  const { link, token } = visit;
  const location = visit.url(`/a/${token}`);
  const slot = parseSlot(visit.field("slot"));
  if (slot === null) return { location: visit.url(`/a/${token}/move`) };
  const options = systemOf(link.accountId);
  try {
    const move = await transaction(deps.dataSource, options, (tx) =>
      moveBooking(tx, link.id, token, slot),
    );
    const outcome = move === null ? null : await awaitReschedule(deps, options.actor, move);
    if (outcome?.state === "released") throw rescheduleFailure(outcome.failureCode);
  } catch (error) {
    if (isOver(error)) return { location };
    if (!isTaken(error)) throw error;
    return await showMoveChoices(deps, visit, { isTimeTaken: true });
  }
  return { location };
}

const overCodes = new Set([
  "past_time",
  "appointment_not_confirmed",
  "reschedule_in_progress",
  "reschedule_failed",
  "calendly_moves_itself",
  "calendar_refused",
  "calendar_unavailable",
]);

/** True for errors whose reason the appointment's page shows. */
function isOver(error: unknown): boolean {
  return error instanceof AppError && overCodes.has(error.code);
}

async function showMoveChoices(
  deps: Deps,
  visit: Visit,
  { isTimeTaken }: { isTimeTaken: boolean },
): Promise<Page> {
  return await searchAs(deps, visit.link, async (tx) => await moveChoices(tx, visit, isTimeTaken));
}

async function moveChoices(tx: Tx, visit: Visit, taken: boolean): Promise<Page> {
  const booked = await getBooking(tx, visit.link.id, visit.token);
  const { id, resourceId, serviceId, startTime } = booked.appointment;
  if (serviceId === null) return bookingPage(visit, booked, tx.now);
  const times = await findTimes(tx, {
    place: { resourceId, exceptAppointmentId: id },
    serviceId,
    timeZone: visit.zone ?? booked.timeZone,
    from: visit.query("from"),
    notAt: startTime,
  });
  return moveChoicePage(visit, booked, { ...times, companyZone: booked.timeZone }, taken);
}
