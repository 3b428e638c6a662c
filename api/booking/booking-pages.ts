import { formatSlot, type SlotChoice } from "../../core/model/booking-link.ts";
import type { BookedVisit } from "../../core/services/booking/bookings.ts";
import { createTimeFormat } from "./format-time.ts";
import { html, type Html } from "./html.ts";
import type { Page } from "./layout.ts";
import { summary, timesSection, zoneSwitch, type Times } from "./time-pages.ts";
import type { Visit } from "./visit.ts";
import { minuteMs } from "../../core/model/durations.ts";

const refreshSeconds = 3;
/** Time for which the page shows a failed move. */
const tellFailureMs = 15 * minuteMs;

/** The page of a booked appointment: its state, and the actions that are possible. */
export function bookingPage(visit: Visit, booked: BookedVisit, now: Date): Page {
  const { words } = visit;
  const { status, startTime } = booked.appointment;
  if (isMoving(booked, now)) return movingPage(visit, booked);
  const toCome = status === "confirmed" && startTime > now;
  return {
    heading: headingOf(visit, status),
    isTicket: toCome,
    body: html`${hasFailed(booked, now) && html`<p class="notice" role="alert">${words.notMoved}</p>`}
    ${ticket(visit, booked, toCome)} ${toCome && changes(visit, booked)}
    ${toCome && booked.mail !== null && html`<p class="quiet">${words.mailed[booked.mail]}</p>`}
    ${toCome && html`<p class="quiet">${words.keepLink} ${words.linkIsSecret}</p>`}
    ${!toCome && visit.link.open && again(visit)}`,
  };
}

/** The appointment as a ticket: its time on the stub, everything else below. */
function ticket(visit: Visit, booked: BookedVisit, toCome: boolean): Html {
  const { words, language } = visit;
  const { startTime, endTime, title } = booked.appointment;
  const format = createTimeFormat(language, visit.zone ?? booked.timeZone);
  const { weekday, day, month } = format.parts(startTime);
  const hours = booked.reminderHours;
  return html`<section class="ticket ${toCome ? "" : "off"}" data-zone="${booked.timeZone}">
    <div class="stub">
      <span class="date" aria-hidden="true">${weekday}<b>${day}</b>${month}</span>
      <div>
        <p class="range">${format.range(startTime, endTime)}</p>
        <p>${booked.serviceName ?? title}</p>
      </div>
    </div>
    <div class="perforation"></div>
    <div>
      ${facts(visit, booked)} ${zoneSwitch(visit, booked.timeZone)}
      ${toCome && hours !== null && html`<p class="quiet">${words.reminder(hours)}</p>`}
      ${toCome && files(visit)}
    </div>
  </section>`;
}

/** Links to the calendar file and to a map. */
function files({ words, url, token, link }: Visit): Html {
  const { address, name } = link.company;
  const query = new URLSearchParams({ api: "1", query: `${name}, ${address}` });
  const map = `https://www.google.com/maps/search/?${query.toString()}`;
  return html`<div class="pair">
    <a class="button second" href="${url(`/a/${token}/appointment.ics`)}">${words.calendarFile}</a>
    ${
      address !== null &&
      html`<a class="button second" href="${map}" target="_blank" rel="noreferrer"
        >${words.route}</a
      >`
    }
  </div>`;
}

function headingOf({ words }: Visit, status: BookedVisit["appointment"]["status"]): string {
  if (status === "confirmed") return words.booked;
  return status === "cancelled" ? words.cancelled : words.over;
}

function isMoving({ move }: BookedVisit, now: Date): boolean {
  return move?.state === "requested" && move.expiresAt > now;
}

function hasFailed({ move, appointment }: BookedVisit, now: Date): boolean {
  if (move?.state !== "released" || appointment.status !== "confirmed") return false;
  return now.getTime() - (move.finishedAt?.getTime() ?? 0) < tellFailureMs;
}

function movingPage(visit: Visit, booked: BookedVisit): Page {
  const { words, language } = visit;
  const format = createTimeFormat(language, visit.zone ?? booked.timeZone);
  const { appointment, move } = booked;
  const rows = [
    [words.from, format.full(appointment.startTime)],
    [words.to, format.full(move?.startTime ?? appointment.startTime)],
  ] as const;
  return {
    heading: words.moving,
    refreshSeconds,
    body: html`<section>
      ${summary(rows)}
      <p role="status">${words.movingHint}</p>
    </section>`,
  };
}

function facts({ words, language, zone, link }: Visit, booked: BookedVisit): Html {
  const format = createTimeFormat(language, zone ?? booked.timeZone);
  const { address } = link.company;
  return summary([
    [words.what, booked.serviceName ?? booked.appointment.title],
    [words.withWhom, booked.resourceName],
    [words.when, format.full(booked.appointment.startTime)],
    ...(address === null ? [] : ([[words.where, address]] as const)),
  ]);
}

function changes({ words, url, token }: Visit, { appointment }: BookedVisit): Html {
  const movable = appointment.serviceId !== null;
  return html`<p class="under">
    ${movable && html`<a href="${url(`/a/${token}/move`)}">${words.move}</a>`}
    <a class="bad" href="${url(`/a/${token}/cancel`)}">${words.cancel}</a>
  </p>`;
}

function again({ words, url }: Visit): Html {
  return html`<p class="links"><a href="${url("")}">${words.bookAgain}</a></p>`;
}

/** Page that asks to confirm a cancellation. */
export function cancelPage(visit: Visit, booked: BookedVisit): Page {
  const { words, url, token } = visit;
  return {
    heading: words.cancelQuestion,
    body: html`<section>
      ${facts(visit, booked)}
      <div class="actions">
        <form method="post" action="${url(`/a/${token}/cancel`)}">
          <button class="danger">${words.cancelNow}</button>
        </form>
        <a class="button second" href="${url(`/a/${token}`)}">${words.keep}</a>
      </div>
    </section>`,
  };
}

/** Times to move an appointment to. @param taken true if the chosen time is no longer free. */
export function moveChoicePage(
  visit: Visit,
  booked: BookedVisit,
  times: Times,
  taken: boolean,
): Page {
  const { words, url, token } = visit;
  const path = `/a/${token}/move`;
  const links = {
    toDays: (from: string) => url(path, { from }),
    toSlot: (slot: string) => url(path, { slot }),
  };
  return {
    status: taken ? 409 : 200,
    heading: words.chooseNewTime,
    body: html`<section>
        ${taken && html`<p class="notice" role="alert">${words.slotTaken}</p>`}
        ${facts(visit, booked)}
      </section>
      <section>${timesSection(visit, times, links)}</section>
      <p class="links"><a href="${url(`/a/${token}`)}">${words.back}</a></p>`,
  };
}

/** Page that asks to confirm a move to this time. */
export function moveQuestionPage(visit: Visit, booked: BookedVisit, slot: SlotChoice): Page {
  const { words, url, token, language } = visit;
  const format = createTimeFormat(language, visit.zone ?? booked.timeZone);
  const rows = [
    [words.what, booked.serviceName ?? booked.appointment.title],
    [words.from, format.full(booked.appointment.startTime)],
    [words.to, format.full(slot.start)],
  ] as const;
  return {
    heading: words.moveQuestion,
    body: html`<section>
      ${summary(rows)}
      <div class="actions">
        <form method="post" action="${url(`/a/${token}/move`)}">
          <input type="hidden" name="slot" value="${formatSlot(slot)}" />
          <button>${words.moveNow}</button>
        </form>
        <a class="button second" href="${url(`/a/${token}/move`)}">${words.otherTime}</a>
      </div>
    </section>`,
  };
}
