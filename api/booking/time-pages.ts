import { formatSlot } from "../../core/model/booking-link.ts";
import { localDate, type BookingWeek } from "../../core/model/booking-week.ts";
import type { Offer } from "../../core/services/booking/booking-offers.ts";
import type { Slot } from "../../core/services/appointments/free-slots.ts";
import { createTimeFormat, groupByDay, type TimeFormat } from "./format-time.ts";
import { html, type Html } from "./html.ts";
import type { Page } from "./layout.ts";
import type { Visit } from "./visit.ts";

/** Page to choose one of several services. */
export function servicesPage({ words, url }: Visit, offers: Offer[]): Page {
  const choices = offers.map(({ serviceId, serviceName, durationMinutes }) => {
    const href = url("", { service: String(serviceId) });
    const length = words.minutes(durationMinutes);
    return html`<li>
      <a href="${href}">${serviceName} <span>${length}</span></a>
    </li>`;
  });
  return {
    heading: words.chooseService,
    body: html`<section>
      <ul class="choices">
        ${choices}
      </ul>
    </section>`,
  };
}

/** Free times of seven days. */
export interface Times {
  timeZone: string;
  week: BookingWeek;
  slots: Slot[];
  /** The first free time after these days, if they have none; else null. */
  next: Date | null;
}

/** Links of a page with times: to other days, and to one time. */
export interface TimeLinks {
  toDays: (from: string) => string;
  toSlot: (slot: string) => string;
}

/** Free times of some days, with links to the days before and after. */
export function timesSection(visit: Visit, times: Times, links: TimeLinks): Html {
  const { words, language } = visit;
  const format = createTimeFormat(language, times.timeZone);
  return html`<p class="quiet">${words.zone(format.zone)}</p>
    ${times.slots.length === 0 ? noTimes(visit, times, links, format) : listDays(times, links, format)}
    ${pageLinks(visit, times.week, links)}`;
}

function listDays({ slots, timeZone }: Times, { toSlot }: TimeLinks, format: TimeFormat): Html[] {
  return groupByDay(firstOfEach(slots), timeZone).map((day) => {
    const labels = format.times(day.map(({ startTime }) => startTime));
    const links = day.map((slot, index) => {
      const href = toSlot(formatSlot({ resourceId: slot.resourceId, start: slot.startTime }));
      return html`<li><a href="${href}">${labels[index]}</a></li>`;
    });
    return html`<h3>${day[0] && format.day(day[0].startTime)}</h3>
      <ul class="slots">
        ${links}
      </ul>`;
  });
}

/** One slot per time: that of the first free resource. */
export function firstOfEach(slots: readonly Slot[]): Slot[] {
  return slots.filter(
    ({ startTime }, index) => startTime.getTime() !== slots[index - 1]?.startTime.getTime(),
  );
}

function noTimes(
  { words }: Visit,
  { next, timeZone, week }: Times,
  { toDays }: TimeLinks,
  format: TimeFormat,
): Html {
  if (next !== null) {
    const href = toDays(localDate(timeZone, next));
    return html`<p>${words.noTimes}</p>
      <p class="actions">
        <a class="button" href="${href}">${words.nextFree(format.day(next))}</a>
      </p>`;
  }
  return html`<p>${week.earlier === null ? words.noTimesAtAll : words.noTimes}</p>`;
}

function pageLinks({ words }: Visit, { earlier, later }: BookingWeek, { toDays }: TimeLinks): Html {
  return html`<nav class="pages">
    <span
      >${
        earlier !== null && html`<a href="${toDays(earlier)}" rel="prev">← ${words.earlier}</a>`
      }</span
    ><span
      >${later !== null && html`<a href="${toDays(later)}" rel="next">${words.later} →</a>`}</span
    >
  </nav>`;
}

/** A list of terms and texts, such as service and time of a booking. */
export function summary(rows: readonly (readonly [term: string, text: string])[]): Html {
  return html`<dl>
    ${rows.map(
      ([term, text]) =>
        html`<dt>${term}</dt>
          <dd>${text}</dd>`,
    )}
  </dl>`;
}
