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

/** Buttons to choose one of the resources, or any. @param chosen its id */
export function resourceChoice(
  { words, url }: Visit,
  { serviceId, resources }: Offer,
  chosen: number | null,
): Html {
  const service = String(serviceId);
  const choice = (id: number | null, name: string) => {
    const href = url("", id === null ? { service } : { service, with: String(id) });
    const current = html` aria-current="true"`;
    return html`<li>
      <a href="${href}" ${id === chosen && current}
        ><i aria-hidden="true">${id === null ? "∗" : Array.from(name)[0]}</i>${name}</a
      >
    </li>`;
  };
  return html`<h2>${words.withWhomQuestion}</h2>
    <ul class="whom">
      ${choice(null, words.anyone)} ${resources.map(({ id, name }) => choice(id, name))}
    </ul>`;
}

/** Free times of seven days, each once. */
export interface FoundTimes {
  /** Zone of the days and times on the page. */
  timeZone: string;
  week: BookingWeek;
  slots: Slot[];
  /** The first free time after these days, if they have none; else null. */
  next: Date | null;
}

/** Free times of seven days, with the zone of the place. */
export interface Times extends FoundTimes {
  companyZone: string;
}

/** Links of a page with times: to other days, and to one time. */
export interface TimeLinks {
  toDays: (from: string) => string;
  toSlot: (slot: string) => string;
}

/** Free times of a week: the days with bars of free time, and the times of the chosen day. */
export function timesSection(visit: Visit, times: Times, links: TimeLinks): Html {
  const { words, language } = visit;
  const format = createTimeFormat(language, times.timeZone);
  const byDate = new Map(
    groupByDay(times.slots, times.timeZone).map((day) => [
      localDate(times.timeZone, day[0]?.startTime ?? new Date(0)),
      day,
    ]),
  );
  const days = times.week.days.map((date, index): Day => {
    const slots = byDate.get(date) ?? [];
    return { id: `d${index + 1}`, date, slots, isFirst: date === [...byDate.keys()][0] };
  });
  const most = Math.max(...days.map(({ slots }) => slots.length));
  return html`<div class="times" data-zone="${times.companyZone}">
    <div class="weekhead">
      <p class="month">${monthOf(days, language)}</p>
      ${pageLinks(visit, times.week, links)}
    </div>
    <nav class="strip" aria-label="${words.days}">
      ${days.map((day) => dayLink(visit, day, most))}
    </nav>
    <div class="zone">
      <p class="quiet">${words.zone(format.zone)}</p>
      ${zoneSwitch(visit, times.companyZone)}
    </div>
    ${times.slots.length === 0 ? noTimes(visit, times, links, format) : days.map((day) => listDay(visit, day, links, format))}
  </div>`;
}

/** A day of the page with its times. */
interface Day {
  /** Anchor on the page. */
  id: string;
  /** `2026-11-24` */
  date: string;
  slots: Slot[];
  /** True for the first day with a free time, which is open at first. */
  isFirst: boolean;
}

/** Month of the days, or both months. */
function monthOf(days: Day[], language: Visit["language"]): string {
  const format = new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" });
  const months = days.map(({ date }) => format.format(noonOf(date)));
  const names = [...new Set(months)].join(" – ");
  return names.charAt(0).toLocaleUpperCase() + names.slice(1);
}

function noonOf(date: string): Date {
  return new Date(`${date}T12:00:00Z`);
}

const barWidth = 18;

/** A day of the strip; without free times it leads nowhere. */
function dayLink(
  { words, language }: Visit,
  { id, date, slots, isFirst }: Day,
  most: number,
): Html {
  const { weekday, day } = createTimeFormat(language, "UTC").parts(noonOf(date));
  const count = slots.length;
  if (count === 0) {
    return html`<div>${weekday}<b>${day}</b><span class="unseen">${words.noneFree}</span></div>`;
  }
  const free = Math.max(2, Math.round((count / most) * barWidth));
  return html`<a class="${isFirst ? "first" : "further"}" href="#${id}"
    >${weekday}<b>${day}</b
    ><svg width="${barWidth}" height="4" aria-hidden="true">
      <rect class="bar-all" width="${barWidth}" height="4" rx="2" />
      <rect class="bar-free" width="${free}" height="4" rx="2" /></svg
    ><span class="unseen">${words.free(count)}</span></a
  >`;
}

/** Times of a day, in the morning and in the afternoon. */
function listDay(
  { words }: Visit,
  { id, slots, isFirst }: Day,
  { toSlot }: TimeLinks,
  format: TimeFormat,
): Html | null {
  const [first] = slots;
  if (first === undefined) return null;
  const labels = format.times(slots.map(({ startTime }) => startTime));
  const links = slots.map((slot, index) => {
    const href = toSlot(formatSlot({ resourceId: slot.resourceId, start: slot.startTime }));
    const link = html`<li><a href="${href}">${labels[index]}</a></li>`;
    return { link, isMorning: format.isMorning(slot.startTime) };
  });
  const part = (title: string, isMorning: boolean): Html | null => {
    const own = links.filter((one) => one.isMorning === isMorning);
    if (own.length === 0) return null;
    return html`<h3>${title}</h3>
      <ul class="slots">
        ${own.map(({ link }) => link)}
      </ul>`;
  };
  return html`<div class="day ${isFirst && "first"}" id="${id}">
    <h2>${format.day(first.startTime)}</h2>
    ${part(words.morning, true)} ${part(words.afternoon, false)}
  </div>`;
}

/** A way between the visitor's zone and that of the company. The script knows the visitor's. */
export function zoneSwitch({ words, language, zone, inZone }: Visit, companyZone: string): Html {
  const { city } = createTimeFormat(language, companyZone);
  if (zone !== null && zone !== companyZone) {
    return html`<p>
      ${words.yourZone} <a href="${inZone(companyZone)}">${words.companyZone(city)}</a>
    </p>`;
  }
  return html`<p hidden><a data-own-zone href="${inZone(companyZone)}">${words.ownZone}</a></p>`;
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
  return html`<div class="pages">
    <span
      >${
        earlier !== null &&
        html`<a href="${toDays(earlier)}" rel="prev" aria-label="${words.earlier}">←</a>`
      }</span
    ><span
      >${later !== null && html`<a href="${toDays(later)}" rel="next" aria-label="${words.later}">→</a>`}</span
    >
  </div>`;
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
