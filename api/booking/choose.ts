import { notFound } from "../../core/errors.ts";
import { bookingHorizonMs } from "../../core/model/booking-link.ts";
import { bookingWeek } from "../../core/model/booking-week.ts";
import {
  findFirstOffered,
  listOfferedTimes,
  listOffers,
  type SlotPlace,
} from "../../core/services/booking/booking-offers.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { html } from "./html.ts";
import type { Page } from "./layout.ts";
import { resourceChoice, servicesPage, timesSection, type FoundTimes } from "./time-pages.ts";
import { searchAs, type Visit } from "./visit.ts";
import { findWished, wishOf } from "./wished.ts";

/**
 * The first page of a link: its services, or the free times of one service.
 * @throws AppError `rate_limited` if too many searches wait for the same link
 */
export async function showChoices(deps: Deps, visit: Visit): Promise<Page> {
  const { link, words, url, query } = visit;
  return await searchAs(deps, link, async (tx) => {
    const offers = await listOffers(tx, link);
    const asked = Number(query("service"));
    const [first] = offers;
    const offer = offers.length === 1 ? first : offers.find(({ serviceId }) => serviceId === asked);
    if (first === undefined) throw notFound("booking_link");
    if (offer === undefined) return servicesPage(visit, offers);
    const { serviceId, timeZone, serviceName, durationMinutes, resources } = offer;
    const service = String(serviceId);
    const asWished = findWished(offer, query("with"));
    const place = { resourceId: asWished?.id ?? link.resourceId };
    const wish = wishOf(asWished);
    const zone = visit.zone ?? timeZone;
    const times = await findTimes(tx, { place, serviceId, timeZone: zone, from: query("from") });
    const other =
      offers.length > 1 &&
      html`<p class="links"><a href="${url("")}">${words.otherService}</a></p>`;
    const links = {
      toDays: (from: string) => url("", { service, ...wish, from }),
      toSlot: (slot: string) => url("/new", { service, ...wish, slot }),
    };
    return {
      heading: words.chooseTime,
      body: html`<div class="beside">
          <div>
            <div class="service">
              <h2>${serviceName}</h2>
              <p>${words.minutes(durationMinutes)}</p>
            </div>
            ${resources.length > 1 && resourceChoice(visit, offer, asWished?.id ?? null)}
          </div>
          <section>${timesSection(visit, { ...times, companyZone: timeZone }, links)}</section>
        </div>
        ${other}`,
    };
  });
}

/** Free times of the seven days from `from` on, or of the first seven days. */
export async function findTimes(
  tx: Tx,
  query: {
    place: SlotPlace;
    serviceId: number;
    timeZone: string;
    from: string | null;
    /** A time to leave out. */
    notAt?: Date;
  },
): Promise<FoundTimes> {
  const { place, serviceId, timeZone, notAt } = query;
  const week = bookingWeek(timeZone, query.from, tx.now);
  const times = await listOfferedTimes(tx, place, serviceId, week.range);
  const slots = times.filter(({ startTime }) => startTime.getTime() !== notAt?.getTime());
  const rest = { start: week.range.end, end: new Date(tx.now.getTime() + bookingHorizonMs) };
  const next =
    slots.length > 0 ? null : await findFirstOffered(tx, place, serviceId, { range: rest, notAt });
  return { timeZone, week, slots, next: next?.startTime ?? null };
}
